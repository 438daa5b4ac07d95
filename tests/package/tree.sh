# To be sourced by scripts of this folder: makes trees of other systems by debootstrap. Needs root; $suite is
# debootstrap's name of the system, $mirror an array of its further arguments. Mounts of a tree end with the script,
# which has to run in a mount namespace of its own: own_mounts "$0" "$@" sees to that.
# shellcheck shell=bash
trees=${TREES:-$PWD/build/trees}
mkdir -p "$trees/archives/partial"

own_mounts() { [[ -n ${VIDCONV_OWN_MOUNTS:-} ]] || VIDCONV_OWN_MOUNTS=1 exec unshare --mount --propagation private "$@"; }

# shellcheck disable=SC2154  # $mirror
base_tree() {
  [[ ! -e $trees/$1/etc/done ]] || return 0
  rm -rf "${trees:?}/$1"
  debootstrap --variant=minbase --include=ca-certificates --components "${AREAS:-main}" "$1" "$trees/$1" "${mirror[@]}" \
    >"$trees/log" || { tail -20 "$trees/log" >&2; return 1; }
  touch "$trees/$1/etc/done"
}

# fresh_tree NAME [SUITE] makes a bare system at $trees/NAME, with /proc and the like, and the downloads of earlier
# runs.
fresh_tree() {
  base_tree "${2:-$suite}"
  tree=$trees/$1
  leave_tree
  cp -a --reflink=auto "$trees/${2:-$suite}" "$tree"
  enter_tree
  in_tree apt-get update -q >/dev/null
}
enter_tree() {
  cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
  [[ -e $tree/etc/hosts ]] || echo 127.0.0.1 localhost >"$tree/etc/hosts"  # as containers have it
  mount -t proc proc "$tree/proc"
  mount -t sysfs -o ro sysfs "$tree/sys"
  mount --bind "$trees/archives" "$tree/var/cache/apt/archives"
}
leave_trees() {
  for tree in "$tree"*; do
    leave_tree
  done
}
leave_tree() {
  local mounted
  for mounted in "$tree/proc" "$tree/sys" "$tree/var/cache/apt/archives"; do
    ! mountpoint -q "$mounted" || umount "$mounted"
  done
  rm -rf --one-file-system "$tree"
}
in_tree() {
  chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
install_in_tree() { in_tree apt-get install -qy --no-install-recommends "$@" >/dev/null; }
