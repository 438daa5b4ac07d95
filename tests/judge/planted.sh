#!/usr/bin/env bash
# Tests whether random jobs find faults: builds programs with one fault in CUDA code each (planted/*.patch). On a
# machine with a GPU, random_jobs.py has to fail for each of them within two minutes:
#
#   tests/judge/planted.sh BUILD DIR        of the preset gpu, built: DIR/vidconv-FAULT for each fault
#   tests/judge/planted.sh --judge DIR      runs random jobs with each; exits with 0 where all faults are found
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [[ ${1:-} == --judge ]]; then
  missed=0
  for program in "$2"/vidconv-*; do
    begun=$SECONDS
    if python3 "$here/random_jobs.py" "$program" --require-cuda --seconds 120 --seed planted --until-failure >/dev/null; then
      echo "$(basename "$program"): not found"
      missed=1
    else
      echo "$(basename "$program"): found after $((SECONDS - begun)) s"
    fi
  done
  exit $missed
fi
build=$(cd "${1:?usage: planted.sh BUILD DIR}" && pwd)
dir=${2:?usage: planted.sh BUILD DIR}
mkdir -p "$dir"
cd "$root"
for patch in "$here"/planted/*.patch; do
  git apply "$patch"
  # shellcheck disable=SC2064  # the trap is for the current patch
  trap "git apply -R '$patch'" EXIT
  cmake --build "$build" --target vidconv
  cp "$build/vidconv" "$dir/vidconv-$(basename "$patch" .patch)"
  git apply -R "$patch"
  trap - EXIT
done
cmake --build "$build" --target vidconv
