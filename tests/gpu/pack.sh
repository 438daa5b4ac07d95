#!/usr/bin/env bash
# Packs everything that tests/gpu/check.sh needs on a bare host, which has only a GPU's driver, the C library, Python
# and compute-sanitizer: DIR/check runs it there, with check.sh's options.
#
#   tests/gpu/pack.sh BUILD DIR [PROGRAM...]    of the preset gpu, built; more programs are packed beside the tests
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: pack.sh BUILD DIR [PROGRAM...]}" && pwd)
dir=${2:?usage: pack.sh BUILD DIR [PROGRAM...]}
shift 2
most_mib=60
mkdir -p "$dir"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# Packs stripped programs, and the C library's test as another project builds it.
tests=$build/tests
programs=("$build/vidconv" "$tests/kernels/vidconv_kernels_tests" "$tests/pipeline/vidconv_pipeline_tests"
  "$tests/pipeline/vidconv_allocation_tests" "$@")
[[ ! -e $tests/pipeline/vidconv_nvenc_tests ]] || programs+=("$tests/pipeline/vidconv_nvenc_tests")
cmake --install "$build" --prefix "$build/pack/prefix" >/dev/null
cmake -S "$root/tests/api/program" -B "$build/pack/api" -G Ninja "-DCMAKE_PREFIX_PATH=$build/pack/prefix" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON >/dev/null
cmake --build "$build/pack/api" --target cuda_test >/dev/null
programs+=("$build/pack/api/cuda_test")
mkdir -p "$stage/programs/python" "$stage/libraries"
for program in "${programs[@]}"; do install "$program" "$stage/programs/"; done
if [[ -d $tests/pipeline/doubles ]]; then cp -L "$tests/pipeline/doubles"/libnvidia-encode.so.1 "$stage/programs/"; fi
cp -L "$build"/pack/prefix/lib*/libvidconv.so.0 "$stage/programs/"
if [[ -d $build/api/python/vidconv ]]; then cp -rL "$build/api/python/vidconv" "$stage/programs/python/"; fi
find "$stage/programs" -type f \( -perm /111 -o -name '*.so*' \) -exec strip {} + 2>/dev/null || true

# Packs the libraries that the host lacks: not those of the C library, the compiler and the driver.
host='/(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s|cuda|nvcuvid|nvidia.*))\.so'
find "$stage/programs" -type f -exec sh -c 'ldd "$1" 2>/dev/null' _ {} \; |
  awk '$3 ~ /^\// && $3 !~ /libvidconv/ {print $3}' | grep -Ev "$host" | sort -u |
  xargs -I{} cp -L {} "$stage/libraries/"

# These libraries require tables that no test uses: Unicode's, and a speech codec's.
stub() { gcc -shared -fPIC -xc -Wl,-soname,"$(basename "$1")" -o "$1" -; }
for library in "$stage"/libraries/libicudata.so.*; do
  [[ ! -e $library ]] || echo "const char icudt${library##*.}_dat[16] = {0};" | stub "$library"
done
for library in "$stage"/libraries/libcodec2.so.*; do
  [[ ! -e $library ]] || nm -D --undefined-only "$stage"/libraries/libavcodec.so.* |
    awk '$2 ~ /^codec2_/ {sub(/@.*/, "", $2); print "int " $2 "(void) { return 0; }"}' | stub "$library"
done

# Each program contains the code for the GPU: a dictionary that spans them packs it once.
tar -C "$stage" -cf - programs | xz -T1 --lzma2=preset=3,dict=256MiB >"$dir/programs.tar.xz"
key=$(cd "$stage/libraries" && find . -type f -exec sha256sum {} + | sort | sha256sum | cut -c1-16)
if [[ $(cat "$dir/libraries.key" 2>/dev/null) != "$key" ]]; then
  tar -C "$stage" -cf - libraries | xz -7 -T2 --block-size=96MiB >"$dir/libraries.tar.xz"
  echo "$key" >"$dir/libraries.key"
fi
tar -C "$root" -czf "$dir/tests.tar.gz" tests/gpu tests/judge/random_jobs.py tests/judge/drawn_job.py \
  tests/python/test_tensors.py tests/python/test_device_frames.py tests/python/conftest.py
sha256sum "$dir"/*.tar.* | sha256sum | cut -c1-16 >"$dir/key"

cat >"$dir/check" <<'RUN'
#!/usr/bin/env bash
# Runs the packed tests: check [OPTIONS of tests/gpu/check.sh]; check --run PROGRAM ARGUMENTS... runs one program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
to=${TMPDIR:-/tmp}/vidconv-gpu-$(cat "$here/key")
if [[ ! -d $to ]]; then
  mkdir -p "$to.part"
  for archive in "$here"/*.tar.*; do tar -xf "$archive" -C "$to.part"; done
  mv "$to.part" "$to"
fi
export LD_LIBRARY_PATH=$to/programs:$to/libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} VIDCONV_TEST_DOUBLES=$to/programs
if [[ ${1:-} == --run ]]; then
  program=$2
  shift 2
  exec ${WRAP:-} "$to/programs/$program" "$@"
fi
exec "$to/tests/gpu/check.sh" "$to/programs" "$@"
RUN
chmod +x "$dir/check"
size=$(du -sm "$dir" | cut -f1)
echo "packed: $dir, $size MiB; on the host with the GPU: $dir/check"
if [[ $size -ge $most_mib ]]; then
  echo "pack.sh: more than $most_mib MiB" >&2
  exit 1
fi
