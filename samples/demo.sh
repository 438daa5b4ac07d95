#!/usr/bin/env bash
# Builds vidconv and shows it at work: finds the edges in CLIP, or in a made one without CLIP.
# Needs nothing but Debian 12 or Ubuntu 24.04; installs what is missing (asks sudo where not root).
#
# CUDA code takes longest to compile: it is made for the GPUs of this machine, and not at all where there is none.
#
#   samples/demo.sh [CLIP]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

for_gpus=-DVIDCONV_CUDA=OFF
gpus="for the CPU alone, because this machine has no NVIDIA GPU"
if nvidia-smi -L >/dev/null 2>&1; then
  for_gpus=-DVIDCONV_CUDA=AUTO
  gpus="for the CPU and this machine's GPU, where there is a CUDA toolkit"
fi
cat <<EOF
This installs Debian's packages that are missing, which cmake/prepare.sh names then. It builds vidconv into
build/release, $gpus. That takes some eleven minutes of one core
without CUDA code, so less on more of them, and up to 1 GB of memory for each compiler that runs at once.
EOF

"$root/cmake/prepare.sh" release vidconv "$for_gpus"
vidconv=$root/build/release/vidconv
out=$root/build/demo
mkdir -p "$out"

clip=${1:-$out/clip.mp4}
if [[ $# -eq 0 && ! -e $clip ]]; then
  echo "Making a clip: $clip"
  "$vidconv" pattern:1280x720@30#300 -o "$clip" --kernel identity --quiet
fi

edges=$out/edges.mp4 picture=$out/edges.png
"$vidconv" "$clip" -o "$edges" --kernel sobel -y
"$vidconv" "$clip" -o "$picture" --kernel sobel --frames 1 --quiet -y
cat <<EOF
The result: $edges
Its first picture: $picture

All filters in one picture:
  $vidconv $(printf %q "$clip") -o $(printf %q "$out/sheet.png") --gallery -y
With CUDA code for every common GPU, which takes longer to build:
  cmake --preset release -DVIDCONV_CUDA=ON && cmake --build --preset release
EOF
