#!/usr/bin/env bash
# Frames a second from memory to memory, for three filters, three sizes and two depths: writes a data
# file for docs/measurements/data to standard output.
#
#   bench/scripts/memory.sh BUILD [DEVICE [SECONDS]] > docs/measurements/data/NAME.json
set -euo pipefail
vidconv=${1:?usage: bench/scripts/memory.sh BUILD [DEVICE [SECONDS]]}/vidconv device=${2:-cuda} seconds=${3:-0.4}
tables=$(cd "$(dirname "$0")" && pwd)/tables.py
vidconv=$(realpath "$vidconv")
reports=$(mktemp -d)
trap 'rm -r "$reports"' EXIT

for size in 1920x1080 3840x2160 7680x4320; do
  for format in yuv420p yuv420p10le; do
    for filter in sobel gaussian:sigma=2 random:1,7; do
      "$vidconv" "pattern:$size:$format" --kernel "$filter" --device "$device" \
        --benchmark="$seconds" --stats "$reports/$filter $size $format.json" -q >&2
    done
  done
done
cd "$reports"
# Takes the reports in the order in which they were written.
mapfile -t files < <(ls -tr)
"$tables" --runs "${files[@]}"
