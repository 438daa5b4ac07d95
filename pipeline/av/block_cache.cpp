#include "pipeline/av/block_cache.h"

#include <algorithm>

namespace vidconv {

std::byte* BlockCache::take(std::size_t bytes, Nodes nodes) {
  const auto found = std::ranges::find_if(
      blocks_, [&](const Block& block) { return block.bytes == bytes && block.nodes == nodes; });
  if (found == blocks_.end()) return nullptr;
  std::byte* const memory = found->memory;
  blocks_.erase(found);
  return memory;
}

std::list<BlockCache::Block> BlockCache::take_oldest(std::size_t bytes) {
  std::list<Block> oldest;
  for (std::size_t taken = 0; taken < bytes && !blocks_.empty();) {
    taken += blocks_.front().bytes;
    oldest.splice(oldest.end(), blocks_, blocks_.begin());
  }
  return oldest;
}

}  // namespace vidconv
