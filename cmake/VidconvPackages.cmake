# `cpack` makes Debian packages of the command, the shared libraries, the files for building against them, and the
# Python package if it is built. packaging/debian.sh builds the tree for it (the preset `package`, below /usr) and calls
# it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The vidconv authors <maintainers@vidconv.invalid>" CACHE STRING
  "Who answers for the packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS  # independent of the umask
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_COMPONENTS_GROUPING IGNORE)  # one package for each component
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # otherwise it precedes each package's own

# Cameras need FFmpeg's libavdevice, which is loaded at run time if it is installed (pipeline/av/devices.cpp).
string(REGEX MATCH "^[0-9]+" libavformat_major "${LIBAV_libavformat_VERSION}")
set(devices libavdevice${libavformat_major})

# The package's name changes with the SONAME, so that two versions can be installed side by side.
get_target_property(soversion vidconv_c SOVERSION)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME vidconv)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION video)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "${devices}")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "filter video with convolution kernels
Filters a video file, a stream or numbered pictures with blurs, sharpeners,
edge detectors or any matrix, on the CPU or on a CUDA device, with the same
bytes from both. Sound, subtitles, chapters, times and colours are kept.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libvidconv${soversion})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "${devices}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "filter video with convolution kernels: shared library
For programs that filter pictures in memory, or videos, as the command vidconv
does: with the same bytes, on the CPU or on a CUDA device.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libvidconv-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} (= ${PROJECT_VERSION})")
# Only the static library needs these packages (vidconv.pc: Libs.private).
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
  "libavformat-dev, libavcodec-dev, libavutil-dev, libswscale-dev, libswresample-dev, libfmt-dev, libhwy-dev, libpng-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "filter video with convolution kernels: for development
Headers of libvidconv, and the files by which CMake and pkg-config find it.")
if(TARGET vidconv_python)
  list(APPEND CPACK_COMPONENTS_ALL python3)
  find_package(Python 3.9 REQUIRED COMPONENTS Interpreter)
  math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_NAME python3-vidconv)
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_SECTION python)
  # dpkg-shlibdeps does not know a library in another package of the same build.
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_GENERATE_SHLIBS OFF)
  string(CONCAT CPACK_DEBIAN_PYTHON3_PACKAGE_DEPENDS
    "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} (= ${PROJECT_VERSION}), libc6 (>= 2.36), libstdc++6 (>= 12), libgcc-s1, "
    "python3 (>= 3.${Python_VERSION_MINOR}~), python3 (<< 3.${next_minor}~), python3-numpy")
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/packaging/debian/postinst ${PROJECT_SOURCE_DIR}/packaging/debian/prerm)
  set(CPACK_COMPONENT_PYTHON3_DESCRIPTION "filter video with convolution kernels: Python 3
Filters arrays of NumPy and videos as the command vidconv does: with the same
bytes, on the CPU or on a CUDA device, where tensors of torch and cupy stay.")
endif()

# Every Debian package has to contain its licence and its changelog.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # the time of SOURCE_DATE_EPOCH, if it is set
set(documents ${PROJECT_BINARY_DIR}/debian)
configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in ${documents}/changelog @ONLY)
execute_process(COMMAND gzip -9 -n -f ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} key)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright ${documents}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${key}_PACKAGE_NAME}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
