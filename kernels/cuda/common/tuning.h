// Values that were measured, not derived: how the work of each variant is cut into blocks, and what
// a block costs. They are named by the architecture they were measured on (sm_90: an H200). Devices
// of other architectures use the same values until somebody measures there.
//
// To fit a line again, change it, build the preset gpu, and compare before and after
//
//     vidconv-bench kernels --device cuda --no-peers --seconds 1 --frame HD 4K 8K
// with the options that the line names. Output does not depend on anything here.
// with the options that the line names. Bytes do not depend on anything here.
#pragma once

namespace vidconv::cuda {

// The warps of a block, and the rows that each of their threads (or warps, where they work as one)
// computes.
struct BlockShape {
  int warps, strip;
};

// The cost of strips of a kernel that walks down.
struct StripCost {
  int at_once;    // blocks that share a multiprocessor; later ones begin when they have ended
  int busy;       // in halves of blocks: this many keep it busy, and fewer take as long
  int overhead;   // to begin and to end a strip, in slabs
  int most = 64;  // slabs; while strips are low, rows that neighbours both read are in the L2 cache
};

// The cost of walks in steps of 16 rows: how many steps may end in outputs, and what it costs to
// begin, in steps.
struct WalkCost {
  int least_steps, most_steps, overhead;
};

// The shape of cuda-separable-f32 without bulk copies, and of cuda-pairwise.
struct SlabShape {
  int threads, blocks_wanted;  // a block's threads; blocks on a multiprocessor
  int slab_rows, depth;        // a slab's rows; slabs in shared memory, one of them in use
  int across;                  // adjacent sums of a thread in the row pass
  int columns;                 // adjacent outputs of a thread in the column pass
};

// The shape of kernels whose rows bulk copies load.
struct BulkRing {
  int workers;           // warps that compute
  int columns;           // adjacent outputs of a thread
  int slab_rows, depth;  // a slab's rows; slabs in the ring
  int rows;              // rows that a warp works on at once
};

namespace sm90 {

inline constexpr BlockShape dense{4, 4};             // --kind dense --size 15 31 --depth 16
inline constexpr BlockShape dense_small{8, 4};       // --kind dense --size 3 5 7 9 --depth 10
inline constexpr BlockShape dense_f32{8, 4};         // --kind dense --size 11 15 17 31 --depth 32
inline constexpr BlockShape dense_imma{8, 8};        // --kind dense sobel --size 3 5 7 9
inline constexpr BlockShape dense_imma_wide{8, 8};   // --kind dense dense-16 --size 11 15 17 31
inline constexpr BlockShape separable{8, 8};         // --kind gaussian --size 31 --depth 16
inline constexpr BlockShape separable_short{4, 10};  // --kind gaussian --size 3
// --kind gaussian --size 3 9 17 31 --depth 10 12 16. The second is for more than 9 taps whose row
// sums wait as floats: more rows would not fit in shared memory.
inline constexpr BlockShape separable_small{8, 8}, separable_small_long{8, 4};

// --kind gaussian --size 5 7 9 15 17 31
inline constexpr WalkCost separable_imma{.least_steps = 3, .most_steps = 8, .overhead = 2};

// --kind gaussian --size 3 5 7 9 15 17 --depth 32. The strips' cost was fitted to the times of many
// heights.
inline constexpr BulkRing separable_f32_bulk{
    .workers = 4, .columns = 2, .slab_rows = 8, .depth = 4, .rows = 4};
// --kind gaussian --size 19 25 31 33 --depth 32: more rows at once would need more registers than
// there are.
inline constexpr BulkRing separable_f32_bulk_long{
    .workers = 4, .columns = 2, .slab_rows = 8, .depth = 4, .rows = 2};
inline constexpr StripCost separable_f32_bulk_strips{
    .at_once = 3, .busy = 3, .overhead = 0, .most = 28};
// --kind dense sobel --size 3 5 7 9 --depth 10 16 32
inline constexpr BulkRing dense_rows{
    .workers = 4, .columns = 2, .slab_rows = 8, .depth = 4, .rows = 4};
inline constexpr StripCost dense_rows_strips{.at_once = 3, .busy = 3, .overhead = 0, .most = 28};
// For gradients of 16 bits, and for floats of 5x5 and 7x7, where the device is asked for at_once.
inline constexpr StripCost dense_rows_length{.at_once = 4, .busy = 4, .overhead = 0, .most = 28};
inline constexpr StripCost dense_rows_larger{.at_once = 0, .busy = 4, .overhead = 0, .most = 28};
// cuda-separable-f32 on devices without bulk copies; the device is asked for at_once.
inline constexpr SlabShape separable_f32{
    .threads = 128, .blocks_wanted = 6, .slab_rows = 16, .depth = 2, .across = 16, .columns = 2};
inline constexpr StripCost separable_f32_strips{.at_once = 0, .busy = 9, .overhead = 3};
// --kind box --size 7 15 31 --depth 32; the device is asked for at_once.
inline constexpr SlabShape pairwise_square{
    .threads = 128, .blocks_wanted = 5, .slab_rows = 16, .depth = 3, .across = 16, .columns = 1};
inline constexpr StripCost pairwise_square_strips{.at_once = 0, .busy = 6, .overhead = 1};

}  // namespace sm90
}  // namespace vidconv::cuda
