#!/usr/bin/env bash
# Builds this system's FFmpeg from apt's sources without any code under the GPL (no x264, no x265) into FOLDER/lib and
# FOLDER/include, with its licence and a note of its version and options; an existing build is left alone. Installs the
# packages that it needs, as root or by sudo. Takes a while. With SYSROOT, a folder that cmake/arm64-sysroot.sh makes,
# it is for arm64, by Debian's cross compiler and that folder's libraries.
#
#   packaging/ffmpeg_lgpl.sh FOLDER [SYSROOT]
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(realpath -m "${1:?usage: packaging/ffmpeg_lgpl.sh FOLDER [SYSROOT]}")
sysroot=${2:+$(realpath -m "$2")}
[[ ! -e $folder/VERSION ]] || exit 0

needed=(dpkg-dev make pkgconf)
libraries=(
  zlib1g-dev libbz2-dev liblzma-dev libgnutls28-dev libdav1d-dev libsvtav1enc-dev libvpx-dev libopenh264-dev
  libopus-dev libvorbis-dev libmp3lame-dev libwebp-dev
)
cross=()
processor=$(uname -m)
if [[ -n $sysroot ]]; then
  needed+=(gcc-aarch64-linux-gnu)
  cmake/arm64-sysroot.sh "$sysroot" "${libraries[@]}"
  processor=aarch64
  cross=(--enable-cross-compile --target-os=linux --arch=aarch64 --cross-prefix=aarch64-linux-gnu- --pkg-config=pkg-config
         "--sysroot=$sysroot")
  export PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_PATH=
  export PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig
else
  needed+=(gcc nasm "${libraries[@]}")
fi
as_root=()
[[ $EUID -eq 0 ]] || as_root=(sudo)
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${needed[@]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The packages' archives have their sources, too; apt's own lists stay unchanged.
mkdir -p "$work"/{parts,lists/partial}
for list in /etc/apt/sources.list.d/*.sources; do
  [[ ! -e $list ]] || sed -E 's/^Types:.*/Types: deb-src/' "$list" >"$work/parts/${list##*/}"
done
[[ ! -e /etc/apt/sources.list ]] || sed -n -E 's/^deb /deb-src /p' /etc/apt/sources.list >"$work/parts/system.list"
chmod -R a+rX "$work"
sources=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/parts" -o "Dir::State::lists=$work/lists"
         -o APT::Sandbox::User=root)
apt-get -q "${sources[@]}" update
(cd "$work" && apt-get -q "${sources[@]}" source --download-only ffmpeg && dpkg-source --no-check -x ffmpeg_*.dsc source)

# Only hypot() keeps Debian 12's FFmpeg from running with the glibc of RHEL 9 and Ubuntu 22.04, whose name for it is that of
# the first glibc of this processor. Both compute the same, to the last place or so.
: >"$work/source/older.h"
case $processor in x86_64) first=GLIBC_2.2.5 ;; aarch64) first=GLIBC_2.17 ;; *) first= ;; esac
if [[ -n $first ]]; then
  printf '#ifndef __ASSEMBLER__\n__asm__(".symver hypot, hypot@%s");\n#endif\n' "$first" >"$work/source/older.h"
fi

options=(
  --disable-autodetect --disable-programs --disable-doc --disable-static --enable-shared --disable-debug
  --disable-avfilter --disable-avdevice
  --enable-zlib --enable-bzlib --enable-lzma --enable-gnutls --enable-libdav1d --enable-libsvtav1 --enable-libvpx
  --enable-libopenh264 --enable-libopus --enable-libvorbis --enable-libmp3lame --enable-libwebp
)
(cd "$work/source" && ./configure --prefix="$folder" --extra-cflags="-include older.h" "${cross[@]}" "${options[@]}" &&
  make -j"$(nproc)" && make install) >"$work/log" 2>&1 || { tail -30 "$work/log" >&2; exit 1; }
if grep -E '^#define CONFIG_(GPL|NONFREE) 1' "$work/source/config.h" >&2; then exit 1; fi
cp "$work/source/COPYING.LGPLv2.1" "$folder/"
printf '%s\n%s\n' "$(sed -n 's/^Version: //p' "$work"/ffmpeg_*.dsc)" "${options[*]}" >"$folder/VERSION"
