#include "pipeline/run/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/picture/rects.h"
#include "pipeline/filter/region_step.h"
#include "pipeline/io/md5.h"
#include "pipeline/run/beside_originals.h"

namespace vidconv {
namespace {

// Digests samples of a component, in the order of rows.
struct Digest {
  Md5 md5;
  std::int64_t samples = 0;

  void add(const ConstBytePlane& plane, int y, int from, int to, int bytes) {
    if (from >= to) return;
    samples += to - from;
    const std::byte* at = plane.row(y) + std::ptrdiff_t{from} * plane.step * bytes;
    if (plane.step == 1)
      return md5.add(at, static_cast<std::size_t>(to - from) * static_cast<std::size_t>(bytes));
    for (int x = from; x < to; ++x, at += std::ptrdiff_t{plane.step} * bytes)
      md5.add(at, static_cast<std::size_t>(bytes));
  }
  std::string take() {
    const auto text = md5.take();
    samples = 0;
    return {text.begin(), text.end()};
  }
};

// Appends to a JSON list.
void append(std::string& list, const std::string& item) {
  if (!list.empty()) list += ',';
  list += item;
}

std::string rects_json(const std::vector<Rect>& rects) {
  std::string text;
  for (const Rect& r : rects)
    append(text, fmt::format("[{},{},{},{}]", r.x, r.y, r.width, r.height));
  return fmt::format("[{}]", text);
}

class AuditProcessor final : public BesideOriginals {
 public:
  AuditProcessor(std::unique_ptr<Processor> filter, TimedWork work, const VideoInfo& video,
                 Scan scan, std::int64_t from, WriteAudit write)
      : BesideOriginals(std::move(filter), "audit"),
        work_(std::move(work)),
        time_base_(video.time_base),
        scan_(scan),
        from_(from),
        write_(std::move(write)) {
    // The audit only asks these steps for their rectangles; it never applies them.
    for (const TimedWork* stage : stages_of(work_)) {
      stages_.push_back({stage, {}, 0});
      for (const Work& one : stage->cases())
        stages_.back().cases.push_back(
            make_region_steps(one, video.width, video.height, {.whole_planes = true}, places_));
    }
  }

 private:
  Frame see(const Frame& original, Frame filtered) override {
    write_(audit(original, filtered));
    return filtered;
  }

  std::string audit(const Frame& before, const Frame& after) {
    const bool by_field = filters_by_field(before, scan_);
    std::vector<ConstBytePlane> planes;
    for (std::size_t i = 0; i < before.format().components.size(); ++i)
      planes.push_back(before.component(i));
    for (Stage& stage : stages_) {
      stage.number = stage.work->case_of(before);
      for (const auto& part : stage.cases[stage.number]) {
        if (!part) continue;
        part->set_frame(before);
        part->set_picture(planes, by_field, nullptr);
      }
    }
    std::string components;
    for (std::size_t i = 0; i < before.format().components.size(); ++i)
      if (before.format().components[i].kind != Component::Kind::padding)
        append(components, audit_component(before, after, i, by_field));
    const double time = static_cast<double>(before.av().pts) * av_q2d(time_base_);
    return fmt::format("{{\"frame\":{},\"time\":{:.6f},\"fields\":{},\"components\":[{}]}}\n",
                       from_ + before.number(), time, by_field, components);
  }

  // Returns the rectangles of a component, or of one of its fields, that may have changed.
  std::vector<Rect> part_of_component(std::size_t component, std::size_t which,
                                      const ConstBytePlane& plane) const {
    std::vector<Rect> rects;
    for (const Stage& stage : stages_) {
      const Work& work = stage.work->cases()[stage.number];
      const std::vector<Step>& steps = work.steps;
      for (std::size_t s = 0; s < steps.size(); ++s) {
        const Step& step = steps[s];
        if (!work.acts_on_output(step)) continue;
        if (std::ranges::find(step.components, component) == step.components.end()) continue;
        if (const auto& part = stage.cases[stage.number][s])
          part->add_rects(which, rects);
        else if (step.action != Action::copy)
          rects.push_back({0, 0, plane.width, plane.height});
      }
    }
    return disjoint(rects);
  }

  std::string audit_component(const Frame& before, const Frame& after, std::size_t i,
                              bool by_field) {
    const Component& c = before.format().components[i];
    std::string parts;
    for (std::size_t which = by_field ? 1 : 0; which < (by_field ? 3U : 1U); ++which) {
      const auto rows = [&](const ConstBytePlane& plane) {
        return which == 0 ? plane : field_of(plane, static_cast<int>(which) - 1);
      };
      const ConstBytePlane from = rows(before.component(i)), to = rows(after.component(i));
      const std::vector<Rect> rects = part_of_component(i, which, from);
      append(parts, rects_json(rects));
      add_rows(from, to, rects, c.sample.bytes());
    }
    const std::int64_t inside = inside_before_.samples, outside = outside_before_.samples;
    const std::string kept = outside_before_.take(), left = outside_after_.take();
    if (kept != left) {
      Error error(Fault::verification, "the audit failed", std::string(1, c.name),
                  "samples outside the filters' places have changed",
                  "please report it with the command line");
      error.set_frame(before.number());
      throw error;
    }
    const std::string was = inside_before_.take(), is = inside_after_.take();
    return fmt::format(
        "{{\"name\":\"{}\",\"width\":{},\"height\":{},\"parts\":[{}],"
        "\"inside\":{{\"samples\":{},\"before\":\"{}\",\"after\":\"{}\"}},"
        "\"outside\":{{\"samples\":{},\"before\":\"{}\",\"after\":\"{}\"}}}}",
        c.name, before.component(i).width, before.component(i).height, parts, inside, was, is,
        outside, kept, left);
  }

  void add_rows(const ConstBytePlane& from, const ConstBytePlane& to,
                const std::vector<Rect>& rects, int bytes) {
    for (int y = 0; y < from.height; ++y) {
      int at = 0;
      const auto add = [&](Digest& before, Digest& after, int end) {
        before.add(from, y, at, end, bytes);
        after.add(to, y, at, end, bytes);
        at = end;
      };
      for (const Rect& r : rects) {  // from left to right in each row
        if (y < r.y || y >= r.bottom()) continue;
        add(outside_before_, outside_after_, r.x);
        add(inside_before_, inside_after_, r.right());
      }
      add(outside_before_, outside_after_, from.width);
    }
  }

  const TimedWork work_;
  const AVRational time_base_;
  const Scan scan_;
  const std::int64_t from_;
  const WriteAudit write_;
  SharedRegions places_;
  struct Stage {
    const TimedWork* work;
    std::vector<RegionSteps> cases;
    std::size_t number;  // the case of the current frame
  };
  std::vector<Stage> stages_;
  Digest inside_before_, inside_after_, outside_before_, outside_after_;
};

}  // namespace

std::unique_ptr<Processor> make_audit_processor(std::unique_ptr<Processor> filter, TimedWork work,
                                                const VideoInfo& video, Scan scan,
                                                std::int64_t from, WriteAudit write) {
  return std::make_unique<AuditProcessor>(std::move(filter), std::move(work), video, scan, from,
                                          std::move(write));
}

}  // namespace vidconv
