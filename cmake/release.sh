#!/usr/bin/env bash
# Makes a release of the commit that is checked out: an annotated tag, and in build/dist the archive of the sources, its
# checksum and the release notes. Nothing is pushed. With --dry-run everything but the tag is made.
#
# Refuses where the tree is not clean, where CMakeLists.txt has another version, where CHANGELOG.md has no section
# "## [VERSION] - YYYY-MM-DD", where the tag is there already, and where the archive cannot be configured. The archive is the
# same, to the byte, whoever makes it of this commit with the same git and gzip.
#
#   cmake/release.sh VERSION [--dry-run]
set -euo pipefail
cd "$(dirname "$0")/.."

refuse() {
  echo "cmake/release.sh: $*" >&2
  exit 1
}

version='' dry_run=0
for word in "$@"; do
  case $word in
    --dry-run) dry_run=1 ;;
    -*) refuse "there is no option $word" ;;
    *) version=${version:+$version }$word ;;
  esac
done
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || refuse "usage: cmake/release.sh VERSION [--dry-run], as in 0.1.0"
tag=v$version name=vidconv-$version out=$PWD/build/dist

changes=$(git status --porcelain)
[[ -z $changes ]] || refuse "the tree is not clean: commit or remove"$'\n'"$changes"
! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || refuse "the tag $tag is there already"
stated=$(sed -n 's/^project(vidconv VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ $stated == "$version" ]] || refuse "CMakeLists.txt has the version '$stated', not $version"

# The section of this version: from its heading to the next one.
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
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")

# What users do with it.
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
tar -xzf "$out/$name.tar.gz" -C "$unpacked"
cmake -S "$unpacked/$name" -B "$unpacked/build" -G Ninja >"$unpacked/log" 2>&1 || {
  cat "$unpacked/log" >&2
  refuse "the archive cannot be configured"
}

if [[ $dry_run -eq 1 ]]; then
  echo "Dry run: no tag $tag."
else
  # Lines that begin with # are headings here, not comments.
  git tag --annotate --cleanup=verbatim -m "vidconv $version" -m "$notes" "$tag"
  echo "The tag $tag is made. To publish: git push origin $tag"
fi
cat "$out/$name.tar.gz.sha256"
echo "In $out: $name.tar.gz, $name.tar.gz.sha256, $name.md (the release notes)"
