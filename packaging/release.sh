#!/usr/bin/env bash
# Makes a release of the checked-out commit in build/dist: the archive of the sources and, built from the unpacked
# archive, the Debian packages, the tarball and the wheel; an SBOM (SPDX), checksums and the release notes; the recipes of
# conda-forge and Homebrew, with OWNER as who has the repository, if it is set; and an annotated tag. Nothing is pushed.
# Takes the time of three builds.
#
#   --dry-run   everything but the tag
#   --sources   the archive, its checksum and the notes alone
#   --twice     everything once more in another folder, which has to give the same bytes
#
# Refuses if the tree is not clean, CMakeLists.txt has another version, CHANGELOG.md has no section "## [VERSION] -
# YYYY-MM-DD", the tag exists already, or the archive cannot be configured. Packages are for the system that this runs
# on; the wheel and the SBOM need PyPI.
#
#   packaging/release.sh VERSION [--dry-run] [--sources] [--twice]
set -euo pipefail
cd "$(dirname "$0")/.."

refuse() {
  echo "packaging/release.sh: $*" >&2
  exit 1
}

version='' dry_run='' sources='' twice=''
for word in "$@"; do
  case $word in
    --dry-run) dry_run=1 ;;
    --sources) sources=1 ;;
    --twice) twice=1 ;;
    -*) refuse "there is no option $word" ;;
    *) version=${version:+$version }$word ;;
  esac
done
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
  refuse "usage: packaging/release.sh VERSION [--dry-run] [--sources] [--twice], as in 0.1.0"
tag=v$version name=vidconv-$version out=$PWD/build/dist
. packaging/epoch.sh

changes=$(git status --porcelain)
[[ -z $changes ]] || refuse "the tree is not clean: commit or remove"$'\n'"$changes"
! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || refuse "the tag $tag is there already"
stated=$(sed -n 's/^project(vidconv VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ $stated == "$version" ]] || refuse "CMakeLists.txt has the version '$stated', not $version"

# This version's section extends from its heading to the next one.
heading=$(grep -E "^## \[${version//./\\.}\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md) ||
  refuse "CHANGELOG.md has no line '## [$version] - YYYY-MM-DD'"
notes=$(awk -v heading="$heading" '
  /^## / { wanted = $0 == heading; next }
  wanted' CHANGELOG.md | sed '/./,$!d')
[[ $notes == *[![:space:]]* ]] || refuse "the section $version of CHANGELOG.md is empty"

rm -rf "$out"
mkdir -p "$out"
printf '%s\n' "$notes" >"$out/$name.md"
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9 -n >"$out/$name.tar.gz"

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT

# packages_of FOLDER OUT makes the files that users install from the archive as they unpack it.
packages_of() {
  mkdir -p "$1" "$2"
  tar -xzf "$out/$name.tar.gz" -C "$1"
  (
    cd "$1/$name"
    packaging/debian.sh
    packaging/tarball.sh
    packaging/wheel.sh
    mv build/package/packages/*.deb build/package/"$name"-linux-*.tar.xz build/package/wheels/*.whl "$2/"
  ) >"$1/log" 2>&1 || {
    tail -30 "$1/log" >&2
    refuse "the packages cannot be made of the archive"
  }
}

if [[ -n $sources ]]; then
  tar -xzf "$out/$name.tar.gz" -C "$unpacked"
  cmake -S "$unpacked/$name" -B "$unpacked/build" -G Ninja >"$unpacked/log" 2>&1 || {
    cat "$unpacked/log" >&2
    refuse "the archive cannot be configured"
  }
else
  packages_of "$unpacked/first" "$out"
  tools=$PWD/build/package/release-tools
  if [[ ! -x $tools/bin/pyspdxtools ]]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install -q spdx-tools
  fi
  "$tools/bin/python" packaging/sbom.py "$out" "$version" "$out/$name.spdx.json"
  if [[ -n $twice ]]; then
    rm -rf "$unpacked/first"
    packages_of "$unpacked/another/folder" "$unpacked/again"
    for file in "$unpacked"/again/*; do
      cmp "$file" "$out/$(basename "$file")" || refuse "$(basename "$file") has other bytes when it is made again"
    done
    echo "Made twice, with the same bytes: $(cd "$unpacked/again" && echo *)"
  fi
fi
python3 packaging/recipes.py fill "$out" ${OWNER:+"$OWNER"}
(cd "$out" && sha256sum -- *) >"$unpacked/SHA256SUMS"
mv "$unpacked/SHA256SUMS" "$out/"

if [[ -n $dry_run ]]; then
  echo "Dry run: no tag $tag."
else
  # In the notes, lines that begin with # are headings, not comments.
  git tag --annotate --cleanup=verbatim -m "vidconv $version" -m "$notes" "$tag"
  echo "The tag $tag is made. To publish: git push origin $tag"
fi
cat "$out/SHA256SUMS"
