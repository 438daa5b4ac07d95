#!/usr/bin/env bash
# Fails if shellcheck reports anything.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v shellcheck >/dev/null || { echo "SKIPPED: shellcheck is not installed"; exit 77; }
find .ci bench cmake packaging samples tests \( -name '*.sh' -o -path .ci/run \) -print0 | xargs -0 shellcheck
