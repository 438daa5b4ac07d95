// Blurs a dot in the middle of a small plane of bytes, and prints it.
#include <vidconv/pixels.h>

#include <cstddef>
#include <iostream>
#include <vector>

int main() {
  constexpr int size = 5;
  std::vector<std::byte> dot(size * size), blurred(size * size);
  dot[size * size / 2] = std::byte{255};

  vidconv::PixelFilter blur("binomial");
  blur.apply({.data = dot.data(), .stride = size, .width = size, .height = size},
             {.data = blurred.data(), .stride = size, .width = size, .height = size});

  for (int i = 0; i < size * size; ++i)
    std::cout << std::to_integer<int>(blurred[i]) << ((i + 1) % size ? ' ' : '\n');
}
