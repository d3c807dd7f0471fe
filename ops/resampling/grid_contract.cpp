// SPDX-License-Identifier: Apache-2.0
// Images read at the places of a grid.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "ops/resampling/axes_contract.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace sampling {

// A number and its derivatives by the coordinates of the place it is for.
struct Jet {
  Number value;
  Number slope = 0;
};

struct Line {
  int64_t size;
  int64_t mode, beyond;
  bool corners;
};

Number keys(Number x) {
  constexpr Number a = -0.75L;
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}
Number keys_slope(Number x) {
  constexpr Number a = -0.75L;
  const Number sign = x < 0 ? -1 : 1;
  x = std::abs(x);
  if (x <= 1) return sign * (3 * (a + 2) * x * x - 2 * (a + 3) * x);
  return x < 2 ? sign * a * (3 * x * x - 10 * x + 8) : 0;
}

// Back at the ends until it is within them, then within the elements.
Jet brought_back(Jet at, const Line& line) {
  const Number last = static_cast<Number>(line.size - 1);
  const Number low = line.corners ? 0 : -0.5L, high = line.corners ? last : last + 0.5L;
  if (line.beyond == 2 && low == high) return {0, 0};
  while (line.beyond == 2 && (at.value < low || at.value > high)) {
    at = {2 * (at.value < low ? low : high) - at.value, -at.slope};
  }
  if (line.beyond != 0 && at.value <= 0) return {0, 0};
  if (line.beyond != 0 && at.value >= last) return {last, 0};
  return at;
}

// The element, with a fraction, that a coordinate of the grid stands for.
Jet element_at(Number x, int64_t size, bool corners) {
  const Number n = static_cast<Number>(size);
  return corners ? Jet{(x + 1) / 2 * (n - 1), (n - 1) / 2} : Jet{((x + 1) * n - 1) / 2, n / 2};
}

struct Read {
  int64_t place;
  Number weight, slope;  // of the weight by the coordinate
};

std::vector<Read> reads_of(Number x, const Line& line) {
  const Number n = static_cast<Number>(line.size);
  const Jet at = element_at(x, line.size, line.corners);
  std::vector<Read> reads;
  const auto add = [&](Number place, Number weight, Number slope) {
    if (place >= 0 && place < n) reads.push_back({static_cast<int64_t>(place), weight, slope});
  };
  if (line.mode == 2) {
    for (Number place = std::floor(at.value) - 1; place <= std::floor(at.value) + 2; ++place) {
      add(std::nearbyint(brought_back({place}, line).value), keys(at.value - place),
          keys_slope(at.value - place) * at.slope);
    }
    return reads;
  }
  const Jet within = brought_back(at, line);
  if (line.mode == 1) {
    add(std::nearbyint(within.value), 1, 0);
    return reads;
  }
  const Number before = std::floor(within.value), rest = within.value - before;
  add(before, 1 - rest, -within.slope);
  add(before + 1, rest, within.slope);
  return reads;
}

// Calls visit(place of the result in its plane, place in the image's plane, weight, its slopes) for
// the images of one batch; of NaN coordinates once, without a place.
template <class Visit>
void for_each_read(const Arguments& a, const Array& grid, const Shape& input, int64_t image,
                   const Visit& visit) {
  const size_t axes = input.size() - 2;
  const auto number = [&](const char* name) { return static_cast<int64_t>(a.number(name)); };
  const int64_t places = count_of(grid.shape) / grid.shape[0] / static_cast<int64_t>(axes);
  for (int64_t to = 0; to < places; ++to) {
    const Number* const x = grid.values.data() + static_cast<size_t>(image * places + to) * axes;
    bool is_nan = false;
    std::vector<std::vector<Read>> along;
    for (size_t k = 0; k < axes; ++k) {
      is_nan = is_nan || std::isnan(x[axes - 1 - k]);
      const Line line{input[2 + k], number("interpolationMode"), number("paddingMode"),
                      a.number("alignCorners") != 0};
      along.push_back(std::isnan(x[axes - 1 - k]) ? std::vector<Read>()
                                                  : reads_of(x[axes - 1 - k], line));
    }
    if (is_nan) {
      visit(to, std::nullopt, std::numeric_limits<Number>::quiet_NaN(), std::vector<Number>(axes));
      continue;
    }
    int64_t count = 1;
    for (const auto& reads : along) count *= static_cast<int64_t>(reads.size());
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = 0, rest = i;
      std::vector<const Read*> chosen(axes);
      for (size_t k = axes; k-- > 0; rest /= static_cast<int64_t>(along[k].size())) {
        chosen[k] = &along[k][static_cast<size_t>(rest) % along[k].size()];
      }
      Number weight = 1;
      std::vector<Number> slopes(axes, 1);
      for (size_t k = 0; k < axes; ++k) {
        from = from * input[2 + k] + chosen[k]->place;
        weight *= chosen[k]->weight;
        for (size_t other = 0; other < axes; ++other) {
          slopes[axes - 1 - other] *= other == k ? chosen[k]->slope : chosen[k]->weight;
        }
      }
      visit(to, std::optional(from), weight, slopes);
    }
  }
}

Shape sampled(Shape input, const Shape& grid) {
  for (size_t k = 2; k < input.size(); ++k) input[k] = grid[k - 1];
  return input;
}

Number part(Number x, bool magnitude) { return magnitude ? std::abs(x) : x; }

// Inputs: input, grid.
Array sample(const Arguments& a, const Arrays& in, bool magnitudes) {
  const Shape& input = in[0].shape;
  Array out = dense::full(sampled(input, in[1].shape));
  const int64_t from_size = count_of(input) / input[0] / input[1];
  const int64_t to_size = count_of(out.shape) / input[0] / input[1];
  for (int64_t plane = 0; plane < input[0] * input[1]; ++plane) {
    for_each_read(
        a, in[1], input, plane / input[1],
        [&](int64_t to, std::optional<int64_t> from, Number weight, const auto&) {
          const Number x = from ? in[0].values[static_cast<size_t>(plane * from_size + *from)] : 1;
          out.values[static_cast<size_t>(plane * to_size + to)] += part(weight * x, magnitudes);
        });
  }
  return out;
}

// Inputs: gradOutput, input, grid.
Arrays gradients(const Arguments& a, const Arrays& in, bool magnitudes) {
  const Shape& input = in[1].shape;
  const auto axes = static_cast<int64_t>(input.size()) - 2;
  Array of_input = dense::full(input), of_grid = dense::full(in[2].shape);
  const int64_t from_size = count_of(input) / input[0] / input[1];
  const int64_t to_size = count_of(in[0].shape) / input[0] / input[1];
  for (int64_t plane = 0; plane < input[0] * input[1]; ++plane) {
    for_each_read(a, in[2], input, plane / input[1],
                  [&](int64_t to, std::optional<int64_t> from, Number weight, const auto& slopes) {
                    const Number g = in[0].values[static_cast<size_t>(plane * to_size + to)];
                    const int64_t at = (plane / input[1] * to_size + to) * axes;
                    for (int64_t k = 0; k < axes; ++k) {
                      Number& sum = of_grid.values[static_cast<size_t>(at + k)];
                      if (!from) {
                        sum = weight;
                        continue;
                      }
                      const auto place = static_cast<size_t>(plane * from_size + *from);
                      Number slope = slopes[static_cast<size_t>(k)];
                      // Of a slope close to 0, too, the rounding is that of its coordinate.
                      if (magnitudes) {
                        const int64_t size = input[input.size() - 1 - static_cast<size_t>(k)];
                        slope = std::max(std::abs(slope), static_cast<Number>(size) / 2);
                      }
                      sum += part(g * in[1].values[place] * slope, magnitudes);
                    }
                    if (!from) return;
                    of_input.values[static_cast<size_t>(plane * from_size + *from)] +=
                        part(weight * g, magnitudes);
                  });
  }
  return masked(a, {of_input, of_grid});
}

// Inputs: input, grid. Coordinates meet the middle of no element nor the border of two, along no
// axis: every coordinate is moved to the nearest such number of few digits. Far outside, the
// gradient of what is not interpolated linearly is 0, or a sum of terms that cancel.
Arrays between_corners(const Arguments& a, Arrays in) {
  const auto is_between = [&](Number x) {
    return std::all_of(in[0].shape.begin() + 2, in[0].shape.end(), [&](int64_t size) {
      const Number halves = 2 * element_at(x, size, a.number("alignCorners") != 0).value;
      const Number rest = halves - std::floor(halves);
      return rest > 0.2L && rest < 0.8L;
    });
  };
  constexpr int kUnit = 64;  // of which BF16 holds all multiples here
  for (Number& x : in[1].values) {
    const Number near =
        std::nearbyint((a.number("interpolationMode") == 0 ? x : 0.75L * x) * kUnit);
    for (int k = 0; k < kUnit; ++k) {
      const Number moved = (near + (k % 2 == 0 ? k / 2 : -(k + 1) / 2)) / kUnit;
      if (!is_between(moved)) continue;
      x = moved;
      break;
    }
  }
  return in;
}

void add_sampler(std::vector<Operator>& all, Signature forward, Signature backward, size_t axes,
                 const char* check) {
  const Shape image = axes == 2 ? Shape{1, 2, 3, 4} : Shape{1, 2, 2, 3, 4};
  const Shape places = axes == 2 ? Shape{1, 2, 3, 2} : Shape{1, 1, 2, 3, 3};
  const Shape result = sampled(image, places);
  const std::vector<Parameter> options = {integer("interpolationMode", 0),
                                          integer("paddingMode", 0), flag("alignCorners")};
  std::vector<Sample> samples;
  for (const double mode : {0.0, 1.0, 2.0}) {
    if (mode == 2 && axes == 3) continue;
    for (const double beyond : {0.0, 1.0, 2.0}) {
      samples.push_back({{{"interpolationMode", mode}, {"paddingMode", beyond}}});
    }
    samples.push_back({{{"interpolationMode", mode}, {"paddingMode", 2.0}, {"alignCorners", 1.0}}});
    samples.push_back({{{"interpolationMode", mode}, {"alignCorners", 1.0}}});
  }
  const auto arrange = [axes](Arguments& a) {
    const Shape& input = a.shape("input");
    if (input.size() != axes + 2) throw std::invalid_argument("a batch of channels is sampled");
    Shape& grid = a.shape("grid");
    grid[0] = input[0];
    const Shape grid_shape = grid, input_shape = input;
    a.reshape({"out", "gradOutput"}, sampled(input_shape, grid_shape));
    a.reshape({"inputGrad"}, input_shape);
    a.reshape({"gridGrad"}, grid_shape);
  };
  const auto reference = [](bool magnitudes) {
    return [=](const Arguments& a, const Arrays& in) { return Arrays{sample(a, in, magnitudes)}; };
  };
  Operator op{.call = std::move(forward)};
  op.call.parameters =
      std::vector<Parameter>{shaped(in("input"), image), shaped(in("grid", -1.5L, 1.5L), places)} +
      options + std::vector<Parameter>{shaped(out("out"), result)};
  Shape base = image;
  base[0] = kN;
  op.domain = {.everywhere = kFloatsAndDouble,
               .max_rank = axes + 2,
               .grows = false,
               .base_shape = base,
               .arrange = arrange,
               .samples = samples};
  // Of a weight that is close to 0 the roundings of its coordinate are large.
  op.results = {.reference = reference(false),
                .bound = {.of_float = 0.51, .of_16_bits = 0.5001, .of_double = 64, .inner = 64},
                .magnitude = reference(true),
                .least_magnitude_double = 1};
  op.error_inputs = wrong_spatial("input", image);
  op.error_inputs.push_back(
      wrong_number("interpolationMode", axes == 2 ? 3 : 2, axes == 2 ? "[0, 2]" : "[0, 1]"));
  op.error_inputs.push_back(wrong_number("paddingMode", 3, "[0, 2]"));
  Shape wide = places;
  wide.back() += 1;
  op.error_inputs.push_back(
      refused("grid", "of one coordinate too many", of_shape(wide), "coordinates"));
  op.words = {"images at the places of a grid", "按网格采样图像", "grid_sample(x, grid, options)"};
  all.push_back(op);

  const auto both = [](bool magnitudes) {
    return [=](const Arguments& a, const Arrays& in) { return gradients(a, in, magnitudes); };
  };
  op.call = std::move(backward);
  op.call.parameters =
      std::vector<Parameter>{shaped(in("gradOutput"), result), shaped(in("input"), image),
                             shaped(in("grid", -1.5L, 1.5L), places)} +
      options +
      std::vector<Parameter>{no_option({"outputMask", BoolsSpec{{1, 1}}}),
                             shaped(out("inputGrad"), image), shaped(out("gridGrad"), places)};
  op.domain.base = "input";
  op.domain.samples =
      samples + std::vector<Sample>{with_mask(samples[0], {1, 0}), with_mask(samples[1], {0, 1})};
  op.results.reference = both(false);
  op.results.magnitude = both(true);
  op.results.nan_goes_through = false;
  op.gradient = Gradient{.of = all.back().name(),
                         .count = 2,
                         .smooth = between_corners,
                         .is_zero = [](const Arguments& a, std::string_view input) {
                           return input == "grid" && a.number("interpolationMode") == 1;
                         }};
  op.words = {"the gradients of images at the places of a grid", "网格采样的梯度",
              "grid_sample_backward(g, x, grid, attributes)", check};
  all.push_back(std::move(op));
}

}  // namespace sampling
}  // namespace

void add_grid_samplers(std::vector<Operator>& all) {
  sampling::add_sampler(all, ACLGRAD_CALL(aclnnGridSampler2D),
                        ACLGRAD_CALL(aclnnGridSampler2DBackward), 2, "grid_sampler2d");
  sampling::add_sampler(all, ACLGRAD_CALL(aclnnGridSampler3D),
                        ACLGRAD_CALL(aclnnGridSampler3DBackward), 3, "grid_sampler3d");
}

}  // namespace aclgrad::contract
