#!/usr/bin/env bash
# Installs missing packages on a bare Debian or Ubuntu machine and builds one preset. Installed packages and built files
# are left alone, so that a second run takes seconds. The target `vidconv` (the program alone) and the preset `package`
# (no tests) need fewer packages.
#
# Several files of a target are compiled together (a unity build), which takes a fraction of the time. For work on the
# code, when one file changes at a time, the plain `cmake --preset` is quicker. VIDCONV_BUILD names another folder than
# build/PRESET.
#
#   cmake/prepare.sh PRESET [TARGET [OPTION-OF-CMAKE...]]
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?usage: cmake/prepare.sh PRESET [TARGET [OPTION-OF-CMAKE...]]}
target=${2:-all}

packages=(
  g++ cmake ninja-build pkgconf
  libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev
  libcli11-dev libfmt-dev libhwy-dev libpng-dev nlohmann-json3-dev
)
# The batch size keeps each batch below the limits of tests/compile_cost.txt.
options=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 -DVIDCONV_CUDA_QUICK=OFF)
build=${VIDCONV_BUILD:-build/$preset}
if [[ $target == vidconv ]]; then
  # An existing tree keeps its options: it may have tests.
  [[ -e $build/CMakeCache.txt ]] || options+=(-DVIDCONV_TESTS=OFF -DVIDCONV_BENCH=OFF)
elif [[ $preset == arm64 ]]; then
  packages=(g++-aarch64-linux-gnu qemu-user cmake ninja-build pkgconf ccache python3)
  options+=(-DVIDCONV_TESTS=ON -DVIDCONV_WERROR=ON)
elif [[ $preset == package ]]; then
  packages+=(dpkg-dev file patchelf)
  [[ " ${*:3} " != *" -DVIDCONV_PYTHON=ON "* ]] || packages+=(python3-dev python3-venv)
else
  packages+=(
    abigail-tools bzip2 ccache doxygen ffmpeg libffmpeg-nvenc-dev libgtest-dev libopencv-imgproc-dev openssl
    python3 python3-dev python3-venv python3-jsonschema python3-yaml valgrind slurmctld slurmd slurm-client munge parallel
    groff-base zsh fish clang-format-14 clang-tidy-14 shellcheck
  )
  options+=(-DVIDCONV_TESTS=ON -DVIDCONV_WERROR=ON)
  [[ $preset != release ]] || options+=(-DVIDCONV_BENCH=ON)
fi

# libFuzzer comes with clang's run-time libraries.
if [[ $preset == fuzz ]]; then packages+=(clang libclang-rt-dev); fi

install_missing_packages() {
  if ! command -v apt-get >/dev/null; then
    echo "This machine has no apt; going on as if these were installed: ${packages[*]}" >&2
    return
  fi
  local installed missing=() package
  # dpkg-query fails if it does not know one of the packages, but still lists the others.
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null) || true
  for package in "${packages[@]}"; do
    grep -qxF "$package installed" <<<"$installed" || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0

  local as_root=()
  if [[ $EUID -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      echo "Packages are missing and neither root nor sudo is at hand. As root, run:" >&2
      echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  # Debian 13 has other versions, which would format code differently: the tests `style` are skipped there.
  for package in clang-{format,tidy}-14; do
    apt-cache show "$package" >/dev/null 2>&1 || mapfile -t missing < <(printf '%s\n' "${missing[@]}" | grep -vxF "$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  echo "Installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qy --no-install-recommends "${missing[@]}"
}

install_missing_packages
[[ $preset != arm64 ]] || cmake/arm64-sysroot.sh build/arm64-sysroot

# The Python package and its tests need packages from PyPI. Without PyPI they are left out and counted as skipped.
if [[ $preset == release && $target == all ]]; then
  if build/venv/bin/python -c 'import nanobind, numpy, pytest' 2>/dev/null ||
    { python3 -m venv build/venv && build/venv/bin/pip install -q --no-compile nanobind numpy pytest; }; then
    options+=(-DVIDCONV_PYTHON=ON "-DPython_EXECUTABLE=$PWD/build/venv/bin/python")
    build/venv/bin/python -c 'import cv2, mypy, sphinx' 2>/dev/null ||
      build/venv/bin/pip install -q --no-compile opencv-python-headless mypy sphinx ||
      echo "OpenCV, mypy and Sphinx cannot be had from PyPI: what compares with the first, the types, and the page that the last makes, are left out" >&2
  else
    echo "nanobind, numpy and pytest cannot be had from PyPI: the Python package is left out" >&2
  fi
elif [[ $preset == package && " ${*:3} " == *" -DVIDCONV_PYTHON=ON "* ]]; then
  # Uses the system's Python, whatever a version manager has put on PATH.
  venv=build/package-venv
  "$venv/bin/python" -c 'import nanobind' 2>/dev/null ||
    { /usr/bin/python3 -m venv "$venv" && "$venv/bin/pip" install -q nanobind; }
  options+=("-DPython_EXECUTABLE=$PWD/$venv/bin/python")
fi

# VapourSynth's wheels need Python 3.12 or later, which Debian 12 lacks but a version manager may have.
newer_python() {
  local python
  for python in python3 python3.{14,13,12} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}
if [[ $preset == release && $target == all ]]; then
  vapoursynth=build/venv-vapoursynth
  if "$vapoursynth/bin/python" -c 'import vapoursynth' 2>/dev/null ||
    { python=$(newer_python) && "$python" -m venv --without-pip "$vapoursynth" &&
      build/venv/bin/pip --python "$vapoursynth/bin/python" install -q --no-compile vapoursynth; }; then
    options+=(-DVIDCONV_VAPOURSYNTH=ON "-DVapourSynth_PYTHON=$PWD/$vapoursynth/bin/python")
  else
    echo "VapourSynth cannot be had, which needs Python 3.12 and PyPI: its plugin is left out" >&2
  fi
fi

# Builds the module for the host with the GPU: one for Python 3.12 serves all later versions.
if [[ $preset == gpu && $target == all ]]; then
  venv=build/venv-gpu
  if "$venv/bin/python" -c 'import nanobind' 2>/dev/null ||
    { python=$(newer_python || command -v python3) && "$python" -m venv "$venv" && "$venv/bin/pip" install -q nanobind; }; then
    options+=(-DVIDCONV_PYTHON=ON "-DPython_EXECUTABLE=$PWD/$venv/bin/python")
  else
    echo "nanobind cannot be had from PyPI: the Python package is left out" >&2
  fi
fi

# With the user's ccache, files that were compiled once are not compiled again in any folder.
if [[ $preset != package && -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]]; then
  launcher=
  if command -v ccache >/dev/null; then
    launcher=ccache
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
  fi
  # The cost of each file is added to VIDCONV_COMPILE_LOG (cmake/compile_cost.py).
  [[ -z ${VIDCONV_COMPILE_LOG:-} ]] ||
    launcher="$PWD/cmake/compile_cost.py;$VIDCONV_COMPILE_LOG${launcher:+;$launcher}"
  [[ -z $launcher ]] || export CMAKE_{C,CXX,CUDA}_COMPILER_LAUNCHER="$launcher"
fi

# CUDA code is built for this machine's GPU alone, or for one common architecture if there is none: each further one
# costs minutes. Packages, and a plain `cmake --preset release`, are for all architectures.
if [[ $preset == package ]]; then
  :
elif nvidia-smi -L >/dev/null 2>&1; then
  export CUDAARCHS=${CUDAARCHS:-native}
else
  export CUDAARCHS=${CUDAARCHS:-90}
fi

# A compiler process takes up to 1 GB: no more run at once than fit into memory.
free=$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) }' /proc/meminfo)
most=$(($(nproc) + 1))
[[ ${free:-$most} -ge $most ]] || most=$((free > 0 ? free : 1))
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$most}

cmake --preset "$preset" -B "$build" "${options[@]}" "${@:3}"
cmake --build "$build" --target "$target"
