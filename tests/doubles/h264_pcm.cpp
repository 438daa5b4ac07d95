#include "tests/doubles/h264_pcm.h"

#include <algorithm>
#include <bit>

namespace vidconv::test {
namespace {

constexpr int nal_slice = 1, nal_idr = 5, nal_sps = 7, nal_pps = 8;
constexpr int counter_bits = 16;  // size of frame_num and pic_order_cnt_lsb

class Bits {
 public:
  void u(int bits, unsigned value) {
    if (bits == 8 && used_ % 8 == 0) {  // the fast path for most of a picture
      bytes_ += static_cast<char>(value);
      used_ += 8;
      return;
    }
    for (int i = bits - 1; i >= 0; --i) {
      if (used_ % 8 == 0) bytes_ += '\0';
      bytes_.back() = static_cast<char>(static_cast<unsigned char>(bytes_.back()) |
                                        ((value >> i & 1u) << (7 - used_ % 8)));
      ++used_;
    }
  }
  void ue(unsigned value) {
    const auto bits = static_cast<int>(std::bit_width(value + 1));
    u(bits - 1, 0);
    u(bits, value + 1);
  }
  void align() {
    while (used_ % 8 != 0) u(1, 0);
  }
  // Returns all bits with trailing bits, as a NAL unit of a byte stream.
  std::string nal(int type, int reference) {
    u(1, 1);
    align();
    std::string unit{'\0', '\0', '\0', '\1', static_cast<char>(reference << 5 | type)};
    int zeros = 0;
    for (const char byte : bytes_) {
      if (zeros == 2 && static_cast<unsigned char>(byte) <= 3) {
        unit += '\3';
        zeros = 0;
      }
      unit += byte;
      zeros = byte == '\0' ? zeros + 1 : 0;
    }
    return unit;
  }

 private:
  std::string bytes_;
  std::size_t used_ = 0;  // bits
};

int blocks(int samples) { return (samples + 15) / 16; }

void put_vui(Bits& b, const PcmVideo& video) {
  b.u(1, 0);  // aspect_ratio_info_present_flag
  b.u(1, 0);  // overscan_info_present_flag
  b.u(1, 1);  // video_signal_type_present_flag
  b.u(3, 5);  // video_format: unspecified
  b.u(1, video.full_range);
  b.u(1, 1);  // colour_description_present_flag
  for (const int code : {video.primaries, video.transfer, video.matrix})
    b.u(8, static_cast<unsigned>(code));
  b.u(1, 0);  // chroma_loc_info_present_flag
  b.u(1, 0);  // timing_info_present_flag
  b.u(2, 0);  // nal_hrd_parameters_present_flag, vcl_hrd_parameters_present_flag
  b.u(1, 0);  // pic_struct_present_flag
  b.u(1, 1);  // bitstream_restriction_flag
  b.u(1, 1);  // motion_vectors_over_pic_boundaries_flag
  // max_bytes_per_pic_denom, max_bits_per_mb_denom: no limit; log2_max_mv_length_*
  for (const unsigned value : {0u, 0u, 16u, 16u}) b.ue(value);
  b.ue(static_cast<unsigned>(video.reorder));
  b.ue(static_cast<unsigned>(video.reorder + 1));  // max_dec_frame_buffering
}

std::string sequence(const PcmVideo& video) {
  Bits b;
  b.u(8, video.full_chroma ? 244 : video.depth > 8 ? 110 : 100);  // profile_idc
  b.u(8, 0);                                                      // constraints
  b.u(8, 52);                                                     // level_idc
  b.ue(0);                                                        // seq_parameter_set_id
  b.ue(video.full_chroma ? 3 : 1);                                // chroma_format_idc
  if (video.full_chroma) b.u(1, 0);                               // separate_colour_plane_flag
  b.ue(static_cast<unsigned>(video.depth - 8));
  b.ue(static_cast<unsigned>(video.depth - 8));
  b.u(2, 0);  // qpprime_y_zero_transform_bypass_flag, seq_scaling_matrix_present_flag
  b.ue(counter_bits - 4);
  b.ue(0);  // pic_order_cnt_type
  b.ue(counter_bits - 4);
  b.ue(1);    // max_num_ref_frames
  b.u(1, 0);  // gaps_in_frame_num_value_allowed_flag
  const int width = blocks(video.width), height = blocks(video.height);
  b.ue(static_cast<unsigned>(width - 1));
  b.ue(static_cast<unsigned>(height - 1));
  b.u(2, 3);  // frame_mbs_only_flag, direct_8x8_inference_flag
  const int unit = video.full_chroma ? 1 : 2;
  b.u(1, 1);  // frame_cropping_flag
  b.ue(0);
  b.ue(static_cast<unsigned>((width * 16 - video.width) / unit));
  b.ue(0);
  b.ue(static_cast<unsigned>((height * 16 - video.height) / unit));
  b.u(1, 1);  // vui_parameters_present_flag
  put_vui(b, video);
  return b.nal(nal_sps, 3);
}

std::string picture_parameters() {
  Bits b;
  b.ue(0);    // pic_parameter_set_id
  b.ue(0);    // seq_parameter_set_id
  b.u(2, 0);  // entropy_coding_mode_flag: CAVLC; bottom_field_pic_order_in_frame_present_flag
  b.ue(0);    // num_slice_groups_minus1
  b.ue(0);    // num_ref_idx_l0_default_active_minus1
  b.ue(0);    // num_ref_idx_l1_default_active_minus1
  b.u(3, 0);  // weighted_pred_flag, weighted_bipred_idc
  b.ue(0);    // pic_init_qp_minus26
  b.ue(0);    // pic_init_qs_minus26
  b.ue(0);    // chroma_qp_index_offset
  b.u(3, 4);  // deblocking_filter_control_present_flag, constrained_intra_pred_flag,
              // redundant_pic_cnt_present_flag
  return b.nal(nal_pps, 3);
}

}  // namespace

std::string pcm_headers(const PcmVideo& video) { return sequence(video) + picture_parameters(); }

std::string pcm_picture(const PcmVideo& video, const PcmPlace& place, const PcmPlanes& planes) {
  constexpr unsigned wrap = (1u << counter_bits) - 1;
  Bits b;
  b.ue(0);  // first_mb_in_slice
  b.ue(7);  // slice_type: I, as all of the picture
  b.ue(0);  // pic_parameter_set_id
  b.u(counter_bits, static_cast<unsigned>(place.references_before) & wrap);
  if (place.idr) b.ue(0);  // idr_pic_id
  b.u(counter_bits, 2 * static_cast<unsigned>(place.shown_at) & wrap);
  // dec_ref_pic_marking()
  if (place.idr)
    b.u(2, 0);
  else if (place.reference)
    b.u(1, 0);
  b.ue(0);  // slice_qp_delta
  b.ue(1);  // disable_deblocking_filter_idc

  const int part = video.full_chroma ? 1 : 2;
  for (int my = 0; my < blocks(video.height); ++my)
    for (int mx = 0; mx < blocks(video.width); ++mx) {
      b.ue(25);  // mb_type: I_PCM
      b.align();
      for (std::size_t p = 0; p < 3; ++p) {
        const int by = p == 0 ? 1 : part, size = 16 / by;
        const int width = video.width / by, height = video.height / by;
        for (int y = my * size; y < (my + 1) * size; ++y)
          for (int x = mx * size; x < (mx + 1) * size; ++x)
            b.u(video.depth, planes[p][static_cast<std::size_t>(std::min(y, height - 1) * width +
                                                                std::min(x, width - 1))]);
      }
    }
  return b.nal(place.idr ? nal_idr : nal_slice, place.reference ? 3 : 0);
}

}  // namespace vidconv::test
