# Defines the compile options of every target of this project.
add_library(vidconv_options INTERFACE)
target_link_libraries(vidconv_options INTERFACE vidconv_hardening)
target_compile_options(vidconv_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wcast-align
    -Woverloaded-virtual -Wconversion>
  # FFmpeg's AV_TIME_BASE_Q is such an extension.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-c99-extensions>
  # Each written operation is one IEEE operation, on the CPU and on CUDA: docs/numerics.md.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra>)
# In a unity build a local variable may have the name of another file's constant.
if(NOT CMAKE_UNITY_BUILD)
  target_compile_options(vidconv_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>)
else()
  target_compile_options(vidconv_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wshadow=local>)
endif()
option(VIDCONV_WERROR "Warnings are errors" OFF)
if(VIDCONV_WERROR)
  target_compile_options(vidconv_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
endif()
if(VIDCONV_SANITIZE)
  target_compile_options(vidconv_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${VIDCONV_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all>)
  target_link_options(vidconv_options INTERFACE -fsanitize=${VIDCONV_SANITIZE})
  if(VIDCONV_SANITIZE_LESS)
    target_compile_options(vidconv_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=${VIDCONV_SANITIZE_LESS}>)
  endif()
endif()
if(VIDCONV_FUZZ)
  target_compile_options(vidconv_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
