#!/usr/bin/env bash
# What --measure costs beside x264: CPU seconds of one CPU, with and without in turns.
#
#   bench/measure.sh VIDCONV [FRAMES [RUNS [PRESET]]]
set -euo pipefail
vidconv=$1 frames=${2:-150} runs=${3:-3} preset=${4:-medium}
output=$(mktemp --suffix=.mkv)
trap 'rm -f "$output"' EXIT
TIMEFORMAT='%U %S'

# seconds OPTION...
seconds() {
  { time taskset -c 0 "$vidconv" "pattern:1920x1080#$frames" -o "$output" -y -q --kernel gaussian:sigma=1 --device cpu \
    --threads 1 --codec libx264 --preset "$preset" "$@"; } 2>&1 | awk '{ print $1 + $2 }'
}
for ((run = 0; run < runs; ++run)); do
  echo "$(seconds) $(seconds --measure psnr,ssim)"
done | awk -v preset="$preset" '
  { if (!least || $1 < least) least = $1; if (!with || $2 < with) with = $2 }
  END { printf "%s: %.2f s without, %.2f s with, ratio %.3f\n", preset, least, with, with / least }'
