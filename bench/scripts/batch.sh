#!/usr/bin/env bash
# Many small files: one process for all of them beside a process each, one after the other and several
# at once, with the same bytes.
#
#   bench/scripts/batch.sh OUT [PROGRAM] [DEVICE]
#
# OUT      a folder for the results: results.txt
# PROGRAM  what runs vidconv, split at blanks (default: build/gpu/vidconv)
# DEVICE   of --device (default: auto)
# FILES (default 100), FRAMES (25) and SIZE (640x360) say what there is to do, JOBS ("1 4 8") how many at
# once, RUNS (3) how often; the fastest counts.
set -euo pipefail

if [ $# -lt 1 ]; then
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
out=$1
read -ra program <<<"${2:-build/gpu/vidconv}"
device=${3:-auto}
files=${FILES:-100}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec > >(tee "$out/results.txt") 2>&1
filter=(--kernel sobel --codec libx264 --preset ultrafast --device "$device" -q)

# fastest NAME COMMAND...: prints the least time of a command that writes into the folder
# $work/NAME, which is new each time.
fastest() {
    local name=$1 best="" start seconds
    shift
    for _ in $(seq "${RUNS:-3}"); do
        rm -rf "${work:?}/$name"
        mkdir "$work/$name"
        start=$EPOCHREALTIME
        "$@"
        seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
        best=$(awk -v a="$seconds" -v b="${best:-$seconds}" 'BEGIN { print a < b ? a : b }')
    done
    awk -v n="$name" -v s="$best" -v f="$files" \
        'BEGIN { printf "%-20s %7.2f s, %6.1f ms a file\n", n, s, 1000 * s / f }'
}
# shellcheck disable=SC2016 # it is the other shell that expands them
processes() {
    find "$work/in" -name '*.mp4' -print0 | xargs -0 -P "$1" -I{} sh -c \
        'in=$1 out=$2; shift 2; exec "$@" "$in" -o "$out/$(basename "$in")"' \
        sh {} "$work/processes-$1" "${program[@]}" "${filter[@]}"
}
one_process() {
    "${program[@]}" "$work/in" --recursive -o "$work/one-process-$1/{name}" --jobs "$1" "${filter[@]}"
}
skipped() {
    "${program[@]}" "$work/in" --recursive -o "$work/one-process-1/{name}" --skip-done "${filter[@]}"
}

"${program[@]}" --version
"${program[@]}" --list-devices
echo "$(nproc) CPUs; $files files of ${FRAMES:-25} frames of ${SIZE:-640x360}, device $device, the fastest of ${RUNS:-3}"
mkdir "$work/in"
"${program[@]}" "pattern:${SIZE:-640x360}#${FRAMES:-25}" -o "$work/in/1.mp4" --kernel identity --device cpu -q
for i in $(seq 2 "$files"); do cp "$work/in/1.mp4" "$work/in/$i.mp4"; done
for jobs in ${JOBS:-1 4 8}; do
    fastest "processes-$jobs" processes "$jobs"
    fastest "one-process-$jobs" one_process "$jobs"
    diff -rq "$work/processes-$jobs" "$work/one-process-$jobs" && echo "the same bytes"
done
fastest all-done skipped
