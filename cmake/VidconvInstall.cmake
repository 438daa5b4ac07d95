# Installs the CMake package, by which another project's find_package(vidconv) gets the targets vidconv::vidconv, and
# vidconv::vidconv_static, with the headers <vidconv/...> of C and C++, and the file for pkg-config.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vidconv)

install(TARGETS vidconv_c EXPORT vidconvTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
# A program that links the static library needs these libraries.
set(private_libs -lavformat -lavcodec -lavutil -lswscale -lswresample -lfmt -lhwy -lpng -lstdc++ -lgomp -lm -lpthread)
if(VIDCONV_HAVE_CUDA)
  list(APPEND private_libs -lcudart_static -ldl -lrt)
endif()
target_link_libraries(vidconv_c_static INTERFACE ${private_libs})
install(TARGETS vidconv_c_static EXPORT vidconvTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(tree ${PROJECT_SOURCE_DIR}/api/include ${PROJECT_BINARY_DIR}/api/include)
  install(DIRECTORY ${tree}/vidconv DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.h")
endforeach()
install(EXPORT vidconvTargets NAMESPACE vidconv:: DESTINATION ${package_dir}
        FILE vidconvConfig.cmake)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/vidconvConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/vidconvConfigVersion.cmake DESTINATION ${package_dir})

# The .pc file finds the prefix relative to itself, so that an installed tree may be moved.
file(RELATIVE_PATH from_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
list(JOIN private_libs " " private_libs)
configure_file(${PROJECT_SOURCE_DIR}/cmake/vidconv.pc.in ${PROJECT_BINARY_DIR}/vidconv.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/vidconv.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
