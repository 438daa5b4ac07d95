# vidconv_together(TARGET NAME FILE...) adds files of one language to the target. In a unity build they are one file, NAME with
# their suffix: for files that CMake does not compile together, or not in this way. Those of Highway, which include
# themselves once for each instruction set, then include that file instead.
function(vidconv_together target name)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  if(CMAKE_UNITY_BUILD)
    list(GET files 0 first)
    cmake_path(GET first EXTENSION LAST_ONLY suffix)
    list(TRANSFORM files REPLACE "(.+)" "#include \"\\1\"\n")
    string(CONCAT includes ${files})
    set(files ${CMAKE_CURRENT_BINARY_DIR}/${name}${suffix})
    file(CONFIGURE OUTPUT ${files} CONTENT "#define HWY_TARGET_INCLUDE \"${name}${suffix}\"\n${includes}" @ONLY)
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  set_property(SOURCE ${files} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${files})
endfunction()
