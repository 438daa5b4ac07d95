#!/usr/bin/env bash
# Unpacks Debian's arm64 packages that vidconv is built with into a folder. This system's own packages and apt's lists
# of them stay unchanged. A second run does nothing.
#
#   cmake/arm64-sysroot.sh FOLDER
set -euo pipefail

root=${1:?usage: cmake/arm64-sysroot.sh FOLDER}
[[ ! -e $root/done ]] || exit 0

packages=(
  libc6-dev libstdc++-12-dev
  libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev
  libcli11-dev libfmt-dev libgtest-dev libhwy-dev libpng-dev nlohmann-json3-dev
)

rm -rf "$root"
mkdir -p "$root"/apt/{lists,archives}/partial
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
for archive in "$root"/apt/archives/*.deb; do dpkg-deb --extract "$archive" "$root"; done
rm -r "$root/apt"
touch "$root/done"
