#!/usr/bin/env bash
# Measures the cost of --measure beside x264: seconds that passed and CPU seconds (user and system),
# without it and with it, in turns, the least of the runs. Where libavcodec hands out x264's own
# pictures (FFmpeg 6 and later), with all packets decoded too.
#
#   bench/scripts/measure.sh VIDCONV [FRAMES [RUNS [PRESET...]]]      medium and veryfast unless named
#   taskset -c 1 bench/scripts/measure.sh VIDCONV 40                  of one CPU
#
# The input is a y4m file in memory, 3 MB a frame (TMPDIR, else /dev/shm): the test picture of
# 1920x1080, which is slower to make than to read.
set -euo pipefail
vidconv=$1 frames=${2:-300} runs=${3:-5}
presets=("${@:4}")
[[ $# -gt 3 ]] || presets=(medium veryfast)
folder=$(mktemp -d -p "${TMPDIR:-/dev/shm}")
trap 'rm -rf "$folder"' EXIT
TIMEFORMAT='%R %U %S'

"$vidconv" "pattern:1920x1080#$frames" -o "$folder/in.y4m" -q --kernel matrix:1
encode() {
  "$vidconv" "$folder/in.y4m" -o "$folder/out.mkv" -y -q --kernel gaussian:sigma=1 --device cpu --codec libx264 "$@"
}
# seconds OPTION...: prints the seconds that passed, and those of CPUs
seconds() { { time encode "$@"; } 2>&1 | awk '{ print $1, $2 + $3 }'; }

decoded=(--measure "psnr,ssim" --encoder-opt flags=-recon_frame)
encode --preset ultrafast --frames 1 "${decoded[@]}" 2>/dev/null || decoded=()
for preset in "${presets[@]}"; do
  for ((run = 0; run < runs; ++run)); do
    echo "without $(seconds --preset "$preset")"
    echo "with $(seconds --preset "$preset" --measure psnr,ssim)"
    [[ ${#decoded[@]} -eq 0 ]] || echo "decoded $(seconds --preset "$preset" "${decoded[@]}")"
  done | awk -v preset="$preset" -v cpus="$(nproc)" -v frames="$frames" '
    { if (!($1 in passed) || $2 < passed[$1]) passed[$1] = $2; if (!($1 in used) || $3 < used[$1]) used[$1] = $3 }
    END {
      printf "%s, %d CPUs, %d frames: without %.2f s (%.2f s of CPUs)", preset, cpus, frames, passed["without"], used["without"]
      split("with decoded", ways)
      for (i = 1; ways[i] in passed; ++i)
        printf "; %s %.2f s, %+.1f%% (%.2f s, %+.1f%%)", ways[i], passed[ways[i]], 100 * (passed[ways[i]] / passed["without"] - 1),
          used[ways[i]], 100 * (used[ways[i]] / used["without"] - 1)
      print ""
    }'
done
