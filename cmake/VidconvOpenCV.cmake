# Defines the target vidconv_opencv (imgproc and core) if OpenCV 4 or 5 is installed: for the judge among the tests and
# for the bench, never for the program. -DOpenCV_DIR names the folder with the CMake package of an own build. Otherwise
# OpenCV is found by its files, because Debian's CMake package of OpenCV is in libopencv-dev, which depends on a hundred
# packages.
if(OpenCV_DIR)
  find_package(OpenCV REQUIRED COMPONENTS core imgproc)
  add_library(vidconv_opencv INTERFACE)
  target_include_directories(vidconv_opencv SYSTEM INTERFACE ${OpenCV_INCLUDE_DIRS})
  target_link_libraries(vidconv_opencv INTERFACE opencv_imgproc opencv_core)
  return()
endif()
find_path(VIDCONV_OPENCV_INCLUDE opencv2/imgproc.hpp PATH_SUFFIXES opencv5 opencv4)
find_library(VIDCONV_OPENCV_CORE opencv_core)
find_library(VIDCONV_OPENCV_IMGPROC opencv_imgproc)
mark_as_advanced(VIDCONV_OPENCV_INCLUDE VIDCONV_OPENCV_CORE VIDCONV_OPENCV_IMGPROC)
if(VIDCONV_OPENCV_INCLUDE AND VIDCONV_OPENCV_CORE AND VIDCONV_OPENCV_IMGPROC)
  add_library(vidconv_opencv INTERFACE)
  # SYSTEM silences warnings in OpenCV's headers.
  target_include_directories(vidconv_opencv SYSTEM INTERFACE ${VIDCONV_OPENCV_INCLUDE})
  target_link_libraries(vidconv_opencv INTERFACE ${VIDCONV_OPENCV_IMGPROC} ${VIDCONV_OPENCV_CORE})
endif()
