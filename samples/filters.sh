#!/usr/bin/env bash
# Draws the picture of the README: the built-in pattern through several filters, on one sheet.
#
#   samples/filters.sh VIDCONV OUTPUT
#
# Needs ffmpeg, and a font for its labels (fonts-dejavu-core).
set -euo pipefail

if [ $# -ne 2 ]; then
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
vidconv=$1
output=$2
columns=4
filters=(
  identity box:size=9 gaussian:sigma=4 sharpen
  sobel laplacian emboss "matrix:-1 0 1:bias=0.5"
)

tiles=$(mktemp -d)
trap 'rm -rf "$tiles"' EXIT

inputs=()
layout=
for i in "${!filters[@]}"; do
  label=${filters[i]//:/\\:}
  "$vidconv" pattern:320x180#1 -q -o - --kernel "${filters[i]}" |
    ffmpeg -v error -f yuv4mpegpipe -i - -frames:v 1 \
      -vf "pad=324:204:2:22:white,drawtext=text='$label':x=4:y=4:fontsize=15:fontcolor=black" \
      -y "$tiles/$i.png"
  inputs+=(-i "$tiles/$i.png")
  layout+="|$((i % columns * 324))_$((204 * (i / columns)))"
done
ffmpeg -v error "${inputs[@]}" -filter_complex \
  "xstack=inputs=${#filters[@]}:layout=${layout#|}" -frames:v 1 -q:v 3 -y "$output"
