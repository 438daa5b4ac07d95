#!/usr/bin/env bash
# Several GPUs of one host, in one run: what their buses carry, how much of that vidconv uses, NVDEC on
# all of them, the same digests from any of them, one that fails, memory, a trace, many short clips.
#
#   bench/scripts/several-gpus.sh OUT [PROGRAMS]
#
# OUT       a folder for the results: results.txt, bus.json, benchmark.jsonl, runs.jsonl, trace.json.gz
# PROGRAMS  what stands before the name of a program (default: build/gpu/): a folder, or "RUN " where
#           RUN starts programs by their names. vidconv and vidconv-bench; vidconv_pipeline_tests and
#           vidconv_allocation_tests where they are found.
# PARTS which parts of it to run, in this order (default: all; nvdec wants clips before it);
# SECONDS_EACH (default 1) is how long each stage is measured, CLIP_FRAMES (2400) how long the clips are; REPEATS (1): they are read so often in a row too.
set -uo pipefail

if [ $# -lt 1 ]; then
    sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
out=$1
programs=${2:-build/gpu/}
each=${SECONDS_EACH:-1}
frames=${CLIP_FRAMES:-2400}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec > >(tee "$out/results.txt") 2>&1

# Replaces the shell with the program: for a subshell, or the background, where $! is its process.
become() {
    local name=$1
    shift
    if [ "${programs% }" != "$programs" ]; then
        exec "${programs% }" "$name" "$@"
    else
        exec "$(find "${programs%/}" -name "$name" -type f -executable | head -1)" "$@"
    fi
}
program() { (become "$@"); }
vidconv() { program vidconv "$@"; }
digest() { vidconv "$@" -o md5: -q | tail -1 | awk '{print $NF}'; }
title() { printf '\n== %s (at %d s)\n' "$*" "$SECONDS"; }

# Prints the figures of a report of --stats: "1234.5 frames/s, 1.00 s, limited by decode; ...".
rate_of() {
    python3 - "$1" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
frames = ", ".join(f"{d['device']} {d['frames']}" for d in r["devices"])
print(f"{r['fps']:.1f} frames/s, {r['seconds']:.2f} s, limited by {r['limiting_stage']}; frames: {frames}")
PY
}
# run NAME ARGUMENTS: runs vidconv, prints its figures, and adds its report to runs.jsonl.
run() {
    local name=$1
    shift
    if vidconv "$@" -q --stats "$work/stats.json" -y; then
        printf '%-44s %s\n' "$name" "$(rate_of "$work/stats.json")"
        python3 -c 'import json, sys; print(json.dumps(dict(json.load(open(sys.argv[1])), name=sys.argv[2])))' \
            "$work/stats.json" "$name" >>"$out/runs.jsonl"
    else
        printf '%-44s exit code %d\n' "$name" $?
    fi
}

title "the host"
vidconv --list-devices
count=$(vidconv --list-devices | grep -c '^cuda:[0-9]')
nproc
cat /sys/devices/system/node/online
nvidia-smi topo -m 2>/dev/null || true
if [ "$count" -lt 2 ]; then
    echo "only $count CUDA device: figures of several are those of the same one twice"
    several=cuda:0,0
else
    several=cuda:all
fi
one=$((count > 1 ? 1 : 0))

clips() {
    title "clips: 3840x2160, $frames frames, a key frame every 60"
    vidconv "pattern:3840x2160#$frames" -o "$work/h264.mp4" --kernel identity --codec libx264 --preset ultrafast \
        --encoder-opt g=60 --shards 8 --device cpu -q &
    h264=$!
    vidconv "pattern:3840x2160#$frames" -o "$work/hevc.mp4" --kernel identity --codec libx265 --preset ultrafast \
        --encoder-opt g=60 --shards 8 --device cpu -q &
    wait $! $h264
    for clip in h264 hevc; do
        echo "ffconcat version 1.0" >"$work/$clip-long.ffconcat"
        for ((i = 0; i < ${REPEATS:-1}; i++)); do echo "file $clip.mp4"; done >>"$work/$clip-long.ffconcat"
    done
}

digests() {
    title "digests: one GPU, each, all, the CPU"
    for input in pattern:1280x720#101 pattern:640x360:yuv420p10le#101 pattern:640x360:gbrpf32le#21; do
        for kernel in sobel gaussian:sigma=3; do
            wanted=$(digest $input --kernel $kernel --device cpu)
            for device in cuda:0 cuda:$one cuda:0,0 cuda:$one,0,0 $several; do
                got=$(digest $input --kernel $kernel --device "$device")
                [ "$got" = "$wanted" ] && same=same || same="DIFFERENT: $got instead of $wanted"
                printf '%-34s %-18s %-10s %s\n' "$input" "$kernel" "$device" "$same"
            done
        done
    done
}

visible() {
    title "CUDA_VISIBLE_DEVICES"
    for visible in 0 $one $one,0 ""; do
        echo "CUDA_VISIBLE_DEVICES=$visible"
        CUDA_VISIBLE_DEVICES=$visible vidconv pattern:640x360#50 -o null: --kernel box --device cuda:all
        echo "exit code $?"
    done
}

lists() {
    title "lists that are refused"
    for device in cuda:0,99 cuda: cuda:0,x; do
        vidconv pattern:640x360#50 -o null: --kernel box --device $device
        echo "exit code $?"
    done
}

alone() {
    title "cuda:$one alone: the memory that it takes on each GPU"
    become vidconv pattern:3840x2160#30000 -o null: --kernel sobel --device cuda:$one -q &
    sleep 3
    nvidia-smi --query-compute-apps=gpu_bus_id,pid,used_memory --format=csv,noheader || true
    kill -TERM $!
    wait $!
    ls -l "$work"
}

copies() {
    title "plain copies"
    program vidconv-bench bus --seconds "$each" --json "$out/bus.json"
    python3 - "$out/bus.json" <<'PY'
import json, sys
for t in json.load(open(sys.argv[1]))["tables"]:
    print(" | ".join(t["columns"]))
    for row in t["rows"]:
        print(" | ".join(f"{c:.1f}" if isinstance(c, float) else str(c) for c in row))
PY
}

benchmark() {
    title "--benchmark: the share of all buses"
    for size in 1920x1080 3840x2160 7680x4320; do
        for format in yuv420p yuv420p10le; do
            for kernel in sobel gaussian:sigma=2; do
                vidconv "pattern:$size:$format" --kernel $kernel --device $several "--benchmark=$(awk "BEGIN{print $each/2}")" \
                    --stats "$work/b.json" -y -q >/dev/null || continue
                python3 - "$work/b.json" "$out/benchmark.jsonl" "$size $format $kernel" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
open(sys.argv[2], "a").write(json.dumps(dict(r, name=sys.argv[3])) + "\n")
b = r["benchmark"]
alone = ", ".join(f"{x['fps']:.0f}" for x in b["buses"])
stages = ", ".join(f"{x['name']} {x['fps']:.0f}" for x in b["alone"])
print(f"{sys.argv[3]:42} {b['overlapped_fps']:8.0f} frames/s, {100 * b['of_bus']:5.1f}% of all buses at once "
      f"({b['bus']['fps']:.0f}; each alone {alone}; stages: {stages})")
PY
            done
        done
    done
}

nvdec() {
    title "NVDEC to null:"
    for clip in hevc h264; do
        for device in cuda:0 cuda:$one $several; do
            for decoder in nvdec nvdec:10; do
                for input in "$clip.mp4" "$clip-long.ffconcat"; do
                    run "$input $device $decoder" "$work/$input" -o null: --kernel sobel --device "$device" --decoder $decoder
                done
            done
        done
        echo "two processes, one on each:"
        vidconv "$work/$clip-long.ffconcat" -o null: --kernel sobel --device cuda:0 --decoder nvdec &
        vidconv "$work/$clip-long.ffconcat" -o null: --kernel sobel --device cuda:$one --decoder nvdec
        wait $!
        for pair in "cuda:0 nvdec" "$several nvdec" "$several cpu"; do
            read -r device decoder <<<"$pair"
            printf '%-44s %s\n' "digest of $clip, $pair" "$(digest "$work/$clip.mp4" --kernel sobel --device "$device" \
                --decoder "$decoder" --frames 600)"
        done
    done
}

near() {
    title "memory near the GPU: pages of each node of a running process"
    become vidconv pattern:3840x2160#100000 -o null: --kernel sobel --device $several -q &
    pid=$!
    sleep 3
    awk '{ n = 0; for (i = 3; i <= NF; ++i) if ($i ~ /^N[0-9]+=/) { split($i, a, "="); pages[a[1]] += a[2] }
           if ($2 !~ /^default/) policies[$2]++ }
         END { for (p in pages) print p, pages[p], "pages"; for (p in policies) print p, policies[p], "areas" }' \
        "/proc/$pid/numa_maps" || true
    kill -TERM $pid
    wait $pid
    vidconv pattern:3840x2160 --kernel sobel --device $several --explain | sed -n '1,6p;/^memory/,$p'
}

trace() {
    title "a trace of all GPUs"
    vidconv pattern:3840x2160#120 -o null: --kernel sobel --device $several --trace "$work/trace.json" -y
    gzip -9c "$work/trace.json" >"$out/trace.json.gz"
    [ ! -e "$work/hevc.mp4" ] || for device in cuda:0 "$several"; do
        vidconv "$work/hevc.mp4" -o null: --kernel sobel --device "$device" --decoder nvdec --trace "$work/trace.json" -y
        gzip -9c "$work/trace.json" >"$out/trace-nvdec-${device#cuda:}.json.gz"
    done
}

short_clips() {
    title "64 clips of 120 frames of 1280x720, one process: one GPU, all (a file on each, or the frames of each on all)"
    mkdir "$work/clips"
    for i in $(seq 64); do echo "$i"; done | xargs -P 8 -I{} bash -c "$(declare -f become program vidconv); programs='$programs'; \
        vidconv 'pattern:1280x720#120' -o '$work/clips/{}.mkv' --kernel identity --codec libx264 --preset ultrafast --device cpu -q"
    filter_all() {
        local start=$EPOCHREALTIME
        vidconv "$work/clips" --recursive -o null: --kernel sobel -q "$@"
        awk -v code=$? -v a="$start" -v b="$EPOCHREALTIME" -v w="$*" \
            'BEGIN { printf "%-44s %.2f s, exit code %d\n", w, b - a, code }'
    }
    for device in cuda:0 "$several"; do
        for jobs in 1 2 4 8 16; do filter_all --device "$device" --jobs $jobs; done
    done
    filter_all --device "$several" # as many at once as there are
}

tests() {
    title "tests: a GPU that fails midway, allocations after the start"
    for tests in "vidconv_pipeline_tests --gtest_filter=SeveralDevices.*:Dealt.*:OnDevice.*:DeviceChoice.*:Numa.*:*Trace*" \
        "vidconv_allocation_tests --gtest_filter=*Allocations*"; do
        # shellcheck disable=SC2086
        timeout 120 env VIDCONV_REQUIRE_CUDA=1 bash -c "$(declare -f become program); programs='$programs'; program $tests" 2>&1 |
            grep -E '^\[ +(OK|FAILED|SKIPPED|PASSED) |Failure|error' | tail -40
    done
}

for part in ${PARTS:-clips digests visible lists alone copies benchmark nvdec near trace short_clips tests}; do $part; done
title "done"
