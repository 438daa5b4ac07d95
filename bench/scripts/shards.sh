#!/bin/bash
# Measures what cutting into shards costs: size and quality of --shards beside those of one encoder.
#
#   bench/scripts/shards.sh VIDCONV CLIP [SHARDS [CODEC...]]
#
# Prints for each codec both sizes, and how many dB better the frames of the shards are than the
# same frames of the one encoder, both compared with the clip. Needs ffmpeg.
set -euo pipefail

vidconv=$1 clip=$2 shards=${3:-10s}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- libx264 libx265 libsvtav1 libvpx-vp9 mpeg4 ffv1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints one line a frame, in dB; 200 where it is the same picture.
quality() {
  ffmpeg -v error -i "$1" -i "$clip" -lavfi '[0:v][1:v]psnr=stats_file=-' -an -f null - |
    sed -n 's/.*psnr_avg:\([^ ]*\).*/\1/p' | sed 's/inf/200/'
}

printf '%-12s %10s %10s %8s %9s %9s %s\n' codec one parts larger 'mean dB' 'worst dB' 'frames worse by 0.5 dB'
for codec; do
  for how in one parts; do
    more=()
    [ $how = one ] || more=(--shards "$shards")
    "$vidconv" "$clip" -o "$folder/$how.mkv" -y -q --audio none --kernel identity --codec "$codec" "${more[@]}"
    quality "$folder/$how.mkv" > "$folder/$how.txt"
  done
  one=$(stat -c %s "$folder/one.mkv") parts=$(stat -c %s "$folder/parts.mkv")
  decibels=$(paste "$folder/one.txt" "$folder/parts.txt" | awk '
    NF != 2 { print "frames are missing"; exit }
    { d = $2 - $1; sum += d; worse += d < -0.5; if (NR == 1 || d < least) least = d }
    END { printf "%9.2f %9.2f %d of %d", sum / NR, least, worse, NR }')
  printf '%-12s %10s %10s %7.2f%% %s\n' "$codec" "$one" "$parts" \
    "$(awk "BEGIN { print 100 * ($parts / $one - 1) }")" "$decibels"
done
