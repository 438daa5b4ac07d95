# Homebrew's formula, for Linux. packaging/recipes.py checks it, and fills in OWNER and the digest.
class Vidconv < Formula
  desc "Filters video with convolution kernels, with the same bytes from CPU and CUDA"
  homepage "https://github.com/OWNER/vidconv"
  url "https://github.com/OWNER/vidconv/releases/download/v0.1.0/vidconv-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "ffmpeg"
  depends_on "fmt"
  depends_on "highway"
  depends_on "libpng"
  depends_on :linux

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *std_cmake_args,
                    "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12",
                    "-DVIDCONV_CUDA=OFF", "-DVIDCONV_TESTS=OFF", "-DVIDCONV_BENCH=OFF"
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"vidconv", "pattern:64x48#5", "-o", testpath/"film.mp4", "--kernel", "sobel"
    assert_match(/^[0-9a-f]{32}/, shell_output("#{bin}/vidconv #{testpath}/film.mp4 -o md5: --kernel box"))
  end
end
