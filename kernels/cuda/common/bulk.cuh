// Bulk copies to shared memory, and the barriers there that report when they are complete (sm_90).
// The PTX ISA describes the instructions under "mbarrier" and "cp.async.bulk".
//
// cuda::ptx of libcu++ would not do: the toolkits 12.0 to 12.3 have none or only parts of it, and
// it takes pointers, from which the compiler derives addresses in shared memory again and again,
// with an instruction that takes its time.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace vidconv::cuda {

// An address in shared memory, as the instructions take it. Offsets are in bytes.
class SharedAddress {
 public:
  __device__ explicit SharedAddress(const void* in_shared_memory)
      : at_(static_cast<unsigned>(__cvta_generic_to_shared(in_shared_memory))) {}

  __device__ SharedAddress operator+(unsigned bytes) const { return SharedAddress(at_ + bytes); }
  __device__ SharedAddress& operator+=(unsigned bytes) {
    at_ += bytes;
    return *this;
  }
  __device__ bool operator==(const SharedAddress& other) const { return at_ == other.at_; }

  // Loads and stores run in the order in which they are written.
  __device__ void load(float& v) const {
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at_));
  }
  __device__ void load(std::uint16_t& v) const {
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(at_));
  }
  __device__ float2 load_pair() const {
    float2 v;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at_));
    return v;
  }
  __device__ uint2 load_words() const {
    uint2 v;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at_));
    return v;
  }
  __device__ void store(float value) const {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at_), "f"(value) : "memory");
  }
  __device__ void store(std::uint16_t value) const {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(at_), "h"(value) : "memory");
  }
  __device__ void store(float4 v) const {
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at_), "f"(v.x), "f"(v.y),
                 "f"(v.z), "f"(v.w)
                 : "memory");
  }

  __device__ unsigned get() const { return at_; }

 private:
  __device__ explicit SharedAddress(unsigned at) : at_(at) {}

  unsigned at_;
};

// Points at a barrier in shared memory. A barrier completes phase after phase: each when as many
// threads have arrived as make() said and all announced bytes are there. One thread makes a block's
// barriers and calls publish_barriers() after the last; then the block synchronises.
class Barrier {
 public:
  static constexpr unsigned bytes = 8;

  __device__ explicit Barrier(SharedAddress at) : at_(at) {}

  __device__ void make(int arrivals) const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(get()), "r"(arrivals) : "memory");
  }
  __device__ void arrive() const {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(get()) : "memory");
  }
  // Arrives, and announces `copied` bytes of bulk copies for this phase.
  __device__ void arrive_expecting(unsigned copied) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(get()), "r"(copied)
                 : "memory");
  }
  // Returns when the phase with this parity is complete. The first phase has parity 0; before it
  // completes, parity 1 counts as complete. The hint, in nanoseconds, lets the thread sleep:
  // polling would take turns from the warps that compute.
  __device__ void wait(unsigned parity) const {
    asm volatile(
        "{\n"
        ".reg .pred complete;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 complete, [%0], %1, %2;\n"
        "@!complete bra again;\n"
        "}" ::"r"(get()),
        "r"(parity), "r"(10'000'000)
        : "memory");
  }

  __device__ unsigned get() const { return at_.get(); }

 private:
  SharedAddress at_;
};

__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

constexpr unsigned whole_warp = ~0u;  // all lanes, as a mask

// Returns true in one lane of a warp whose lanes all call this. The compiler knows that it is only
// one: where only that lane copies, it needs no loop over lanes for every copy.
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

// L2 policies for data that copies read. pass_through_l2() leaves its rank in eviction unchanged,
// because it will not be read again soon; keep_in_l2() has it evicted last.
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

// Starts copying `bytes` bytes, a multiple of 16, between addresses aligned to 16. Does not block.
__device__ inline void copy_bulk(SharedAddress to, const void* from, unsigned bytes,
                                 const Barrier& barrier, std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;" ::"r"(to.get()),
      "l"(from), "r"(bytes), "r"(barrier.get()), "l"(policy)
      : "memory");
}

// Must be called after ordinary writes to shared memory that bulk copies will overwrite.
__device__ inline void order_writes_before_bulk_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace vidconv::cuda
