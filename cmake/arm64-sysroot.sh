#!/usr/bin/env bash
# Unpacks Debian's arm64 packages that vidconv is built with, and others that are named, into a folder, with dpkg's list
# of what is in which (dpkg-query --admindir=FOLDER/var/lib/dpkg). This system's own packages and apt's lists of them
# stay unchanged. A second run does nothing unless it names more.
#
#   cmake/arm64-sysroot.sh FOLDER [PACKAGE...]
set -euo pipefail

root=${1:?usage: cmake/arm64-sysroot.sh FOLDER [PACKAGE...]}
packages=(
  libc6-dev libstdc++-12-dev
  libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev
  libcli11-dev libfmt-dev libgtest-dev libhwy-dev libpng-dev nlohmann-json3-dev
  "${@:2}"
)
missing=
for package in "${packages[@]}"; do
  [[ -e $root/var/lib/dpkg/info/$package.list ]] || missing=1
done
[[ -n $missing || ! -e $root/done ]] || exit 0

rm -rf "$root"
mkdir -p "$root"/apt/{lists,archives}/partial "$root/var/lib/dpkg/info"
root=$(cd "$root" && pwd)
: >"$root/apt/status"  # nothing is installed
cat >"$root/apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State::Lists "$root/apt/lists";
Dir::State::status "$root/apt/status";
Dir::Cache "$root/apt";
Dir::Cache::Archives "$root/apt/archives";
END
export APT_CONFIG=$root/apt/apt.conf
apt-get update -q
apt-get install -qy --no-install-recommends --download-only "${packages[@]}"
list=$root/var/lib/dpkg
for archive in "$root"/apt/archives/*.deb; do
  dpkg-deb --extract "$archive" "$root"
  package=$(dpkg-deb --field "$archive" Package)
  { dpkg-deb --field "$archive" && echo "Status: install ok installed" && echo; } >>"$list/status"
  dpkg-deb --fsys-tarfile "$archive" | tar -t | sed 's#^\.##; s#/$##; s#^$#/.#' >"$list/info/$package.list"
done
# Links like libm.so -> /lib/aarch64-linux-gnu/libm.so.6 are to lead into the folder. Else the linker takes libm.a.
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfnr "$root$(readlink "$link")" "$link"
done
rm -r "$root/apt"
touch "$root/done"
