#!/usr/bin/env bash
# Runs all tests, with warnings as errors, with another system's FFmpeg and compiler, in a tree of that system made by
# debootstrap. Needs root, debootstrap, git and the system's mirror; takes as long as tests/run.sh, and again only as
# long as changes need.
#
#   tests/package/ffmpegs.sh SUITE [CTEST-OPTION...]
#
#     bookworm   Debian 12: FFmpeg 5.1          noble   Ubuntu 24.04: FFmpeg 6.1
#     trixie     Debian 13: FFmpeg 7.1          sid     Debian's next: FFmpeg 9 by now
#
# The last line is "N passed, N failed, N skipped". The tree is build/trees/ffmpeg-SUITE, and may be removed at any
# time.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=${1:?usage: tests/package/ffmpegs.sh bookworm|noble|trixie|sid [CTEST-OPTION...]}
mirror=()
case $suite in
  bookworm | trixie | sid) ;;
  # debootstrap has this script for all of Ubuntu.
  noble) mirror=(http://archive.ubuntu.com/ubuntu gutsy) AREAS=main,universe ;;
  *) echo "tests/package/ffmpegs.sh: no such suite: $suite" >&2; exit 2 ;;
esac
# shellcheck source=tests/package/tree.sh
. tests/package/tree.sh
own_mounts "$0" "$@"

tree=$trees/ffmpeg-$suite
if [[ ! -e $tree/etc/done ]]; then
  base_tree "$suite"
  rm -rf --one-file-system "$tree"
  cp -a --reflink=auto "$trees/$suite" "$tree"
  # A mirror of a suite that changes daily may be inconsistent for a while.
  echo 'Acquire::Check-Valid-Until "false";' >"$tree/etc/apt/apt.conf.d/lagging"
fi
enter_tree
mount -t tmpfs tmpfs "$tree/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$tree/dev/pts"

# Copies the current sources; built files stay.
mkdir -p "$tree/src"
find "$tree/src" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
git ls-files -z | tar --null -T - -c | tar -x -C "$tree/src"
# shellcheck disable=SC2016  # it is for the shell in the tree
in_tree VIDCONV_TEST_THINNING="${VIDCONV_TEST_THINNING:-26}" bash -ec '
  cd /src
  # One instruction set: FFmpeg has no say in the others, which take most of the time.
  cmake/prepare.sh cpu-only all -DVIDCONV_BENCH=OFF -DVIDCONV_TEST_PROCESSES=ON -DVIDCONV_SIMD=native
  ffmpeg -version | head -1
  rm -rf build/cpu-only/processes
  ctest --test-dir build/cpu-only --parallel "$(($(nproc) + 2))" --output-on-failure --output-junit tests.xml "$@" || true
  read -r passed failed skipped < <(python3 tests/count.py build/cpu-only)
  echo "$passed passed, $failed failed, $skipped skipped"
  [[ $failed -eq 0 && $passed -gt 0 ]]' - "${@:2}"
