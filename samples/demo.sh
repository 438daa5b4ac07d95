#!/usr/bin/env bash
# Builds vidconv and shows it at work: finds the edges in CLIP, or in a generated clip without CLIP.
# Needs only Debian 12 or Ubuntu 24.04; installs missing packages (by sudo if not root).
#
# Code for many processors takes longest to compile: here it is built for this machine's CPU and GPUs alone.
#
#   samples/demo.sh [CLIP]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

for_gpus=-DVIDCONV_CUDA=OFF
gpus="for this machine's CPU, because it has no NVIDIA GPU"
if nvidia-smi -L >/dev/null 2>&1; then
  for_gpus=-DVIDCONV_CUDA=AUTO
  gpus="for this machine's CPU and, where there is a CUDA toolkit, its GPU"
fi
cat <<EOF
This installs Debian's packages that are missing, which cmake/prepare.sh names then. It builds vidconv into
build/native, $gpus. That takes some five minutes of
one core without CUDA code, so less on more of them, and up to 1 GB of memory for each compiler that runs at once.
EOF

VIDCONV_BUILD=build/native "$root/cmake/prepare.sh" release vidconv "$for_gpus" -DVIDCONV_SIMD=native
vidconv=$root/build/native/vidconv
out=$root/build/demo
mkdir -p "$out"

clip=${1:-$out/clip.mp4}
if [[ $# -eq 0 && ! -e $clip ]]; then
  echo "Making a clip: $clip"
  "$vidconv" pattern:1280x720@30#90 -o "$clip" --kernel identity --quiet
fi

edges=$out/edges.mp4 picture=$out/edges.png
"$vidconv" "$clip" -o "$edges" --kernel sobel -y
"$vidconv" "$clip" -o "$picture" --kernel sobel --frames 1 --quiet -y
cat <<EOF
The result: $edges
Its first picture: $picture

All filters in one picture:
  $vidconv $(printf %q "$clip") -o $(printf %q "$out/sheet.png") --gallery -y
For every common CPU and GPU, which takes longer to build, and needs the CUDA toolkit for the latter:
  cmake/prepare.sh release vidconv && build/release/vidconv --help
EOF
