# The target vidconv_opencv (imgproc and core), where OpenCV 4 is installed: for the judge among the
# tests and for the bench, never for the program. Found by its files, because Debian keeps the CMake
# package of OpenCV in libopencv-dev, which brings a hundred packages along.
find_path(VIDCONV_OPENCV_INCLUDE opencv2/imgproc.hpp PATH_SUFFIXES opencv4)
find_library(VIDCONV_OPENCV_CORE opencv_core)
find_library(VIDCONV_OPENCV_IMGPROC opencv_imgproc)
mark_as_advanced(VIDCONV_OPENCV_INCLUDE VIDCONV_OPENCV_CORE VIDCONV_OPENCV_IMGPROC)
if(VIDCONV_OPENCV_INCLUDE AND VIDCONV_OPENCV_CORE AND VIDCONV_OPENCV_IMGPROC)
  add_library(vidconv_opencv INTERFACE)
  # Their headers are not ours to warn about.
  target_include_directories(vidconv_opencv SYSTEM INTERFACE ${VIDCONV_OPENCV_INCLUDE})
  target_link_libraries(vidconv_opencv INTERFACE ${VIDCONV_OPENCV_IMGPROC} ${VIDCONV_OPENCV_CORE})
endif()
