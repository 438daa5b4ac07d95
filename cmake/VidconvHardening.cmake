# Makes a fault that is left in the program harder to use against its user: positions in memory that
# nobody can guess, tables of calls that are read-only once the program runs, checks of stacks,
# buffers and indices that end the program instead of going on. tests/cli/process/hardening_test.py reads
# from the built program that they are in force.
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
  check_cxx_compiler_flag(${flag} ${has})  # the last ones are of some processors only
  if(${has})
    target_compile_options(vidconv_hardening INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:${flag}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
  endif()
endforeach()
target_compile_definitions(vidconv_hardening INTERFACE _GLIBCXX_ASSERTIONS)
# Sanitizers bring their own, and without optimisation there is none. Some systems' compilers have
# it on at a lower level.
if(NOT VIDCONV_SANITIZE)
  target_compile_options(vidconv_hardening INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
endif()
target_link_options(vidconv_hardening INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
