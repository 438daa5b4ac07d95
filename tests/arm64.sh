#!/usr/bin/env bash
# The tests of the kernels for arm64, by Debian's cross compiler and in qemu-user: all with NEON, with one combination
# of filter, border and samples in ten at one size, and what has code for SVE at three lengths of its vectors. Installs
# what is missing, as cmake/prepare.sh does. Figures of time mean nothing here.
#
# The last line is "N passed, N failed". Exits with 0 only where no test failed.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake/prepare.sh arm64 vidconv_kernels_tests
reports=build/arm64/processes
rm -rf "$reports"

# run NAME CPU FILTER: leaves a report. A program that dies leaves none, which is a failure.
run() {
  VIDCONV_TEST_THINNING=4100 QEMU_CPU=$2 qemu-aarch64 -L build/arm64-sysroot \
    build/arm64/tests/kernels/vidconv_kernels_tests --gtest_brief=1 --gtest_filter="$3" \
    --gtest_output="xml:$reports/$1.xml"
}

# Doubles are computed one by one there: these would take minutes each.
slow='*Fft.*:FftPlan.CutsTaps*:Light.NothingBetween*:Light.WithinACode*:*Quality.*:Presets.EveryRowMakes*:All/Promise*:*WideMatrices*:*Strips*'
names=(neon)
bad=0
run neon max "-$slow" || bad=1
for bits in 128 256 512; do
  # Lengths below the longest one are there too.
  cpu=max,sve-max-vq=$((bits / 128))
  names+=("sve$bits")
  run "sve$bits" "$cpu" 'Score.*:*PackedRows.*' || bad=1
done

passed=0 failed=0
for name in "${names[@]}"; do
  read -r good lost _ < <(python3 tests/count.py --report "$reports/$name.xml")
  [[ $name != sve* ]] || grep -q "AreSplitAndJoined/SVE2" "$reports/$name.xml" || lost=$((lost + 1))
  passed=$((passed + good))
  failed=$((failed + lost))
done
[[ $failed -gt 0 || $bad -eq 0 ]] || failed=1
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
