#!/usr/bin/env bash
# Tests the packages on bare systems: makes them, installs each in an otherwise bare tree of Debian 12, runs the
# installed programs, and compares with this tree's build. Needs root, debootstrap, and Debian's mirror; takes minutes,
# so that tests/run.sh does it only on request (--packages).
#
# For another system set SUITE, MIRROR (and, behind its address, debootstrap's script if it has none for SUITE) and
# AREAS (its --components), as debootstrap takes them. Debian's packages are then made in a tree of that system, and so
# is the wheel unless PYTHON names this system's Python. NEWER is a suite of the same mirror with a newer glibc, on
# which the tarball has to run too.
#
#   tests/package/bare.sh [CHECK...]      debian, tarball, reproducible, dockerfile, python: all unless named; and lgpl
#                                         and arm64, which build FFmpeg first, and take ten minutes more. arm64 is by
#                                         the cross compiler and qemu-user, with a PYTHON of 3.12 or later
#
# The last line is "N passed, N failed". Trees are in build/trees, and may be removed at any time.
set -euo pipefail
cd "$(dirname "$0")/../.."
. packaging/epoch.sh
suite=${SUITE:-bookworm}
read -ra mirror <<<"${MIRROR:-}"  # debootstrap knows Debian's
newer=${NEWER-$([[ $suite != bookworm ]] || echo trixie)}
# shellcheck source=tests/package/tree.sh
. tests/package/tree.sh
own_mounts "$0" "$@"

# made_for_suite SCRIPT runs packaging/SCRIPT here or, for another system's suite, in a bare tree of that; the output is
# below build/package either way.
made_for_suite() {
  if grep -qxF "VERSION_CODENAME=$suite" /etc/os-release; then
    "packaging/$1"
    return
  fi
  local wanted=$tree
  fresh_tree "$(basename "$tree")-made"
  # The build needs PyPI, perhaps through a proxy with a certificate of its own.
  cp -L /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/"
  mkdir "$tree/src"
  git ls-files -z | tar --null -T - -c | tar -x -C "$tree/src"
  # `help` builds nothing: the script only installs what a build needs.
  in_tree SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" PIP_CERT=/etc/ssl/certs/ca-certificates.crt sh -ec "
    cd /src; apt-get install -qy --no-install-recommends python3-dev python3-venv; cmake/prepare.sh package help; packaging/$1" \
    >"$trees/log" 2>&1 || { tail -20 "$trees/log" >&2; return 1; }
  rm -rf build/package/{packages,wheels}
  local folder
  for folder in "$tree"/src/build/package/{packages,wheels}; do
    [[ ! -e $folder ]] || cp -r "$folder" build/package/
  done
  leave_tree
  tree=$wanted
}

smoke=(pattern:64x48#5 -o md5: --kernel sobel --quiet)
# digests COMMAND... checks that COMMAND prints the same digests as this tree's build.
same_digests() {
  local ours theirs
  ours=$(build/package/vidconv "${smoke[@]}")
  theirs=$("$@" "${smoke[@]}")
  [[ $ours == "$theirs" && $(wc -l <<<"$ours") -ge 6 ]] || { diff <(echo "$ours") <(echo "$theirs"); return 1; }
}

check_debian() {
  made_for_suite debian.sh
  fresh_tree debian
  cp build/package/packages/*.deb "$tree/tmp/"
  local command=("$tree"/tmp/vidconv_*.deb) libraries=("$tree"/tmp/libvidconv*.deb) python=("$tree"/tmp/python3-*.deb)
  install_in_tree man-db "${command[@]#"$tree"}"
  same_digests in_tree vidconv
  in_tree vidconv pattern:64x48#5 -o /tmp/a.mp4 --kernel gaussian:sigma=2 --quiet
  in_tree vidconv /tmp/a.mp4 -o null: --kernel sobel --quiet
  in_tree man -w vidconv
  # Devices need the suggested package.
  local devices device=(testsrc=size=64x48:duration=0.2 --format-in lavfi -o null: --kernel sobel --quiet)
  devices=$(dpkg-deb -f "${command[0]}" Suggests)
  if in_tree vidconv "${device[@]}" 2>"$tree/tmp/words"; then return 1; fi
  grep -qF "${devices/libavdevice/libavdevice.so.}" "$tree/tmp/words"
  install_in_tree "$devices"
  in_tree vidconv "${device[@]}"
  # Programs built there with the library give the command's output.
  install_in_tree g++ cmake make "${libraries[@]#"$tree"}"
  cp -r samples "$tree/tmp/samples"
  in_tree cmake -S /tmp/samples -B /tmp/built >/dev/null
  in_tree cmake --build /tmp/built >/dev/null
  in_tree /tmp/built/filter_file pattern:64x48#5 /tmp/b.y4m sobel
  in_tree vidconv pattern:64x48#5 -o /tmp/c.y4m --kernel sobel --quiet
  cmp "$tree/tmp/b.y4m" "$tree/tmp/c.y4m"
  # Python's package gives it too.
  install_in_tree "${python[@]#"$tree"}"
  in_tree python3 -c 'import vidconv; print(vidconv.run("pattern:64x48#5", "/tmp/d.y4m", kernel="sobel").written)'
  cmp "$tree/tmp/c.y4m" "$tree/tmp/d.y4m"
  # Nothing is left after removal.
  in_tree apt-get purge -qy vidconv 'libvidconv*' python3-vidconv >/dev/null
  [[ -z $(find "$tree/usr" -name '*vidconv*') ]]
}

check_tarball() {
  packaging/tarball.sh
  local system
  for system in "$suite" ${newer:+"$newer"}; do
    fresh_tree tarball "$system"
    try_tarball
  done
}
try_tarball() {
  mkdir -p "$tree/opt/some where"
  tar -xJf build/package/vidconv-*.tar.xz -C "$tree/opt/some where" --strip-components=1
  same_digests in_tree "/opt/some where/bin/vidconv"
  in_tree "/opt/some where/bin/vidconv" pattern:64x48#5 -o /tmp/a.mkv --codec libx265 --kernel sobel --quiet
  # All libraries but glibc's are loaded from the folder.
  local strangers
  strangers=$(in_tree ldd "/opt/some where/bin/vidconv" | awk '$2 == "=>" && $0 !~ /some where/ { print $1 }')
  [[ -n $strangers ]]
  ! grep -vE '^(libc|libm|libmvec|libdl|librt|libpthread|libresolv)\.so' <<<"$strangers"
}

# shellcheck source=tests/package/dockerfile.sh
. tests/package/dockerfile.sh

# Built in another folder, with other files around, the packages are the same to the byte.
check_reproducible() {
  packaging/debian.sh
  packaging/tarball.sh
  rm -rf "$tree"
  mkdir -p "$tree/another folder"
  git ls-files -z | tar --null -T - -c | tar -x -C "$tree/another folder"
  local script
  for script in debian tarball; do
    (umask 077 && cd "$tree/another folder" && "packaging/$script.sh")
  done
  local file compared=0
  for file in build/package/packages/*.deb build/package/*.tar.xz; do
    cmp "$file" "$tree/another folder/$file"
    compared=$((compared + 1))
  done
  [[ $compared -eq 5 ]]
}

# Tests the wheel with the tree's Python, which may differ from the one that built it.
numpy_for_tree() {
  "${PYTHON:-python3}" -m pip download -q --only-binary=:all: --no-deps -d build/package/wheels \
    --python-version "$(in_tree python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')" numpy
}

check_python() {
  if [[ -n ${PYTHON:-} ]]; then packaging/wheel.sh; else made_for_suite wheel.sh; fi
  fresh_tree python
  install_in_tree python3 python3-venv
  numpy_for_tree
  cp build/package/wheels/*.whl "$tree/tmp/"
  in_tree python3 -m venv /opt/venv
  in_tree /opt/venv/bin/pip install -q --no-index --find-links /tmp vidconv
  [[ -z $(find "$tree/usr/lib" -name 'libavcodec*') ]]
  try_wheel
}
try_wheel() {
  cp tests/package/wheel_smoke.py "$tree/tmp/"
  in_tree /opt/venv/bin/python /tmp/wheel_smoke.py /tmp/a.y4m
  build/package/vidconv pattern:64x48#5 -o build/package/a.y4m -y --kernel sobel --quiet
  cmp build/package/a.y4m "$tree/tmp/a.y4m"
}

# Makes a wheel without code under the GPL, as PyPI gets it. It replaces the other one, and is the only output that stays.
# Its tag promises a glibc that is older than Debian 12's; a system that has it is the workflow's to try (publish.yml).
check_lgpl() {
  packaging/wheel.sh --lgpl
  fresh_tree lgpl
  install_in_tree python3 python3-venv
  numpy_for_tree
  cp build/package/wheels/*.whl "$tree/tmp/"
  in_tree python3 -m venv /opt/venv
  in_tree /opt/venv/bin/pip install -q --no-index --find-links /tmp vidconv
  has_no_gpl "$tree"/opt/venv/lib/python3*/site-packages x86_64
  try_wheel
}
# has_no_gpl FOLDER PROCESSOR looks through an installed wheel.
has_no_gpl() {
  [[ -e $(echo build/package/wheels/vidconv-*-manylinux_2_34_"$2".whl) ]]
  [[ -e $(echo "$1"/vidconv.libs/libavcodec*) ]]
  [[ -z $(find "$1/vidconv.libs" -name 'libx26[45]*' -o -name 'libpostproc*' -o -name 'libxvidcore*') ]]
  [[ $(awk -F '\t' '$4 == "ffmpeg" { print $2 }' "$1/vidconv.libs/LIBRARIES" | sort -u) == ffmpeg-lgpl ]]
  # Each library has its licence, and the metadata name each file of them.
  local package
  awk -F '\t' 'NR > 1 { print $2 }' "$1/vidconv.libs/LIBRARIES" | while read -r package; do
    [[ -e $(echo "$1"/vidconv-*.dist-info/licenses/"$package") ]]
    grep -qx "License-File: $package" "$1"/vidconv-*.dist-info/METADATA
  done
}

# Makes and tries that for arm64, on Debian 13, whose Python is new enough for the wheel. Its tree is only unpacked: nothing of the
# package management could run in it.
check_arm64() {
  packaging/wheel.sh --lgpl --arm64
  rm -rf "$tree"
  debootstrap --foreign --arch=arm64 --variant=minbase --include=python3,python3-pip trixie "$tree" "${mirror[@]}" >"$trees/log"
  local archive python=(qemu-aarch64 -L "$tree" "$tree/usr/bin/python3")
  for archive in "$tree"/var/cache/apt/archives/*.deb; do dpkg-deb --extract "$archive" "$tree"; done
  "${PYTHON:-python3}" -m pip download -q --only-binary=:all: --no-deps -d build/package/wheels --python-version 3.13 \
    --platform manylinux_2_27_aarch64 --platform manylinux_2_28_aarch64 numpy
  "${python[@]}" -m pip install -q --no-index --find-links build/package/wheels --target "$tree/opt/wheel" vidconv
  has_no_gpl "$tree/opt/wheel" aarch64
  PYTHONPATH=$tree/opt/wheel "${python[@]}" tests/package/wheel_smoke.py "$tree/tmp/a.y4m"
  build/package/vidconv pattern:64x48#5 -o build/package/a.y4m -y --kernel sobel --quiet
  cmp build/package/a.y4m "$tree/tmp/a.y4m"
}

# Runs one check in a process of its own: `set -e` has no effect below a condition.
if [[ ${1:-} == --only ]]; then
  tree=$trees/$2
  trap leave_trees EXIT
  "check_$2"
  exit
fi

checks=(debian tarball reproducible dockerfile python)
[[ $# -eq 0 ]] || checks=("$@")
cmake/prepare.sh package vidconv  # everything is compared with this build
passed=0 failed=0
for check in "${checks[@]}"; do
  if "$0" --only "$check"; then
    echo "package.bare.$check passed"
    passed=$((passed + 1))
  else
    echo "package.bare.$check FAILED"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
