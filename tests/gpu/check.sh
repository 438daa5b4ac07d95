#!/usr/bin/env bash
# Runs all tests that need a CUDA device, unthinned: kernels, pipeline, C library, Python, random jobs, a sample of them
# under compute-sanitizer, and traffic on the bus. A skipped test counts as failed.
#
#   tests/gpu/check.sh PROGRAMS [--only STEP,...] [--seconds N] [--seed S] [--page FILE]
#
# PROGRAMS is a folder with the programs (tests/run.sh --gpu builds them, tests/run.sh --gpu-pack DIR packs them).
# The steps are kernels pipeline outputs nvenc api python grid random sanitizer bus. --seconds is the time for random
# jobs (default 600). --page names a file for a table for docs. The last line has the counts; exits with 0 only if
# nothing failed or was skipped.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "${1:?usage: check.sh PROGRAMS [--only STEP,...] [--seconds N] [--seed S] [--page FILE]}" && pwd)
shift
only=kernels,pipeline,outputs,nvenc,api,python,grid,random,sanitizer,bus seconds=600 seed=$(date +%Y%m%d) page=
while [[ $# -gt 0 ]]; do
  case $1 in
    --only) only=$2 ;;
    --seconds) seconds=$2 ;;
    --seed) seed=$2 ;;
    --page) page=$2 ;;
    *) echo "check.sh: unknown option: $1" >&2; exit 2 ;;
  esac
  shift 2
done
logs=$(mktemp -d "${TMPDIR:-/tmp}/vidconv-gpu.XXXXXX")
cores=$(nproc)
export VIDCONV_REQUIRE_CUDA=1
passed=0 failed=0 skipped=0 rows='' shared=''

wanted() { [[ ,$only, == *,$1,* ]]; }

# Processes that take turns on a GPU wait milliseconds for each call; with NVIDIA's Multi-Process Service they share it,
# which makes sixteen of them about twenty times as fast.
share_gpu() {
  if [[ -z ${CUDA_MPS_PIPE_DIRECTORY:-} ]] && command -v nvidia-cuda-mps-control >/dev/null; then
    export CUDA_MPS_PIPE_DIRECTORY=$logs/mps CUDA_MPS_LOG_DIRECTORY=$logs/mps
    mkdir -p "$logs/mps"
    if nvidia-cuda-mps-control -d; then
      shared=1
      return
    fi
    unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
  fi
}
stop_sharing() {
  [[ -n ${shared:-} ]] || return 0
  echo quit | nvidia-cuda-mps-control >/dev/null || true
  shared=
  unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
}
trap stop_sharing EXIT

# note STEP WHAT PASSED FAILED SKIPPED SECONDS
note() {
  passed=$((passed + $3)) failed=$((failed + $4)) skipped=$((skipped + $5))
  rows+="| $1 | $2 | $3 | $4 | $5 | $6 |"$'\n'
  echo "$1: $3 passed, $4 failed, $5 skipped, $6 s ($2)"
}

# count WORDS FILE... prints how many lines of GoogleTest's output contain the words.
count() { cat "${@:2}" | grep -cE "^\[ +$1 +\] .*\([0-9]+ ms\)$" || true; }

# gtest STEP WHAT SHARDS PROGRAM ARGUMENT... runs a program in several processes; one that crashes is a failure.
gtest() {
  local step=$1 what=$2 shards=$3 begun=$SECONDS died=0 pids=() i
  shift 3
  for ((i = 0; i < shards; ++i)); do
    # The reference's own threads would crowd out the other processes.
    OMP_THREAD_LIMIT=1 GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i "$programs/$1" "${@:2}" >"$logs/$step-$i.log" 2>&1 &
    pids+=($!)
  done
  for ((i = 0; i < shards; ++i)); do
    wait "${pids[i]}" || true
    grep -q '^\[==========\] .* ran\.' "$logs/$step-$i.log" || died=$((died + 1))
  done
  grep -hE '^\[  (FAILED|SKIPPED) +\] .*\([0-9]+ ms\)$|Failure$' -A9 "$logs/$step"-*.log | head -60
  note "$step" "$what" "$(count OK "$logs/$step"-*.log)" "$(($(count FAILED "$logs/$step"-*.log) + died))" \
    "$(count SKIPPED "$logs/$step"-*.log)" "$((SECONDS - begun))"
}

# once STEP WHAT COMMAND... runs a program that is one test.
once() {
  local step=$1 what=$2 begun=$SECONDS
  shift 2
  if "$@" >"$logs/$step.log" 2>&1; then
    note "$step" "$what" 1 0 0 $((SECONDS - begun))
  elif [[ $? == 77 ]]; then
    note "$step" "$what" 0 0 1 $((SECONDS - begun))
  else
    tail -25 "$logs/$step.log"
    note "$step" "$what" 0 1 0 $((SECONDS - begun))
  fi
}

# The CPU's variants have their own tests, which need no device.
of_kernels='*Sweep*:Properties.*:Variants.*:*RandomPlans*:*Strips*:*ManyTaps*:*LongPasses*:*HardFloats*:*WideMatrices*'
of_kernels+=':*PixelsO*:SideBySide*:Published*:Examples*:*Blend*:*RegionWindows*'
# The pipeline's other tests need no device, or need FFmpeg's program, which a bare host lacks.
of_pipeline='OnDevice*:SeveralDevices*:*Nvdec*:*Repack*:Trace*:*Timed*:*FormatSweep*:*DecoderRequest*:*DeviceChoice*:*Light*:*Scan*:*RegionStep*'

# One GPU cannot test the use of two.
[[ $(nvidia-smi -L | wc -l) -gt 1 ]] || of_pipeline+='-SeveralDevices.OthersAreLeftAlone:SeveralDevices.StoppedKernelEndsTheRun'
# These tests of NVENC examine the file with ffprobe.
of_nvenc='*'
command -v ffprobe >/dev/null || of_nvenc='*-*OrderAndTimesAreKept:*ColoursAreKept'

if wanted kernels; then
  share_gpu
  VIDCONV_TEST_VARIANTS=cuda- gtest kernels "every variant, all sizes" "$([[ -n $shared ]] && echo "$cores" || echo 1)" \
    vidconv_kernels_tests --require-cuda "--gtest_filter=$of_kernels"
  stop_sharing
fi
if wanted pipeline; then
  gtest pipeline "stages, devices, NVDEC, failing calls" $((cores < 4 ? cores : 4)) vidconv_pipeline_tests \
    "--gtest_filter=$of_pipeline"
  gtest allocations "none in steady state" 1 vidconv_allocation_tests
fi
if wanted outputs; then once outputs "several of one decode, uploaded once" python3 "$here/outputs.py" "$programs/vidconv"; fi
if wanted nvenc; then gtest nvenc "frames handed to a double of NVENC" 1 vidconv_nvenc_tests "--gtest_filter=$of_nvenc"; fi
if wanted api; then once api "plans and frames on device memory, from C" "$programs/cuda_test"; fi
if wanted python; then
  begun=$SECONDS
  PYTHONPATH=$programs/python VIDCONV=$programs/vidconv python3 -m pytest -q -p no:cacheprovider \
    "$here/../python/test_tensors.py" "$here/../python/test_device_frames.py" >"$logs/python.log" 2>&1
  summary=$(tail -1 "$logs/python.log")
  said() { grep -oE "[0-9]+ $1" <<<"$summary" | cut -d' ' -f1 || true; }
  ok=$(said passed) bad=$(said failed) errors=$(said error) left=$(said skipped)
  grep -E '^(FAILED|ERROR) |^E  ' "$logs/python.log" | head -20
  [[ -n $ok ]] || { tail -5 "$logs/python.log"; bad=${bad:-1}; }
  note python "tensors of torch and cupy, frames on the device" "${ok:-0}" $((${bad:-0} + ${errors:-0})) "${left:-0}" $((SECONDS - begun))
fi
# jobs STEP WHAT OPTION... runs random_jobs.py with these options.
jobs() {
  local step=$1 what=$2 begun=$SECONDS ok bad
  shift 2
  python3 "$here/../judge/random_jobs.py" "$programs/vidconv" --require-cuda \
    --parallel $((cores < 8 ? cores : cores * 3 / 4)) "$@" 2>&1 | tee "$logs/$step.log" | grep -v '^[0-9]* passed'
  read -r ok bad < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$logs/$step.log") || true
  note "$step" "$what" "${ok:-0}" "${bad:-1}" 0 $((SECONDS - begun))
}
if wanted grid; then jobs grid "each blur in each format, some filters over time" --grid; fi
if wanted random; then jobs random "whole jobs, seed $seed" --seed "$seed" --seconds "$seconds"; fi
if wanted sanitizer; then
  for tool in memcheck racecheck; do
    VIDCONV_TEST_VARIANTS=cuda- VIDCONV_TEST_THINNING=$([[ $tool == memcheck ]] && echo 410 || echo 4100) once "$tool" "compute-sanitizer over a thinned sweep" \
      compute-sanitizer --tool $tool --error-exitcode 9 "$programs/vidconv_kernels_tests" --require-cuda \
      '--gtest_filter=All/Sweep.EveryVariantGivesTheBytesOfTheReference/*'
  done
  once memcheck-run "compute-sanitizer over a run" compute-sanitizer --tool memcheck --error-exitcode 9 \
    "$programs/vidconv" 'pattern:640x360#6' -o null: --kernel time-box:size=3 --kernel 'volume:1 2;3 4|5 6;7 8:scale=auto' --kernel gaussian:sigma=24 --kernel sobel --device cuda -q --no-sandbox
fi
if wanted bus; then
  for size in 1920x1080 3840x2160 7680x4320; do
    begun=$SECONDS
    if "$programs/vidconv" "pattern:$size" --kernel sobel --benchmark=1 --device cuda >"$logs/bus-$size.log" 2>&1; then
      line=$(grep -E '^all at once / bus' "$logs/bus-$size.log")
      note "bus $size" "${line:-see the log}" 1 0 0 $((SECONDS - begun))
    else
      tail -3 "$logs/bus-$size.log"
      note "bus $size" "sobel" 0 1 0 $((SECONDS - begun))
    fi
  done
fi

if [[ -n $page ]]; then
  {
    # shellcheck disable=SC2016  # these are Markdown's backquotes
    printf '# The tests on a GPU\n\nWritten by `tests/run.sh --gpu` on %s, on %s.\n\n' "$(date +%F)" \
      "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1 | sed 's/, / with driver /')"
    printf '| step | what | passed | failed | skipped | seconds |\n| --- | --- | --- | --- | --- | --- |\n%s' "$rows"
  } >"$page"
fi
echo "logs: $logs"
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 && $skipped -eq 0 && $passed -gt 0 ]]
