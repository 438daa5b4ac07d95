#include "tests/kernels/support/filters.h"

#include <cctype>
#include <random>
#include <stdexcept>

#include "kernels/filter/presets.h"
#include "kernels/spec/parse.h"

namespace vidconv::test {
namespace {

// Returns the same taps in every run and on every machine.
std::vector<double> noise_taps(int count, int numerator_range, double divisor, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<double> taps;
  for (int i = 0; i < count; ++i)
    taps.push_back(static_cast<double>(
                       static_cast<int>(random() % static_cast<unsigned>(2 * numerator_range + 1)) -
                       numerator_range) /
                   divisor);
  return taps;
}

std::vector<double> irrational_taps(int count, double gain, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<double> taps;
  for (int i = 0; i < count; ++i)
    taps.push_back(gain * (static_cast<double>(random()) / 2147483647.0 - 0.3) / count);
  return taps;
}

std::string identifier(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

Filter linear(Kernel kernel, double bias = 0, bool absolute = false) {
  Filter filter;
  filter.kernels = {std::move(kernel)};
  filter.bias = bias;
  filter.absolute = absolute;
  return filter;
}

Filter combined(Combine combine, std::vector<Kernel> kernels, double bias = 0) {
  Filter filter;
  filter.kernels = std::move(kernels);
  filter.combine = combine;
  filter.bias = bias;
  return filter;
}

Filter unsharp(Kernel detail, double threshold, double bias = 0) {
  Filter filter = combined(Combine::unsharp, {Kernel(1, 1, {1}), std::move(detail)}, bias);
  filter.threshold = threshold;
  return filter;
}

std::vector<NamedFilter> make_filters() {
  std::vector<NamedFilter> filters;
  const auto spec = [&](const std::string& text) {
    filters.push_back({identifier(text), FilterSpec::parse(text).make()});
  };
  const auto add = [&](const char* name, Filter filter) {
    filters.push_back({name, std::move(filter)});
  };
  for (const Preset& preset : presets())
    if (!FilterSpec::parse(preset.name).is_over_time()) spec(std::string(preset.name));
  for (const char* text : {"box:size=2",
                           "box:w=9:h=4",
                           "box:size=31",
                           "box:w=1:h=33",
                           "box:w=37:h=2",
                           "gaussian:sigma=0.4",
                           "gaussian:sigma=3",
                           "gaussian:sigmax=0:sigmay=5",
                           "sharpen:amount=0.3",
                           "laplacian:neighbours=8",
                           "laplacian:neighbours=7x7",
                           "sobel:size=5",
                           "sobel:size=7:norm=max",
                           "motion:angle=30",
                           "disk:radius=1.6",
                           "unsharp:amount=2:threshold=0.02",
                           "binomial:size=8",
                           "sobel:norm=l1",
                           "scharr:norm=max",
                           "sobel:axis=x",
                           "prewitt:axis=y"})
    spec(text);

  const Kernel ramp(5, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -90});
  add("row_9", linear(Kernel(9, 1, irrational_taps(9, 2, 1))));
  add("column_8", linear(Kernel(1, 8, irrational_taps(8, 2, 2))));
  add("even_4x2_exact", linear(Kernel(4, 2, noise_taps(8, 9, 16, 3))));
  add("odd_divisor_7x5", linear(Kernel(7, 5, noise_taps(35, 40, 77, 4)), 0.5));
  add("dense_6x7_quantised", linear(Kernel(6, 7, irrational_taps(42, 1.5, 5))));
  add("anchor_top_left", linear(ramp.scaled(1.0 / 90).with_anchor(0, 0), 0.25));
  add("anchor_bottom_right", linear(ramp.scaled(1.0 / 90).with_anchor(4, 2), 0, true));
  add("anchor_corner_rank_1",
      linear(outer_product(irrational_taps(6, 2, 6), irrational_taps(9, 2, 7)).with_anchor(8, 0)));
  add("absolute_bias", linear(Kernel(3, 3, noise_taps(9, 3, 4, 8)), -0.2, true));
  add("gain_40", linear(Kernel(3, 2, irrational_taps(6, 240, 9))));
  add("large_integers", linear(Kernel(3, 3, noise_taps(9, 70000, 1000, 10))));
  add("large_integers_rank_1",
      linear(outer_product(noise_taps(5, 300, 500, 11), noise_taps(4, 300, 700, 12))));
  add("exact_beyond_32_bits", linear(Kernel(3, 3, noise_taps(9, 5000000, 16000000, 13))));
  add("tiny_gain", linear(Kernel(3, 3, irrational_taps(9, 1e-3, 14)), 0.5));
  add("huge_taps", linear(Kernel(2, 2, {1e9, -1e9, 1e8 + 0.1, 0.7})));
  add("zero", linear(Kernel(3, 3, std::vector<double>(9)), 0.3));
  add("sparse", linear(Kernel(7, 7, [] {
        std::vector<double> taps(49);
        taps[3] = 0.25, taps[24] = 0.5, taps[48] = -0.125, taps[42] = 0.375;
        return taps;
      }())));
  add("wide_65x3", linear(Kernel(65, 3, irrational_taps(195, 1.2, 15))));
  add("tall_2x70", linear(Kernel(2, 70, irrational_taps(140, 1.2, 16))));

  // Matrices of low rank.
  const auto sum_of = [](std::vector<Kernel> kernels) {
    std::vector<double> taps(kernels[0].taps().size());
    for (const Kernel& k : kernels)
      for (std::size_t i = 0; i < taps.size(); ++i) taps[i] += k.taps()[i];
    return Kernel(kernels[0].width(), kernels[0].height(), std::move(taps));
  };
  const auto less_box = [](int width, int height, int tap, double amount) {
    std::vector<double> taps(static_cast<std::size_t>(width * height), -1.0 / (width * height));
    taps[static_cast<std::size_t>(tap)] += amount;
    return Kernel(width, height, std::move(taps));
  };
  const Kernel bell = FilterSpec::parse("gaussian:sigma=1.3:radius=4").make().kernels[0];
  const Kernel wide = FilterSpec::parse("gaussian:sigma=2:radius=4").make().kernels[0];
  std::vector<double> one_tap(9 * 9);
  one_tap[4 * 9 + 4] = 1.7;
  const Kernel mask = sum_of({Kernel(9, 9, one_tap), bell.scaled(-0.7)});
  add("low_rank_unsharp", linear(mask));
  add("low_rank_difference_of_bells", linear(sum_of({bell, wide.scaled(-1)}), 0.5));
  add("low_rank_absolute_anchored", linear(mask.with_anchor(0, 8), 0, true));
  add("low_rank_exact", linear(less_box(9, 9, 40, 2)));
  add("low_rank_exact_wide", linear(less_box(31, 7, 3, 1).with_anchor(30, 0), 0.5));
  add("low_rank_exact_cross", linear(Kernel(19, 19, [] {
        std::vector<double> taps(19 * 19);
        for (std::size_t i = 0; i < 19; ++i) taps[9 * 19 + i] = taps[i * 19 + 4] = 1.0 / 32;
        return taps;
      }())));
  add("low_rank_3",
      linear(sum_of({outer_product(irrational_taps(11, 1, 21), irrational_taps(12, 1, 22)),
                     outer_product(irrational_taps(11, 1, 23), irrational_taps(12, 1, 24)),
                     outer_product(irrational_taps(11, 1, 25), irrational_taps(12, 1, 26))})));
  add("low_rank_exact_4",
      linear(sum_of({outer_product(noise_taps(14, 3, 16, 27), noise_taps(14, 3, 16, 28)),
                     outer_product(noise_taps(14, 3, 16, 29), noise_taps(14, 3, 16, 30)),
                     outer_product(noise_taps(14, 3, 16, 31), noise_taps(14, 3, 16, 32)),
                     outer_product(noise_taps(14, 3, 16, 33), noise_taps(14, 3, 16, 34))})));
  add("low_rank_exact_beyond_32_bits",
      linear(
          sum_of({outer_product(noise_taps(12, 2000, 256, 35), noise_taps(12, 2000, 256, 36)),
                  outer_product(noise_taps(12, 2000, 256, 37), noise_taps(12, 2000, 256, 38))})));
  add("low_rank_l2", combined(Combine::l2, {mask, sum_of({bell, wide.scaled(-1)})}, 0.1));
  Filter low_rank_unsharp = combined(Combine::unsharp, {bell, sum_of({bell, wide.scaled(-1)})});
  low_rank_unsharp.threshold = 0.01;
  add("low_rank_unsharp_threshold", low_rank_unsharp);

  const Kernel east(3, 3, {-3, -3, 5, -3, 0, 5, -3, -3, 5});
  std::vector<Kernel> compass = {east};
  while (compass.size() < 4) compass.push_back(compass.back().rotated90());
  add("compass_max", combined(Combine::max, compass));
  add("signed_max", combined(Combine::signed_max, compass));
  add("signed_max_real",
      combined(Combine::signed_max, {Kernel(3, 3, irrational_taps(9, -2, 21)),
                                     Kernel(2, 5, irrational_taps(10, -1, 22), 0, 4)}));
  add("compass_l1_bias", combined(Combine::l1, compass, 0.125));
  add("l2_real", combined(Combine::l2, {Kernel(3, 3, irrational_taps(9, 2, 17)),
                                        Kernel(5, 2, irrational_taps(10, 2, 18))}));
  add("l1_real_mixed_sizes",
      combined(Combine::l1, {Kernel(1, 1, {0.7}), Kernel(4, 6, irrational_taps(24, 1, 19), 3, 5),
                             Kernel(7, 1, irrational_taps(7, 3, 20), 0, 0)}));
  add("max_exact_mixed_anchors",
      combined(Combine::max, {ramp.scaled(1.0 / 60).with_anchor(0, 2),
                              Kernel(1, 5, {1, -2, 0, 2, -1}).with_anchor(0, 4)}));
  const Kernel detail(3, 3, {-1, -2, -1, -2, 12, -2, -1, -2, -1});
  add("unsharp_exact", unsharp(detail.scaled(1.0 / 16), 0.03));
  add("unsharp_irrational_threshold", unsharp(detail.scaled(1.0 / 4), 0.0123456789));
  add("unsharp_real", unsharp(Kernel(5, 4, irrational_taps(20, 2, 23)), 0.05, -0.1));
  for (const char* text : {"mosaic:size=1", "mosaic:size=2", "mosaic:size=7", "mosaic:size=100"})
    spec(text);
  Filter seen_from_the_end = FilterSpec::parse("mosaic:size=5").make({2, 4});
  seen_from_the_end.blocks.across.from_end = seen_from_the_end.blocks.down.from_end = true;
  add("mosaic_of_chroma", FilterSpec::parse("mosaic:size=9").make({2, 2}));
  add("mosaic_from_the_end", seen_from_the_end);
  add("l2_one_kernel", combined(Combine::l2, {Kernel(3, 1, {-1, 0, 1})}));
  add("l1_one_matrix", combined(Combine::l1, {Kernel(5, 4, irrational_taps(20, 1, 39))}, -0.1));
  add("l2_one_product",
      combined(Combine::l2, {outer_product(irrational_taps(9, 1, 40), irrational_taps(9, 1, 41))}));
  add("l2_one_large_product", combined(Combine::l2, {outer_product(irrational_taps(40, 1, 42),
                                                                   irrational_taps(35, 1, 43))}));
  return filters;
}

}  // namespace

const std::vector<NamedFilter>& all_filters() {
  static const std::vector<NamedFilter> filters = make_filters();
  return filters;
}

std::vector<std::string> names_of_convolutions() {
  std::vector<std::string> names;
  for (const NamedFilter& filter : all_filters())
    if (filter.filter.convolves()) names.push_back(filter.name);
  return names;
}

const Filter& filter_named(const std::string& name) {
  for (const NamedFilter& f : all_filters())
    if (f.name == name) return f.filter;
  throw std::logic_error("no test filter " + name);
}

std::vector<Plan> ways(const Plan& plan) {
  std::vector<Plan> result = {plan};
  bool both = false;
  for (const Taps& t : plan.terms) both = both || (t.separable() && !t.dense.empty());
  if (!both) return result;
  Plan one_pass = plan, two_passes = plan;
  for (Taps& t : one_pass.terms) {
    if (t.dense.empty()) continue;
    t.row.clear();
    t.column.clear();
  }
  // Plans keep the one pass where an intermediate would not fit 16 bits.
  for (Taps& t : two_passes.terms)
    if (t.separable() && (plan.arith != Arith::int32 || t.row_max - t.row_min <= 65535))
      t.dense.clear();
  result.push_back(std::move(one_pass));
  result.push_back(std::move(two_passes));
  return result;
}

}  // namespace vidconv::test
