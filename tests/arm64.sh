#!/usr/bin/env bash
# Runs the kernels' tests for arm64 with Debian's cross compiler and qemu-user: all with NEON, with one in ten
# combinations of filter, border and samples at one size, and those with code for SVE at three vector lengths. Installs
# missing packages, as cmake/prepare.sh does. Times mean nothing here.
#
# The last line is "N passed, N failed". Exits with 0 only if no test failed.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake/prepare.sh arm64 vidconv_kernels_tests
reports=build/arm64/processes
rm -rf "$reports"

# run NAME CPU FILTER leaves a report. A program that crashes leaves none, which is a failure.
run() {
  VIDCONV_TEST_THINNING=4100 QEMU_CPU=$2 qemu-aarch64 -L build/arm64-sysroot \
    build/arm64/tests/kernels/vidconv_kernels_tests --gtest_brief=1 --gtest_filter="$3" \
    --gtest_output="xml:$reports/$1.xml"
}

# qemu computes doubles one by one: these tests would take minutes each.
slow='*Fft.*:FftPlan.CutsTaps*:Light.NothingBetween*:Light.WithinACode*:*Quality.*:Presets.EveryRowMakes*:All/Promise*:*WideMatrices*:*Strips*'
names=(neon)
bad=0
run neon max "-$slow" || bad=1
for bits in 128 256 512; do
  # A CPU also has the lengths below its longest one.
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
