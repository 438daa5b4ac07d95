#!/usr/bin/env bash
# Makes build/package/vidconv-VERSION-linux-ARCH.tar.xz: the command with all libraries that it loads but glibc's, so
# that it runs from any folder of any Linux whose glibc is not older than this system's. The libraries come from this
# system's packages, with their licences; needs dpkg and patchelf (cmake/prepare.sh installs it).
#
#   packaging/tarball.sh [OPTION-OF-CMAKE...]
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/epoch.sh

cmake/prepare.sh package all "$@"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build/package/CMakeCache.txt)
name=vidconv-$version-linux-$(uname -m)
root=$PWD/build/package/tarball/$name
rm -rf "${root%/*}"
cmake --install build/package --prefix "$root" --component command --strip

documents=$root/share/doc/vidconv
mkdir -p "$root/lib" "$documents/licences"
cp LICENSE "$documents/licences/vidconv"
cp -rL /usr/share/common-licenses "$documents/licences/common-licenses"
cp packaging/tarball.txt "$root/README"
printf 'library\tpackage\tversion\tsource\n' >"$documents/LIBRARIES"

# ldd prints "libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x...)".
ldd "$root/bin/vidconv" | awk '$2 == "=>" { print $1, $3 }' | LC_ALL=C sort | while read -r library path; do
  [[ -e $path ]] || { echo "packaging/tarball.sh: $library is not on this system" >&2; exit 1; }
  # /lib may be a link to /usr/lib, and dpkg knows each file by only one of these names.
  package=$(dpkg-query -S "*${path#/usr}" | sed -n '1s/:.*//p')
  [[ $package != libc6 ]] || continue
  cp -L "$path" "$root/lib/$library"
  chmod 644 "$root/lib/$library"
  # shellcheck disable=SC2016  # the loader expands it
  patchelf --set-rpath '$ORIGIN' "$root/lib/$library"
  dpkg-query -W -f "$library\t\${Package}\t\${Version}\t\${source:Package}\n" "$package" | head -1 >>"$documents/LIBRARIES"
  cp -L "/usr/share/doc/$package/copyright" "$documents/licences/$package"
done
# shellcheck disable=SC2016
patchelf --set-rpath '$ORIGIN/../lib' "$root/bin/vidconv"

tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go+rX,go-w,u+w \
  -C "${root%/*}" -c "$name" | xz -T1 -4 >"build/package/$name.tar.xz"
rm -rf "${root%/*}"
echo "build/package/$name.tar.xz"
