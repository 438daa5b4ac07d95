#!/usr/bin/env bash
# Builds the Debian packages of this tree for this system into build/package/packages, and checks them with lintian if
# it is installed. The bytes do not depend on the folder, only on the system's packages: every time in them is
# SOURCE_DATE_EPOCH, by default the commit's.
#
# With CUDA, on a machine that has the toolkit: packaging/debian.sh -DVIDCONV_CUDA=ON
# With another maintainer: packaging/debian.sh -DCPACK_PACKAGE_CONTACT='NAME <ADDRESS>'
#
# The Python package is for the system's Python; nanobind, which builds it, comes from PyPI. --no-python leaves it out.
#
#   packaging/debian.sh [--no-python] [OPTION-OF-CMAKE...]
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/epoch.sh
umask 022  # cpack writes the modes of its own files into the packages

python=-DVIDCONV_PYTHON=ON
if [[ ${1:-} == --no-python ]]; then
  python=-DVIDCONV_PYTHON=OFF
  shift
fi
cmake/prepare.sh package all "$python" "$@"
rm -rf build/package/packages
(cd build/package && cpack -G DEB)
rm -rf build/package/packages/_CPack_Packages
if command -v lintian >/dev/null; then
  # lintian may run as root, as in containers; warnings are for people to read.
  lintian --allow-root --fail-on error build/package/packages/*.deb
fi
