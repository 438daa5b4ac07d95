#include "pipeline/av/frame.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace vidconv {

Frame::Frame(FramePtr av, std::int64_t number, Memory memory)
    : av_(std::move(av)),
      format_(find_format(static_cast<AVPixelFormat>(av_->format))),
      number_(number),
      memory_(memory) {
  if (!format_)
    throw Error(Fault::internal, "a frame has a format that is not in the table",
                std::to_string(av_->format), "");
}

Frame::Frame(FramePtr av, const Frame& original, Memory memory)
    : Frame(std::move(av), original.number_, memory) {
  number_in_video_ = original.number_in_video_;
  video_ = original.video_;
}

Frame Frame::share() const {
  FramePtr other(av_frame_clone(av_.get()));
  if (!other) throw_out_of_memory("for a frame");
  Frame frame(std::move(other), *this, memory_);
  frame.window_ = window_;
  return frame;
}

std::byte* Frame::row(int p, int y) {
  return reinterpret_cast<std::byte*>(av_->data[p]) +
         static_cast<std::ptrdiff_t>(av_->linesize[p]) * y;
}

const std::byte* Frame::row(int p, int y) const { return const_cast<Frame*>(this)->row(p, y); }

BytePlane Frame::component(std::size_t i) {
  const Component& c = format_->components[i];
  return {.data = row(c.plane, 0) + format_->offset_of(c, width()),
          .stride = av_->linesize[c.plane],
          .width = format_->width_of(c, width()),
          .height = format_->height_of(c, height()),
          .step = c.step};
}

ConstBytePlane Frame::component(std::size_t i) const {
  const BytePlane p = const_cast<Frame*>(this)->component(i);
  return p.as<const std::byte>();
}

std::span<std::byte> Frame::extent() {
  std::byte* begin = row(0, 0);
  std::byte* end = begin;
  for (int p = 0; p < format_->planes; ++p) {
    std::byte* first = row(p, 0);
    std::byte* last = row(p, format_->rows(p, height()) - 1);
    begin = std::min({begin, first, last});
    end = std::max(
        {end, first + format_->row_bytes(p, width()), last + format_->row_bytes(p, width())});
  }
  return {begin, end};
}

std::span<const std::byte> Frame::extent() const { return const_cast<Frame*>(this)->extent(); }

BytePlane Frame::component_in(std::size_t i, std::byte* copy) const {
  const ConstBytePlane here = component(i);
  return here.at(copy + (here.data - extent().data()));
}

bool Frame::lie_as(const Frame& other) {
  constexpr std::ptrdiff_t row_alignment = 64;
  constexpr std::size_t tail = 128;  // encoders may read a little beyond the last row
  const std::span<const std::byte> there = other.extent();
  if (there.size() + tail > av_->buf[0]->size) return false;
  for (int p = 0; p < format_->planes; ++p)
    if (other.av_->linesize[p] <= 0 || other.av_->linesize[p] % row_alignment != 0 ||
        (other.row(p, 0) - there.data()) % row_alignment != 0)
      return false;
  for (int p = 0; p < format_->planes; ++p) {
    av_->data[p] = av_->buf[0]->data + (other.row(p, 0) - there.data());
    av_->linesize[p] = other.av_->linesize[p];
  }
  return true;
}

void swap_bytes(std::span<const std::byte> from, std::byte* to, int word) {
  const auto size = static_cast<std::size_t>(word);
  for (std::size_t i = 0; i + size <= from.size(); i += size) {
    std::array<std::byte, 4> bytes;
    std::reverse_copy(from.data() + i, from.data() + i + size, bytes.data());
    std::memcpy(to + i, bytes.data(), size);
  }
}

bool equal_pictures(const Frame& a, const Frame& b) {
  if (&a.format() != &b.format() || a.width() != b.width() || a.height() != b.height())
    return false;
  for (int p = 0; p < a.format().planes; ++p)
    for (int y = 0; y < a.format().rows(p, a.height()); ++y)
      if (std::memcmp(a.row(p, y), b.row(p, y), a.format().row_bytes(p, a.width())) != 0)
        return false;
  return true;
}

}  // namespace vidconv
