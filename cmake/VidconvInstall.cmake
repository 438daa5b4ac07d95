# What `cmake --install` adds to the program: a package with which another project's find_package(vidconv)
# gives it the targets vidconv::kernels and vidconv::pipeline.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vidconv)

foreach(room kernels pipeline)
  set_target_properties(vidconv_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS vidconv_${room} EXPORT vidconvTargets)
  # Headers say `#include "kernels/plan/plan.h"`, here and there.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vidconv
          FILES_MATCHING PATTERN "*.h"
          PATTERN cpu EXCLUDE
          PATTERN cuda EXCLUDE)
endforeach()

install(EXPORT vidconvTargets NAMESPACE vidconv:: DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/vidconvConfig.cmake.in ${PROJECT_BINARY_DIR}/vidconvConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/vidconvConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/vidconvConfig.cmake
              ${PROJECT_BINARY_DIR}/vidconvConfigVersion.cmake
        DESTINATION ${package_dir})
