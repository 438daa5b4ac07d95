#!/usr/bin/env bash
# vidconv's threads beside OpenMP's, for the same bands of a plane (docs/decisions/openmp.md): with OpenMP's threads
# passive and active while they wait; alone, and beside a decoder and an encoder on the same cores.
#
#   bench/scripts/openmp.sh VIDCONV VIDCONV_BENCH [OPTION OF vidconv-bench openmp...]
#
# CODEC (libx264) of what is decoded and encoded; CORES (all that this process may use), as taskset takes them.
set -euo pipefail
set -m  # a program beside the others is a group of processes, ended as one

if [[ $# -lt 2 ]]; then
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
vidconv=$1 bench=$2
shift 2
folder=$(mktemp -d)
beside=
end_beside() {
  [[ -n $beside ]] || return 0
  kill -- -"$beside"
  while kill -0 -- -"$beside" 2>/dev/null; do sleep 0.1; done
  beside=
}
finish() {
  end_beside
  rm -rf "$folder"
}
trap finish EXIT
on_cores=()
[[ -z ${CORES:-} ]] || on_cores=(taskset -c "$CORES")

codec=${CODEC:-libx264}
"$vidconv" 'pattern:1280x720#250' -o "$folder/clip.mkv" --kernel identity --device cpu --codec "$codec" -q
for load in alone 'beside a decoder and an encoder'; do
  for policy in passive active; do
    if [[ $load != alone ]]; then
      # It repeats for longer than the measurements last, and is ended when they are done.
      # shellcheck disable=SC2016  # that shell expands it
      "${on_cores[@]}" bash -c 'while :; do "$0" "$1/clip.mkv" -o "$1/out.mkv" --kernel identity --device cpu --codec "$2" -q -y; done' \
        "$vidconv" "$folder" "$codec" &
      beside=$!
    fi
    echo "== $load, OMP_WAIT_POLICY=$policy"
    OMP_WAIT_POLICY=$policy "${on_cores[@]}" "$bench" openmp "$@"
    end_beside
  done
done
