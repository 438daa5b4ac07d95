# vidconv_precompile(TARGET [HEADER...]) has headers of the C++ library, and those named, read once for a target's C++ files,
# where several of these are compiled together (a unity build), and where no compiler cache is used, which would keep
# nothing of such files. A build file by file reads them for each, and so finds includes that are missing.
function(vidconv_precompile target)
  if(CMAKE_UNITY_BUILD AND NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    set(headers ${ARGN} algorithm array atomic cmath cstdint filesystem functional map memory mutex optional set span string
      string_view thread utility vector)
    list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()
