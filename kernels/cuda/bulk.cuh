// Bulk copies to shared memory, and the barriers there that tell when they are complete (sm_90).
// What the instructions do: PTX ISA, "mbarrier" and "cp.async.bulk".
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace vidconv::cuda {

// Addresses in shared memory, as the instructions want them.
__device__ inline unsigned shared_address(const void* in_shared_memory) {
  return static_cast<unsigned>(__cvta_generic_to_shared(in_shared_memory));
}

// Loads and stores by such addresses, in the order in which they are written down. (From pointers
// the compiler would make them anew, again and again, with an instruction that takes its time.)
__device__ inline float load_shared(unsigned address) {
  float v;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(address));
  return v;
}
__device__ inline float2 load_shared_pair(unsigned address) {
  float2 v;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(address));
  return v;
}
__device__ inline void store_shared(unsigned address, float value) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}

// A barrier completes phase after phase: each when as many threads have arrived as init_barrier()
// said and all bytes that were announced are there. One thread makes the barriers of a block, with
// publish_barriers() behind the last; then the block synchronises.
__device__ inline void init_barrier(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Arrives, and announces so many bytes of bulk copies for this phase.
__device__ inline void arrive_expecting(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Returns when the phase of that parity is complete; the first has parity 0, and before it counts
// as a complete one of parity 1. The hint, in nanoseconds, lets the thread sleep: asking again and
// again would take turns from the warps that compute.
__device__ inline void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%0], %1, %2;\n"
      "@!complete bra again;\n"
      "}" ::"r"(barrier),
      "r"(parity), "r"(10'000'000)
      : "memory");
}

constexpr unsigned whole_warp = ~0u;  // as a mask of lanes

// True in one lane of a warp whose lanes all call this. The compiler knows that it is one: where
// only that lane copies, it needs no loop over lanes for every copy.
__device__ inline bool elect_one() {
  unsigned elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, %1;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected)
      : "r"(whole_warp));
  return elected != 0;
}

// Policies for what copies read: it keeps its rank among what the L2 cache gives up next, for it
// will not be read again soon; or it is given up last.
__device__ inline std::uint64_t pass_through_l2() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ inline std::uint64_t keep_in_l2() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// Starts copying `bytes` bytes, a multiple of 16, between addresses aligned to 16.
__device__ inline void copy_bulk(unsigned to, const void* from, unsigned bytes, unsigned barrier,
                                 std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
      : "memory");
}

// To be called after ordinary writes to shared memory that bulk copies will overwrite.
__device__ inline void order_writes_before_bulk_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace vidconv::cuda
