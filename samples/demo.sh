#!/usr/bin/env bash
# Builds vidconv and shows it at work: finds the edges in CLIP, or in a made one without CLIP.
# Needs nothing but Debian 12 or Ubuntu 24.04; installs what is missing (asks sudo where not root).
#
#   samples/demo.sh [CLIP]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

"$root/cmake/prepare.sh" release vidconv
vidconv=$root/build/release/vidconv
out=$root/build/demo
mkdir -p "$out"

clip=${1:-$out/clip.mp4}
if [[ $# -eq 0 && ! -e $clip ]]; then
  echo "Making a clip: $clip"
  "$vidconv" pattern:1280x720@30#300 -o "$clip" --kernel identity --quiet
fi

edges=$out/edges.mp4
"$vidconv" "$clip" -o "$edges" --kernel sobel -y
echo "The result: $edges"
