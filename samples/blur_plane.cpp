// Blurs a dot in the middle of a small plane of bytes and prints the result.
#include <vidconv/pixels.h>

#include <cstddef>
#include <exception>
#include <iostream>
#include <vector>

int main() try {
  constexpr int size = 5;
  std::vector<unsigned char> dot(size * size), blurred(size * size);
  dot[size * size / 2] = 255;

  vidconv::PixelFilter blur("binomial");
  blur.apply({.data = dot.data(), .stride = size, .width = size, .height = size},
             {.data = blurred.data(), .stride = size, .width = size, .height = size});

  for (std::size_t i = 0; i < blurred.size(); ++i)
    std::cout << int{blurred[i]} << ((i + 1) % size ? ' ' : '\n');
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
