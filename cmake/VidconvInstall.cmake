# What `cmake --install` adds to the program: a package with which another project's find_package(vidconv)
# gives it the targets vidconv::pixels and vidconv::video, and their headers in <vidconv/...>.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vidconv)

install(TARGETS vidconv_pixels vidconv_video EXPORT vidconvTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
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
