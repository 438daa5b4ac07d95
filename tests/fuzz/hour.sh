#!/usr/bin/env bash
# Runs a fuzz target that is built for an hour, or SECONDS, on one core at the lowest priority. Goes on
# after a crash and keeps what caused it.
#
#   tests/fuzz/hour.sh TARGET [SECONDS]     # e.g. file; crash-*, oom-* and timeout-* are left in build/fuzz
set -euo pipefail
target=${1:?usage: tests/fuzz/hour.sh TARGET [SECONDS]}
cd "$(dirname "$0")/../../build/fuzz"
export LSAN_OPTIONS=suppressions=../../tests/lsan.supp:print_suppressions=0
case $target in
  file) limits=(-max_len=65536 -timeout=30) ;;
  simd) limits=(-max_len=512 -timeout=60 -dict=seeds/words.dict) ;;
  *) limits=(-max_len=4096 -timeout=120 -dict=seeds/words.dict) ;;
esac
mkdir -p "found/$target"
exec nice -n 19 "./vidconv_fuzz_$target" "${limits[@]}" -max_total_time="${2:-3600}" -fork=1 \
  -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1 -artifact_prefix=./ \
  "found/$target" "seeds/$target"
