// AlignedArray: memory that is aligned for vectors of any size.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace vidconv {

// The array grows and never shrinks. It begins at a multiple of 64 bytes.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::ptrdiff_t elements) { reserve(elements); }

  // Makes room for `elements`. Where the array is too small it is replaced by zeros and its
  // contents are lost. Throws std::bad_alloc.
  void reserve(std::ptrdiff_t elements) {
    if (elements <= size_) return;
    data_.reset(new (alignment) T[static_cast<std::size_t>(elements)]());
    size_ = elements;
  }
  T* get() const { return data_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Delete {
    void operator()(T* memory) const { ::operator delete[](memory, alignment); }
  };
  std::ptrdiff_t size_ = 0;
  std::unique_ptr<T[], Delete> data_;
};

}  // namespace vidconv
