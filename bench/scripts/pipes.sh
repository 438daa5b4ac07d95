#!/usr/bin/env bash
# Raw 4K frames through vidconv between two pipes, beside the same pipes with a copy in its place: by
# frames, with vidconv's calls into as much memory of the same kind, and by blocks that stay in the
# cache. Best of several short runs each, in turn.
#
#   bench/scripts/pipes.sh BUILD [DEVICE [KERNEL [FRAMES [RUNS]]]]
#
# BUILD is a build directory with vidconv and vidconv-frames; PREFIX in the environment is put before
# each program, say a script that sets where libraries are; SLOTS is how many the copy has.
set -euo pipefail
build=$1 device=${2:-cpu} kernel=${3:-identity} frames=${4:-120} runs=${5:-5}
size=3840x2160
bytes=$((3840 * 2160 * frames * 3 / 2))
read -ra prefix <<<"${PREFIX:-}"
frames_program=("${prefix[@]}" "$build/vidconv-frames")
vidconv=("${prefix[@]}" "$build/vidconv")

# through COMMAND...: prints the GB/s that the command lets through in the middle of the pipe.
through() {
  "${frames_program[@]}" supply "$bytes" | "$@" | "${frames_program[@]}" drain 2>&1 |
    sed -n 's/.*: \(.*\) GB\/s/\1/p'
}
best() { sort -g | tail -1; }

[[ $device == cpu ]] && pinned=() || pinned=(--pinned)
blocks='' copies='' filtered=''
for ((i = 0; i < runs; i++)); do
  blocks+=$(through "${frames_program[@]}" copy)$'\n'
  copies+=$(through "${frames_program[@]}" copy --frame $((bytes / frames)) \
    --slots "${SLOTS:-8}" "${pinned[@]}")$'\n'
  filtered+=$(through "${vidconv[@]}" - --raw "$size:yuv420p@60" -o - --format raw \
    --device "$device" --kernel "$kernel" -q)$'\n'
done
awk -v b="$(best <<<"$blocks")" -v c="$(best <<<"$copies")" -v v="$(best <<<"$filtered")" \
  -v d="$device" -v k="$kernel" 'BEGIN {
  printf "%s, %s: pipes alone by frames %.2f GB/s, by blocks %.2f; ", d, k, c, b
  printf "with vidconv %.2f GB/s (%.0f frames/s): %.1f%%, %.1f%%\n",
         v, v * 1e9 / 12441600, 100 * v / c, 100 * v / b }'
