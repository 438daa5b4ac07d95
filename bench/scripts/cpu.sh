#!/usr/bin/env bash
# One core beside its peers, all in turns: vidconv-bench kernels, which loads Intel IPP, and bench/scripts/python_peers.py.
#
#   bench/scripts/cpu.sh OUT [VIDCONV_BENCH]
#
# OUT             a folder for the results: table.md, table.json, behind.txt, and what each step wrote
# VIDCONV_BENCH   default: build/release/vidconv-bench
# VIDCONV_IPP_DIR where IPP's libraries are; PYTHON (python3): one that has VapourSynth or OpenCV, empty: without these
# FRAME (4K), PAIRS (4), DEPTHS ("8 10 16 32"), KINDS (all, in steps), SIZES (all): what to measure; FRAME=HD PAIRS=1 stays in
#                 the caches
# ROUNDS (3) of all steps, SECONDS_EACH (0.05) for each filter of a program; the fastest counts
# SIMD (the best): vidconv's instruction set; what holds peers to one is theirs
# CORE (1) to stay on; LIMIT (none): seconds after which no step begins
# CHECK (1): looks first how far results are off; 0: does not
set -euo pipefail

if [ $# -lt 1 ]; then
    sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
out=$1
bench=${2:-build/release/vidconv-bench}
python=${PYTHON-python3}
frame=${FRAME:-4K} pairs=${PAIRS:-4} seconds=${SECONDS_EACH:-0.05}
read -ra depths <<<"${DEPTHS:-8 10 16 32}"
steps=("box" "gaussian" "dense" "sobel sobel-x binomial sharpen unsharp")
if [ -n "${KINDS:-}" ]; then steps=("$KINDS"); fi
read -ra sizes <<<"${SIZES:-}"
simd=(${SIMD:+"--simd=$SIMD"})
mkdir -p "$out"

# Planes of peers, which come from malloc(), get large pages too.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1

# Runs on one core, before everything that is not real-time, where that is allowed.
pin=(taskset -c "${CORE:-1}")
if chrt -f 1 true 2>/dev/null; then pin=(chrt -f 1 "${pin[@]}"); fi

# both NAME FRAME PAIRS SECONDS KINDS OPTION...: runs each program once. `copy` adds the time of
# memcpy.
both() {
    local name=$1 common=(--frame "$2" --pairs "$3" --seconds "$4") kinds=()
    read -ra kinds <<<"$5"
    shift 5
    if [ "$SECONDS" -gt "${LIMIT:-86400}" ]; then
        echo "$name: no time left" >&2
        return
    fi
    echo "$name, $SECONDS s" >&2
    common+=("${kinds[@]/#/--kind=}" "${sizes[@]/#/--size=}" "$@")
    "${pin[@]}" "$bench" kernels --device cpu --threads 1 --fastest --kind copy "${simd[@]}" "${common[@]}" --json "$out/bench-$name.json" >/dev/null
    if [ -n "$python" ]; then
        "${pin[@]}" "$python" "$here/python_peers.py" "${common[@]}" --json "$out/python-$name.json" >/dev/null
    fi
}

if [ "${CHECK:-1}" != 0 ]; then
    for depth in "${depths[@]}"; do
        both "check-$depth" chroma 1 0.001 "${steps[*]}" --check --depth "$depth"
    done
fi
for round in $(seq "${ROUNDS:-3}"); do
    for depth in "${depths[@]}"; do
        for i in "${!steps[@]}"; do
            both "$frame-$depth-$i-$round" "$frame" "$pairs" "$seconds" "${steps[i]}" --depth "$depth"
        done
    done
done

results=("$out"/bench-*.json)
if [ -n "$python" ]; then results+=("$out"/python-*.json); fi
python3 "$here/cpu_table.py" --frame "$frame" --json "$out/table.json" "${results[@]}" >"$out/table.md"
python3 "$here/cpu_table.py" --frame "$frame" --behind "${results[@]}" >"$out/behind.txt"
tail -1 "$out/table.md"
