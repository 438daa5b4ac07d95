# shellcheck shell=bash
# To be sourced: sets SOURCE_DATE_EPOCH, the time of everything in a package, in seconds since 1970. It is the commit's
# time; in an unpacked archive of the sources it is the changelog's, which got the commit's time.
if [[ -z ${SOURCE_DATE_EPOCH:-} ]]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date -u -r CHANGELOG.md +%s)
fi
export SOURCE_DATE_EPOCH
