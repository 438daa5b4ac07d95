#!/usr/bin/env bash
# Compares the cost of compiling with its limits (compile_cost.txt): the program without CUDA; with CUDA for one
# architecture, if there is a toolkit; and the tests. Compiles as cmake/prepare.sh does, but one file at a time and
# without a cache, into build/compile_cost; takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

limit() { awk -v name="$1" -v field="$2" '$1 == name { print $field }' tests/compile_cost.txt; }

failed=0
log=$PWD/build/compile_cost/log
# Every option is the same in one tree, or files would be compiled twice.
options=(-DVIDCONV_TESTS=ON -DVIDCONV_WERROR=ON -DVIDCONV_BENCH=OFF -DVIDCONV_PYTHON=OFF -DVIDCONV_VAPOURSYNTH=OFF)
# measure NAME TARGET OPTION-OF-CMAKE...: what of TARGET is not compiled yet
measure() {
  local name=$1 target=$2 launcher="$PWD/cmake/compile_cost.py;$log"
  rm -f "$log"
  echo "== $name"
  CMAKE_CXX_COMPILER_LAUNCHER=$launcher CMAKE_CUDA_COMPILER_LAUNCHER=$launcher CMAKE_BUILD_PARALLEL_LEVEL=1 \
    VIDCONV_BUILD=build/compile_cost/tree cmake/prepare.sh release "$target" "${options[@]}" "${@:3}" \
    >"build/compile_cost/$name.txt" || { tail -n 30 "build/compile_cost/$name.txt"; exit 1; }
  cmake/compile_cost.py --check "$log" "$(limit file 2)" "$(limit file 3)" "$(limit "$name" 2)" || failed=1
}

mkdir -p build/compile_cost
rm -rf build/compile_cost/tree
measure program vidconv -DVIDCONV_CUDA=OFF
measure tests all -DVIDCONV_CUDA=OFF
if command -v "${CUDACXX:-nvcc}" >/dev/null; then
  rm -rf build/compile_cost/tree
  CUDAARCHS=90 measure program-cuda vidconv -DVIDCONV_CUDA=ON
fi
exit "$failed"
