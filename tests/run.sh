#!/usr/bin/env bash
# Builds everything, CUDA code only where there is a GPU, and runs one test in four, another one each day. With --all, as CI
# runs it, all code and all tests; then, with clang's ASan and UBSan, the fast ones of kernels and pipeline once more, and
# the fuzz targets for some seconds each.
# With --sanitizers all tests also run under GCC's ASan+UBSan and under TSan, and the fuzz targets for a minute each.
# Needs only Debian 12 or Ubuntu 24.04; installs missing packages (by sudo if not root).
#
# The last line is "N passed, N failed" (and ", N skipped"); a skipped test has not passed. Exits with 0 only if no test
# failed.
#
# --browser instead tests the page of --report in Debian's chromium, with the preset release, which has to be built.
#
# --packages instead makes the packages and installs them on bare systems (tests/package/bare.sh; as root, with the
# network).
#
# --arm64 instead runs the kernels' tests, thinned, for arm64, with a cross compiler and qemu-user (tests/arm64.sh).
#
# --compile-cost instead compares the cost of compiling with its limits (tests/compile_cost.sh).
#
# --gpu instead runs all tests that need a CUDA device, on this machine's (tests/gpu/check.sh, whose options may
# follow). --gpu-pack DIR builds them for a machine that has a GPU and little else: DIR/check runs them there.
#
#   tests/run.sh [--all | --sanitizers | --packages | --browser | --arm64 | --compile-cost | --gpu [OPTION...] | --gpu-pack DIR]
set -euo pipefail
cd "$(dirname "$0")/.."

presets=(release) share=()
case ${1:-} in
  "") share=(--tests-information "$(($(date +%s) / 86400 % 4 + 1)),,4") ;;  # first, last, step
  --all) presets+=(fuzz) ;;
  --sanitizers) presets+=(fuzz asan tsan) ;;
  --packages) exec tests/package/bare.sh ;;
  --arm64) exec tests/arm64.sh ;;
  --compile-cost) exec tests/compile_cost.sh ;;
  --gpu)
    nvidia-smi -L >/dev/null || { echo "tests/run.sh --gpu: there is no NVIDIA driver, or no GPU" >&2; exit 1; }
    cmake/prepare.sh gpu all
    tests/gpu/pack.sh build/gpu build/gpu/pack/check
    exec build/gpu/pack/check/check "${@:2}"
    ;;
  --gpu-pack)
    dir=${2:?usage: tests/run.sh --gpu-pack DIR}
    cmake/prepare.sh gpu all
    exec tests/gpu/pack.sh build/gpu "$dir"
    ;;
  --browser) exec python3 tests/cli/support/browser.py "${VIDCONV:-build/release/vidconv}" build/browser ;;
  *)
    sed -n 's/^#   \(tests\/run.sh\)/usage: \1/p' "$0" >&2
    exit 2
    ;;
esac

passed=0 failed=0 skipped=0 failures=
# Many tests wait for processes and signals: two jobs more than cores keep the cores busy.
jobs=$(($(nproc) + 2))

# Each combination of filter, border and samples is tested with one size in 26 here, another one each time, and with one
# in three when there is time (--sanitizers, and plain ctest). A few other tests take a share then, another one each day.
[[ ${1:-} == --sanitizers ]] || export VIDCONV_TEST_THINNING=${VIDCONV_TEST_THINNING:-26}

# CUDA code that no GPU will run has to compile but need not be fast. With sanitizers, which are slow anyway, each test
# has a process of its own: the report of a crashed process names the test.
options=()
if [[ ${1:-} == --sanitizers ]]; then options+=(-DVIDCONV_FUZZ_SECONDS=60); else options+=(-DVIDCONV_TEST_PROCESSES=ON); fi
if ! nvidia-smi -L >/dev/null 2>&1; then
  options+=(-DVIDCONV_CUDA_QUICK=ON)
  [[ ${#share[@]} -eq 0 ]] || options+=(-DVIDCONV_CUDA=OFF)
fi

# Each file that --all has to compile is held to its limits, which are for Debian 12's compiler. Here compilers share the
# cores with one another, so they may take twice the time. --compile-cost measures alone, and all files together.
check_cost() {
  local log=$1 seconds megabytes
  [[ -s $log && $(g++ -dumpversion) == 12 ]] || return 0
  read -r _ seconds megabytes < <(grep '^file ' tests/compile_cost.txt)
  if cmake/compile_cost.py --check "$log" "$((2 * seconds))" "$megabytes" inf; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)) failures+="compile_cost"$'\n'
  fi
}

for preset in "${presets[@]}"; do
  cost=
  [[ ${1:-} != --all || $preset != release ]] || cost=$PWD/build/$preset/compile_cost.log
  rm -f "$cost"
  VIDCONV_COMPILE_LOG=$cost cmake/prepare.sh "$preset" all "${options[@]}"
  check_cost "$cost"
  report=$PWD/build/$preset/tests.xml
  rm -f "$report"
  # With a GPU and code for it, tests of that code may not be skipped.
  require_cuda=0
  if nvidia-smi -L >/dev/null 2>&1 &&
    grep -q '^CMAKE_CUDA_COMPILER:.*/nvcc$' "build/$preset/CMakeCache.txt"; then
    require_cuda=1
  fi
  rm -rf "build/$preset/processes"
  VIDCONV_REQUIRE_CUDA=$require_cuda \
    ctest --preset "$preset" "${share[@]}" --parallel "$jobs" --output-junit "$report" || true
  [[ -s $report ]] || { echo "ctest left no report: $report" >&2; exit 1; }
  read -r run lost not_run < <(python3 tests/count.py "build/$preset" 2>"build/$preset/failed.txt")
  failures+=$(sed "s/^/$preset: /" "build/$preset/failed.txt")
  [[ $((run + lost + not_run)) -gt 0 ]] || { echo "preset $preset has no tests" >&2; exit 1; }
  passed=$((passed + run))
  failed=$((failed + lost))
  skipped=$((skipped + not_run))
done

[[ ${#share[@]} -eq 0 ]] || echo "One test in four, others tomorrow: tests/run.sh --all runs all of them."
[[ -z $failures ]] || printf '%s\n' "$failures"
line="$passed passed, $failed failed"
[[ $skipped -eq 0 ]] || line+=", $skipped skipped"
echo "$line"
[[ $failed -eq 0 && $passed -gt 0 ]]
