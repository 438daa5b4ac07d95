#!/usr/bin/env bash
# Fails if clang-format 14 would change something; other versions disagree with it. With --fix it makes the changes.
set -euo pipefail
cd "$(dirname "$0")/../.."
clang_format=$(command -v clang-format-14 || command -v clang-format) ||
  { echo "SKIPPED: clang-format-14 is not installed"; exit 77; }
"$clang_format" --version | grep -q 'version 14\.' ||
  { echo "SKIPPED: this is not clang-format 14: $("$clang_format" --version)"; exit 77; }
how=(--dry-run -Werror)
[[ ${1:-} != --fix ]] || how=(-i)
find api bench kernels pipeline samples src tests \
  \( -name '*.h' -o -name '*.c' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 -n 16 -P "$(nproc)" "$clang_format" "${how[@]}"
