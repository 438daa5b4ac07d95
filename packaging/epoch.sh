# shellcheck shell=bash
# Sourced: the time that everything in a package says it was made at, in seconds since 1970. That of the commit,
# or, in an unpacked archive of the sources, of its changelog, to which the archive gave that of the commit.
if [[ -z ${SOURCE_DATE_EPOCH:-} ]]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date -u -r CHANGELOG.md +%s)
fi
export SOURCE_DATE_EPOCH
