// Lines for convolvers that run in turns: one set serves all of them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

#include "kernels/convolver/window.h"

namespace vidconv {

// While an object of this class lives, convolvers made on its thread share their lines: no two of
// them may run at once. A filter whose values change with time has hundreds of them.
class WindowsInTurn {
 public:
  WindowsInTurn() : before_(std::exchange(current(), this)) {}
  ~WindowsInTurn() { current() = before_; }
  WindowsInTurn(const WindowsInTurn&) = delete;
  WindowsInTurn& operator=(const WindowsInTurn&) = delete;

  // Returns `count` windows, shared where an object lives on this thread, else new ones.
  template <class AnyWindow>
  static std::shared_ptr<std::vector<AnyWindow>> of(int count) {
    using Windows = std::vector<AnyWindow>;
    if (!current()) return std::make_shared<Windows>(static_cast<std::size_t>(count));
    std::shared_ptr<void>& shared = current()->all_[{std::type_index(typeid(AnyWindow)), count}];
    if (!shared) shared = std::make_shared<Windows>(static_cast<std::size_t>(count));
    return std::static_pointer_cast<Windows>(shared);
  }

 private:
  static WindowsInTurn*& current() {
    thread_local WindowsInTurn* here = nullptr;
    return here;
  }

  WindowsInTurn* const before_;
  std::map<std::pair<std::type_index, int>, std::shared_ptr<void>> all_;
};

}  // namespace vidconv
