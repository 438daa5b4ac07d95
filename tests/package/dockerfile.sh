# shellcheck shell=bash
# Sourced by bare.sh: follows packaging/Dockerfile as `docker build` would, without a daemon. Each stage is a bare tree,
# whatever image it names; COPY . takes the files that git knows.
# shellcheck disable=SC2154  # trees, tree: bare.sh's

run_dockerfile() {
  local instruction rest stage=0 folder=/ words
  local -A named=()
  local -a environment=()
  # Lines that end with \ continue; comments are skipped.
  while read -r instruction rest <&3; do
    case $instruction in
      ARG) [[ $rest == *_IMAGE=* ]] || environment+=("$rest") ;;
      ENV) read -ra words <<<"$rest"; environment+=("${words[@]}") ;;
      FROM)
        stage=$((stage + 1)) folder=/
        environment=("SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH")
        fresh_tree "dockerfile$stage"
        read -ra words <<<"$rest"
        [[ ${words[1]:-} != AS ]] || named[${words[2]}]=$tree
        ;;
      WORKDIR) folder=$rest; mkdir -p "$tree$folder" ;;
      COPY)
        read -ra words <<<"$rest"
        if [[ $rest == ". ." ]]; then
          git ls-files -z | tar --null -T - -c | tar -x -C "$tree$folder"
        elif [[ ${words[0]} == --from=* ]]; then
          cp -r "${named[${words[0]#--from=}]}${words[1]}" "$tree${words[2]}"
        else
          echo "tests/package/dockerfile.sh does not know: COPY $rest" >&2
          return 1
        fi
        ;;
      RUN) in_tree "${environment[@]}" sh -ec "cd $folder; $rest" >"$trees/log" 2>&1 || { tail -20 "$trees/log"; return 1; } ;;
      USER) user=$rest ;;
      ENTRYPOINT) image=("${environment[@]}" "$(tr -d '[]"' <<<"$rest")") ;;
      *) echo "tests/package/dockerfile.sh does not know: $instruction $rest" >&2; return 1 ;;
    esac
  done 3< <(sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' "$1" | grep -v -e '^#' -e '^$')
}

check_dockerfile() {
  local image=() user=0:0
  run_dockerfile packaging/Dockerfile
  [[ $user != 0:* ]]
  same_digests chroot --userspec="$user" "$tree" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "${image[@]}"
  [[ "${image[*]}" == *NVIDIA_DRIVER_CAPABILITIES=compute,video,utility* ]]
}
