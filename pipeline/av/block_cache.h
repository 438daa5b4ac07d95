// Caches blocks of memory that are slow to allocate, for the next request of the same size and
// place. Belongs to one thread.
#pragma once

#include <cstddef>
#include <list>

#include "pipeline/av/pool.h"

namespace vidconv {

class BlockCache {
 public:
  struct Block {
    std::byte* memory;
    std::size_t bytes;
    Nodes nodes;
  };

  // Throws std::bad_alloc; the block is not cached then.
  void put(const Block& block) { blocks_.push_back(block); }
  // Returns nullptr where there is no such block.
  std::byte* take(std::size_t bytes, Nodes nodes);
  // Takes out the oldest blocks, until they add up to `bytes` or none is left. The caller frees
  // them when it allocates another block, so that cache and use together do not grow.
  std::list<Block> take_oldest(std::size_t bytes);

 private:
  std::list<Block> blocks_;  // oldest first
};

}  // namespace vidconv
