// Blocks of memory that took long to make, kept for whoever wants one of the same size and place.
// Belongs to one thread.
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

  // Throws std::bad_alloc; the block is not kept then.
  void put(const Block& block) { blocks_.push_back(block); }
  // nullptr where there is no such block.
  std::byte* take(std::size_t bytes, Nodes nodes);
  // Those that have been here longest, as many as it takes to have so many bytes, or all: to be
  // freed where another block is made, so that what is kept and what is used do not grow.
  std::list<Block> take_oldest(std::size_t bytes);

 private:
  std::list<Block> blocks_;  // the oldest first
};

}  // namespace vidconv
