#!/usr/bin/env bash
# Runs build.sh as OSS-Fuzz does, with this machine's clang and without its container, and each target for a while, from
# its seeds and with its options, as they stand in OUT:
#
#   tests/fuzz/oss-fuzz/try.sh FOLDER [SECONDS]     # FOLDER/work and FOLDER/out are made
set -euo pipefail
folder=$(realpath -m "${1:?usage: tests/fuzz/oss-fuzz/try.sh FOLDER [SECONDS]}")
seconds=${2:-10}
cd "$(dirname "$0")/../../.."
export CC=clang CXX=clang++ WORK=$folder/work OUT=$folder/out LIB_FUZZING_ENGINE=-fsanitize=fuzzer
export CFLAGS="-O1 -fno-omit-frame-pointer -gline-tables-only -fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link"
export CXXFLAGS=$CFLAGS
mkdir -p "$WORK" "$OUT"
bash -eu tests/fuzz/oss-fuzz/build.sh
for program in "$OUT"/vidconv_fuzz_*; do
  [[ -x $program && ! -d $program && $program != *.* ]] || continue
  corpus=$folder/corpus/$(basename "$program")
  mkdir -p "$corpus"
  unzip -qn "${program}_seed_corpus.zip" -d "$corpus"
  mapfile -t options < <(sed -n "s/^\(max_len\|timeout\) = \(.*\)/-\1=\2/p; s|^dict = |-dict=$OUT/|p" "$program.options")
  echo "== $(basename "$program") ${options[*]}"
  LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0 "$program" "${options[@]}" \
    -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="$folder/" "$corpus" 2>&1 |
    grep -E 'stat::number_of_executed_units|ERROR|SUMMARY|differs|^cov|BINGO' || exit 1
done
