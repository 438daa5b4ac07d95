#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz wants them: programs, seeds, dictionaries and options in $OUT. It is run in the
# checkout, with $CC, $CXX, $CFLAGS, $CXXFLAGS, $LIB_FUZZING_ENGINE, $WORK and $OUT; try.sh stands for that.
targets=(spec kernel_file header file simd words)

# Debian's libraries in C++ (fmt, Highway) are of libstdc++.
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/}"
cmake -S . -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DVIDCONV_FUZZ=ON "-DVIDCONV_FUZZ_ENGINE=$LIB_FUZZING_ENGINE" \
  -DVIDCONV_CUDA=OFF -DVIDCONV_BENCH=OFF -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12
ninja -C "$WORK/build" "${targets[@]/#/vidconv_fuzz_}"

mkdir -p "$OUT/lib"
for target in "${targets[@]}"; do
  program=$OUT/vidconv_fuzz_$target
  cp "$WORK/build/vidconv_fuzz_$target" "$program"
  # Where they run there is nothing but what stands in $OUT.
  ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -vE '/lib(c|m|dl|pthread|rt|resolv)\.so' |
    xargs -I{} cp -n {} "$OUT/lib"
  patchelf --force-rpath --set-rpath "\$ORIGIN/lib" "$program"
  zip -qj "${program}_seed_corpus.zip" "$WORK/build/seeds/$target"/*
  case $target in
    file) limits=$'max_len = 65536\ntimeout = 30' ;;
    header) limits=$'max_len = 4096\ntimeout = 30' ;;
    simd) limits=$'max_len = 512\ntimeout = 60' ;;
    *) limits=$'max_len = 4096\ntimeout = 120' ;;
  esac
  [[ $target == file || $target == header ]] || {
    cp "$WORK/build/seeds/words.dict" "$OUT/words.dict"
    limits+=$'\ndict = words.dict'
  }
  printf '[libfuzzer]\n%s\n' "$limits" >"$program.options"
done
