# Makes remaining faults harder to exploit: random addresses, call tables that are read-only at run time, and checks of
# stacks, buffers and indices that end the program. tests/cli/process/hardening_test.py verifies them in the built
# program.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)

check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(vidconv_hardening INTERFACE)
set(branches -fcf-protection=full)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(branches -mbranch-protection=standard)
endif()
foreach(flag -fstack-protector-strong -fstack-clash-protection ${branches})
  string(MAKE_C_IDENTIFIER "VIDCONV_HAS${flag}" has)
  check_cxx_compiler_flag(${flag} ${has})  # only some processors have the last ones
  if(${has})
    target_compile_options(vidconv_hardening INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:${flag}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
  endif()
endforeach()
target_compile_definitions(vidconv_hardening INTERFACE _GLIBCXX_ASSERTIONS)
# Sanitizers have checks of their own, and FORTIFY needs optimisation. Some systems' compilers set a lower level.
if(NOT VIDCONV_SANITIZE)
  target_compile_options(vidconv_hardening INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
endif()
target_link_options(vidconv_hardening INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
