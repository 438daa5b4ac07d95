#!/usr/bin/env bash
# Encoders side by side: vidconv --shards beside as many bare encoders, which are given the same
# pictures, each in memory of its own, and do nothing else, in turn.
#
#   bench/encoders.sh VIDCONV FRAMES_PROGRAM FOLDER [PRESET...]
#
# CPU seconds are of the encoding alone of the bare ones, of the whole command of vidconv.
# FOLDER holds the input, bare frames (of 3840x2160 12.4 MB each), and the outputs: give it memory, and as much
# to the bare encoders.
# CODEC (libx264), SIZE (3840x2160), FRAMES (2400), JOBS (half of the CPUs), SHARDS (5 a job; N or N:JOBS, several)
# and DEVICE (auto) in the environment; RUNS (2) of each. Last, the digests of the pictures that come out
# of a lossless output (of x264) in one part and in many.
set -euo pipefail

if [ $# -lt 3 ]; then
  sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
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
input=$folder/roll-$size.y4m
trap 'rm -f "$input" "$folder"/encoders-*' EXIT

"${program[@]}" encode "pattern:$size" "$input" --codec '' --preset '' --frames "$frames"
for preset; do
  for ((run = 0; run < ${RUNS:-2}; run++)); do
    printf '%s, %s bare encoders: ' "$preset" "$jobs"
    "${program[@]}" encode "$input" "$folder/encoders-{n}.mkv" --codec "$codec" --preset "$preset" \
      --frames "$frames" --hold "$frames" --encoders "$jobs" --threads 4 2>/dev/null
    for each in $shards; do
      cut=${each%:*} at_once=$jobs
      [[ $each != *:* ]] || at_once=${each#*:}
      python3 - "$folder/encoders-stats.json" "$preset" "$cut" "$at_once" \
        "${vidconv[@]}" "$input" -o "$folder/encoders-x.mkv" -y -q --kernel identity --device "${DEVICE:-auto}" \
        --codec "$codec" --preset "$preset" --shards "$cut" --jobs "$at_once" --stats "$folder/encoders-stats.json" <<'PY'
import json, resource, subprocess, sys, time
begun = time.monotonic()
subprocess.run(sys.argv[5:], check=True)
whole = time.monotonic() - begun
r, cpu = json.load(open(sys.argv[1])), resource.getrusage(resource.RUSAGE_CHILDREN)
frames = r['frames']['written']
print(f"{sys.argv[2]}, {sys.argv[3]} shards, {sys.argv[4]} jobs: {frames} frames in {r['seconds']:.3f} s: {r['fps']:.1f} frames/s, "
      f"CPU {cpu.ru_utime:.2f} s user, {cpu.ru_stime:.2f} s system; with its start and end {whole:.3f} s: {frames / whole:.1f}; "
      f"limited by {r['limiting_stage']}", flush=True)
PY
    done
  done
done

for each in 1 $shards; do
  cut=${each%:*}
  "${vidconv[@]}" "$input" --frames "$((frames / 10))" -o "$folder/encoders-x.mkv" -y -q --kernel identity \
    --device "${DEVICE:-auto}" --codec "$codec" --preset ultrafast --encoder-opt qp=0 --shards "$cut" --jobs "$jobs"
  printf 'lossless, %s shards: ' "$cut"
  "${vidconv[@]}" "$folder/encoders-x.mkv" -o md5: -q --kernel identity | tail -1
done
