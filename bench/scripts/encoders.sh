#!/usr/bin/env bash
# Encoders side by side: vidconv --shards beside as many bare encoders, which are given the same
# pictures, each in memory of its own, and do nothing else, in turn.
#
#   bench/scripts/encoders.sh VIDCONV FRAMES_PROGRAM FOLDER [PRESET...]
#
# CPU seconds are of the encoding alone of the bare ones, of the whole command of vidconv.
# FOLDER holds the input, bare frames (of 3840x2160 12.4 MB each), and the outputs: give it memory, and as much
# to the bare encoders.
# CODEC (libx264), SIZE (3840x2160), FRAMES (2400), JOBS (half of the CPUs), SHARDS (5 a job; N or N:JOBS, several)
# and DEVICE (auto) in the environment; RUNS (2) of each. CODED (none): the codec of the input, which is then a
# Matroska file with a key frame every 60 frames, as DECODERS (cpu; nvdec, several) read it for vidconv; KERNEL (identity).
# Last, the digests of the pictures that come out of a lossless output (of x264) in one part and in many.
set -euo pipefail

if [ $# -lt 3 ]; then
  sed -n '2,14s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
read -ra vidconv <<<"$1"
read -ra program <<<"$2"
folder=$3
shift 3
[ $# -gt 0 ] || set -- ultrafast medium
codec=${CODEC:-libx264} size=${SIZE:-3840x2160} frames=${FRAMES:-2400}
jobs=${JOBS:-$(($(nproc) / 2))}
shards=${SHARDS:-$((5 * jobs))}
coded=${CODED:-} kernel=${KERNEL:-identity}
input=$folder/roll-$size.${coded:+mkv}
[ -n "$coded" ] || input+=y4m
read -ra decoders <<<"${DECODERS:-cpu}"
trap 'rm -f "$input" "$folder"/encoders-*' EXIT

if [ -n "$coded" ]; then
  "${vidconv[@]}" "pattern:$size#$frames" -o "$input" -y -q --kernel identity --device cpu --codec "$coded" --preset ultrafast \
    --encoder-opt g=60 --shards auto
else
  "${program[@]}" encode "pattern:$size" "$input" --codec '' --preset '' --frames "$frames"
fi
for preset; do
  for ((run = 0; run < ${RUNS:-2}; run++)); do
    printf '%s, %s bare encoders: ' "$preset" "$jobs"
    "${program[@]}" encode "$input" "$folder/encoders-{n}.mkv" --codec "$codec" --preset "$preset" \
      --frames "$frames" --hold "$frames" --encoders "$jobs" --threads 4 2>/dev/null
    for each in $shards; do
      cut=${each%:*} at_once=$jobs
      [[ $each != *:* ]] || at_once=${each#*:}
      for decoder in "${decoders[@]}"; do
        python3 - "$folder/encoders-stats.json" "$preset" "$cut" "$at_once" "$decoder" \
          "${vidconv[@]}" "$input" -o "$folder/encoders-x.mkv" -y -q --kernel "$kernel" --device "${DEVICE:-auto}" \
          --decoder "$decoder" --codec "$codec" --preset "$preset" --shards "$cut" --jobs "$at_once" \
          --stats "$folder/encoders-stats.json" <<'PY'
import json, resource, subprocess, sys, time
begun = time.monotonic()
subprocess.run(sys.argv[6:], check=True)
whole = time.monotonic() - begun
r, cpu = json.load(open(sys.argv[1])), resource.getrusage(resource.RUSAGE_CHILDREN)
frames = r['frames']['written']
print(f"{sys.argv[2]}, {sys.argv[3]} shards, {sys.argv[4]} jobs, decoder {sys.argv[5]}: {frames} frames in {r['seconds']:.3f} s: "
      f"{r['fps']:.1f} frames/s, CPU {cpu.ru_utime:.2f} s user, {cpu.ru_stime:.2f} s system; with its start and end "
      f"{whole:.3f} s: {frames / whole:.1f}; limited by {r['limiting_stage']}", flush=True)
PY
      done
    done
  done
done

for each in 1 $shards; do
  cut=${each%:*}
  "${vidconv[@]}" "$input" --duration "$((frames / 250)).$(printf %03d $((frames * 4 % 1000)))" -o "$folder/encoders-x.mkv" -y -q --kernel "$kernel" \
    --device "${DEVICE:-auto}" --decoder "${decoders[-1]}" --codec "$codec" --preset ultrafast --encoder-opt qp=0 --shards "$cut" --jobs "$jobs"
  printf 'lossless, %s shards: ' "$cut"
  "${vidconv[@]}" "$folder/encoders-x.mkv" -o md5: -q --kernel identity | tail -1
done
