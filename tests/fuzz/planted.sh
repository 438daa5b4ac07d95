#!/usr/bin/env bash
# Tests whether the fuzz target `simd` finds faults of one instruction set: plants one after the other (planted/*.patch),
# of AVX2, and fuzzes from the seeds. It exits with 0 where the sound program finds nothing and each fault is found:
#
#   tests/fuzz/planted.sh BUILD [SECONDS]        # of the preset fuzz; SECONDS for each, 120 by default
set -euo pipefail
build=$(cd "${1:?usage: tests/fuzz/planted.sh BUILD [SECONDS]}" && pwd)
seconds=${2:-120}
cd "$(dirname "$0")/../.."
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT

# Succeeds if the target finds a difference.
finds() {
  cmake --build "$build" --target vidconv_fuzz_simd >"$found/log" || { cat "$found/log"; exit 2; }
  mkdir -p "$found/corpus"
  ! "$build/vidconv_fuzz_simd" -max_total_time="$seconds" -max_len=512 -timeout=60 -dict="$build/seeds/words.dict" \
    -artifact_prefix="$found/" "$found/corpus" "$build/seeds/simd" >"$found/log" 2>&1 &&
    grep "differs from the definition" "$found/log"
}

missed=0
! finds || { echo "the sound program: not sound"; missed=1; }
for patch in tests/fuzz/planted/*.patch; do
  git apply "$patch"
  # shellcheck disable=SC2064  # the trap is for the current patch
  trap "git apply -R '$patch'; rm -rf '$found'" EXIT
  begun=$SECONDS
  if finds; then
    echo "$(basename "$patch" .patch): found after $((SECONDS - begun)) s, the build among them"
  else
    echo "$(basename "$patch" .patch): not found"
    missed=1
  fi
  git apply -R "$patch"
  trap 'rm -rf "$found"' EXIT
done
cmake --build "$build" --target vidconv_fuzz_simd >"$found/log"
exit $missed
