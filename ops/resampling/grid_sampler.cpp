// SPDX-License-Identifier: Apache-2.0
// aclnnGridSampler2D and 3D, their gradients.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "ops/engine/thread_scratch.h"
#include "ops/resampling/keys.h"
#include "ops/resampling/resampling_rules.h"

namespace aclgrad::ops::grid_sampler {
namespace {

enum Mode : int64_t { kBilinear, kNearest, kBicubic };
enum Beyond : int64_t { kZeros, kBorder, kReflection };
constexpr size_t kMostAxes = 3;
// Places that are worth a thread.
constexpr int64_t kMinPerThread = 1 << 10;

// Numbers of the parameters. The gradients have a mask and two outputs.
struct Sampler {
  size_t axes, input, grid, sampled, mode;

  size_t beyond() const { return mode + 1; }
  size_t corners() const { return mode + 2; }
  size_t mask() const { return mode + 3; }
  size_t input_grad() const { return mode + 4; }
  size_t grid_grad() const { return mode + 5; }
};
constexpr Sampler forward(size_t axes) { return {axes, 0, 1, 5, 2}; }
constexpr Sampler backward(size_t axes) { return {axes, 1, 2, 0, 3}; }

// ---- Checks -------------------------------------------------------------------------------------

Rule wanted(const Sampler& p, size_t output, Rule rule) {
  return when(
      [=](const Arguments& arguments) {
        return arguments.bool_array(p.mask())[output - p.input_grad()] != 0;
      },
      std::move(rule));
}

// The grid's batch is the input's, and it has a coordinate for each axis.
Rule grid_fits(const Sampler& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims &grid = arguments.shape(p.grid), &input = arguments.shape(p.input);
    const bool fits =
        grid.size() == p.axes + 2 && grid[0] == input[0] &&
        grid[p.axes + 1] == static_cast<int64_t>(p.axes) &&
        std::all_of(grid.begin() + 1, grid.end(), [](int64_t size) { return size > 0; });
    if (fits) return std::nullopt;
    return fmt::format(
        "tensor {} must have the batch of {} {}, {} sizes above 0 and {} coordinates, "
        "but is {}.",
        arguments.name(p.grid), arguments.name(p.input), to_string(input), p.axes, p.axes,
        to_string(grid));
  });
}

Rule has_sampled_shape(const Sampler& p) {
  return has_shape_of(p.sampled, [=](const Arguments& arguments) {
    Dims shape = arguments.shape(p.input);
    for (size_t i = 0; i < p.axes; ++i) shape[2 + i] = arguments.shape(p.grid)[1 + i];
    return shape;
  });
}

OperatorSpec forward_spec(const char* name, size_t axes) {
  const Sampler p = forward(axes);
  return {name,
          {input("input"), input("grid"), attribute("interpolationMode"), attribute("paddingMode"),
           attribute("alignCorners"), output("out")},
          {not_null({p.input, p.grid, p.sampled}), dtype_in(p.input, kRealFloats),
           same_dtype(p.grid, p.input), same_dtype(p.sampled, p.input),
           is_spatial(p.input, axes, true), no_private_format(p.grid), no_private_format(p.sampled),
           grid_fits(p), integer_between(p.mode, 0, axes == 2 ? kBicubic : kNearest),
           integer_between(p.beyond(), 0, kReflection), has_sampled_shape(p)}};
}

OperatorSpec backward_spec(const char* name, size_t axes) {
  const Sampler p = backward(axes);
  const auto has_two = require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t size = arguments.bool_array(p.mask()).size();
    if (size == 2) return std::nullopt;
    return fmt::format("{} must have 2 values, but has {}.", arguments.name(p.mask()), size);
  });
  return {name,
          {input("gradOutput"), input("input"), input("grid"), attribute("interpolationMode"),
           attribute("paddingMode"), attribute("alignCorners"), attribute("outputMask"),
           output("inputGrad"), output("gridGrad")},
          {not_null({p.sampled, p.input, p.grid, p.mask()}),
           live_if_given(p.input_grad()),
           live_if_given(p.grid_grad()),
           has_two,
           wanted(p, p.input_grad(), not_null({p.input_grad()})),
           wanted(p, p.grid_grad(), not_null({p.grid_grad()})),
           dtype_in(p.sampled, kRealFloats),
           same_dtype(p.input, p.sampled),
           same_dtype(p.grid, p.sampled),
           wanted(p, p.input_grad(), same_dtype(p.input_grad(), p.sampled)),
           wanted(p, p.grid_grad(), same_dtype(p.grid_grad(), p.sampled)),
           is_spatial(p.input, axes, true),
           no_private_format(p.grid),
           no_private_format(p.sampled),
           grid_fits(p),
           integer_between(p.mode, 0, axes == 2 ? kBicubic : kNearest),
           integer_between(p.beyond(), 0, kReflection),
           has_sampled_shape(p),
           wanted(p, p.input_grad(), same_shape(p.input_grad(), p.input)),
           wanted(p, p.grid_grad(), same_shape(p.grid_grad(), p.grid))}};
}

// ---- Where a place of the result reads ----------------------------------------------------------

struct Axis {
  int64_t size;
  Mode mode;
  Beyond beyond;
  bool corners;
};

// Elements of an axis with their weights and the weights' derivatives by the grid's coordinate.
struct Taps {
  int64_t count = 0;
  std::array<int64_t, 4> places = {};
  std::array<double, 4> weights = {}, slopes = {};
  bool is_nan = false;

  void add(int64_t place, int64_t size, double weight, double slope) {
    if (place < 0 || place >= size) return;  // is 0
    places[static_cast<size_t>(count)] = place;
    weights[static_cast<size_t>(count)] = weight;
    slopes[static_cast<size_t>(count)] = slope;
    ++count;
  }
};

struct Coordinate {
  double at, slope;  // by what it was before
};

// Within the axis, by reflection at its first and last elements, or at their outer sides.
Coordinate reflected(double at, const Axis& axis) {
  const auto n = static_cast<double>(axis.size);
  const double low = axis.corners ? 0 : -0.5, span = axis.corners ? n - 1 : n;
  if (span == 0) return {0, 0};
  const double distance = std::abs(at - low);
  const double turns = std::floor(distance / span), rest = std::fmod(distance, span);
  const bool is_even = std::fmod(turns, 2) == 0;
  return {low + (is_even ? rest : span - rest), (at < low) == is_even ? -1.0 : 1.0};
}

Coordinate clipped(Coordinate from, const Axis& axis) {
  const auto last = static_cast<double>(axis.size - 1);
  if (from.at <= 0) return {0, 0};
  return from.at >= last ? Coordinate{last, 0} : from;
}

Coordinate padded(double at, const Axis& axis) {
  if (axis.beyond == kZeros || std::isnan(at)) return {at, 1};
  return clipped(axis.beyond == kReflection ? reflected(at, axis) : Coordinate{at, 1}, axis);
}

Taps taps_of(double coordinate, const Axis& axis) {
  const auto n = static_cast<double>(axis.size);
  const double scale = axis.corners ? (n - 1) / 2 : n / 2;
  const double at = axis.corners ? (coordinate + 1) / 2 * (n - 1) : ((coordinate + 1) * n - 1) / 2;
  Taps taps;
  const Coordinate end = axis.mode == kBicubic ? Coordinate{at, 1} : padded(at, axis);
  taps.is_nan = std::isnan(end.at) || (std::isinf(at) && axis.beyond == kReflection);
  // So far away nothing is read where there are zeros.
  if (taps.is_nan || (axis.beyond == kZeros && std::abs(end.at) > n + 2)) return taps;
  if (axis.mode == kNearest) {
    taps.add(static_cast<int64_t>(std::nearbyint(end.at)), axis.size, 1, 0);
    return taps;
  }
  const double floor = std::floor(end.at), rest = end.at - floor;
  if (axis.mode == kBilinear) {
    const auto before = static_cast<int64_t>(floor);
    taps.add(before, axis.size, 1 - rest, -end.slope * scale);
    taps.add(before + 1, axis.size, rest, end.slope * scale);
    return taps;
  }
  const std::array<double, 4> weights = keys_weights(rest), slopes = keys_slopes(rest);
  for (size_t k = 0; k < 4; ++k) {
    const double place = padded(floor - 1 + static_cast<double>(k), axis).at;
    taps.add(static_cast<int64_t>(std::nearbyint(place)), axis.size, weights[k], slopes[k] * scale);
  }
  return taps;
}

// The taps of a place of the result along all axes: those along the first one come first. In two
// dimensions that one has a single tap.
struct Place {
  std::array<Taps, kMostAxes> taps;
  bool is_nan = false;

  // Calls visit(place in the plane, its weight, the weights' derivatives by the axes).
  template <class Visit>
  void for_each(const std::array<int64_t, kMostAxes>& sizes, const Visit& visit) const {
    for (size_t d = 0; d < static_cast<size_t>(taps[0].count); ++d) {
      for (size_t h = 0; h < static_cast<size_t>(taps[1].count); ++h) {
        for (size_t w = 0; w < static_cast<size_t>(taps[2].count); ++w) {
          const double a = taps[0].weights[d], b = taps[1].weights[h], c = taps[2].weights[w];
          visit((taps[0].places[d] * sizes[1] + taps[1].places[h]) * sizes[2] + taps[2].places[w],
                a * b * c,
                std::array<double, kMostAxes>{taps[0].slopes[d] * b * c, a * taps[1].slopes[h] * c,
                                              a * b * taps[2].slopes[w]});
        }
      }
    }
  }
};

struct Scratch {
  GrowingMemory plane, grid, sampled, slopes;
  std::vector<Place> places;
};

// ---- The plans ----------------------------------------------------------------------------------

// What both directions need: the images' planes, one behind the other, and the grids.
class Sampling {
 public:
  Sampling(const Arguments& arguments, const Sampler& p)
      : images(arguments.shape(p.input)[0]),
        channels(arguments.shape(p.input)[1]),
        input(arguments, p.input, dimensions(2, p.axes)),
        grid(arguments, p.grid, dimensions(1, p.axes + 1)),
        sampled(arguments, p.sampled, dimensions(2, p.axes)),
        axes_(p.axes) {
    sizes.fill(1);
    for (size_t i = 0; i < p.axes; ++i) {
      sizes[kMostAxes - p.axes + i] = arguments.shape(p.input)[2 + i];
    }
    for (size_t i = 0; i < kMostAxes; ++i) {
      all_[i] = {sizes[i], static_cast<Mode>(arguments.integer(p.mode)),
                 static_cast<Beyond>(arguments.integer(p.beyond())), arguments.flag(p.corners())};
    }
  }

  int64_t elements() const { return input.index.count(); }
  int64_t places() const { return sampled.index.count(); }

  // Places [begin, end) of an image's grid.
  void find_places(const Run& run, int64_t image, int64_t begin, int64_t end,
                   Scratch& scratch) const {
    const auto axes = static_cast<int64_t>(axes_);
    double* const coordinates = scratch.grid.of<double>((end - begin) * axes);
    grid.read(run, begin * axes, end * axes, coordinates, grid.starts.offset(image));
    scratch.places.resize(static_cast<size_t>(end - begin));
    for (int64_t i = 0; i < end - begin; ++i) {
      Place& place = scratch.places[static_cast<size_t>(i)];
      place.is_nan = false;
      for (size_t axis = 0; axis < kMostAxes; ++axis) {
        Taps& taps = place.taps[axis];
        // The first coordinate is the last axis's.
        const int64_t number = static_cast<int64_t>(kMostAxes - 1 - axis);
        if (number >= axes) {
          taps = {};
          taps.add(0, 1, 1, 0);
        } else {
          taps = taps_of(coordinates[i * axes + number], all_[axis]);
        }
        place.is_nan = place.is_nan || taps.is_nan;
      }
    }
  }

  int64_t images, channels;
  Slices input, grid, sampled;
  std::array<int64_t, kMostAxes> sizes;

 private:
  size_t axes_;
  std::array<Axis, kMostAxes> all_;
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Plan plan_sampler(const Arguments& arguments, size_t axes) {
  const Sampler p = forward(axes);
  if (arguments.empty(p.sampled)) return {};
  const auto all = std::make_shared<const Sampling>(arguments, p);
  return {[all](const Run& run) -> aclError {
    parallel_pieces(all->images, 1, [&](int64_t begin, int64_t end) {
      const ThreadScratch<Scratch> scratch;
      double* const plane = scratch->plane.of<double>(all->elements());
      double* const results = scratch->sampled.of<double>(all->places());
      for (int64_t image = begin; image < end; ++image) {
        all->find_places(run, image, 0, all->places(), *scratch);
        for (int64_t c = 0; c < all->channels; ++c) {
          const int64_t i = image * all->channels + c;
          all->input.read(run, 0, all->elements(), plane, all->input.starts.offset(i));
          for (int64_t k = 0; k < all->places(); ++k) {
            const Place& place = scratch->places[static_cast<size_t>(k)];
            double sum = 0;
            place.for_each(all->sizes, [&](int64_t from, double weight, const auto&) {
              sum += weight * plane[from];
            });
            results[k] = place.is_nan ? kNan : sum;
          }
          all->sampled.write(run, results, 0, all->places(), all->sampled.starts.offset(i));
        }
      }
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_sampler_backward(const Arguments& arguments, size_t axes) {
  const Sampler p = backward(axes);
  const std::vector<char>& mask = arguments.bool_array(p.mask());
  const bool of_input = mask[0] != 0, of_grid = mask[1] != 0;
  if (arguments.empty(p.input) || !(of_input || of_grid)) return {};
  const auto all = std::make_shared<const Sampling>(arguments, p);
  const Slices input_grad =
      of_input ? Slices(arguments, p.input_grad(), dimensions(2, axes)) : Slices();
  const Slices grid_grad =
      of_grid ? Slices(arguments, p.grid_grad(), dimensions(1, axes + 1)) : Slices();
  return {[=](const Run& run) -> aclError {
    parallel_pieces(all->images, 1, [&](int64_t begin, int64_t end) {
      const ThreadScratch<Scratch> scratch;
      double* const planes = scratch->plane.of<double>(2 * all->elements());
      double* const values = planes + all->elements();
      double* const g = scratch->sampled.of<double>(all->places());
      const auto coordinates = static_cast<int64_t>(axes);
      double* const slopes = scratch->slopes.of<double>(all->places() * coordinates);
      for (int64_t image = begin; image < end; ++image) {
        all->find_places(run, image, 0, all->places(), *scratch);
        std::fill_n(slopes, all->places() * coordinates, 0.0);
        for (int64_t c = 0; c < all->channels; ++c) {
          const int64_t i = image * all->channels + c;
          all->sampled.read(run, 0, all->places(), g, all->sampled.starts.offset(i));
          if (of_grid)
            all->input.read(run, 0, all->elements(), values, all->input.starts.offset(i));
          std::fill_n(planes, all->elements(), 0.0);
          for (int64_t k = 0; k < all->places(); ++k) {
            const Place& place = scratch->places[static_cast<size_t>(k)];
            double* const of_place = slopes + k * coordinates;
            if (place.is_nan) {
              std::fill_n(of_place, coordinates, kNan);
              continue;
            }
            place.for_each(all->sizes, [&](int64_t at, double weight, const auto& by_axes) {
              planes[at] += weight * g[k];
              if (!of_grid) return;
              for (int64_t a = 0; a < coordinates; ++a) {
                of_place[a] += g[k] * values[at] * by_axes[kMostAxes - 1 - static_cast<size_t>(a)];
              }
            });
          }
          if (of_input)
            input_grad.write(run, planes, 0, all->elements(), input_grad.starts.offset(i));
        }
        if (of_grid) {
          grid_grad.write(run, slopes, 0, all->places() * coordinates,
                          grid_grad.starts.offset(image));
        }
      }
    });
    return ACL_SUCCESS;
  }};
}

const OperatorSpec kForward2d = forward_spec("aclnnGridSampler2D", 2);
const OperatorSpec kForward3d = forward_spec("aclnnGridSampler3D", 3);
const OperatorSpec kBackward2d = backward_spec("aclnnGridSampler2DBackward", 2);
const OperatorSpec kBackward3d = backward_spec("aclnnGridSampler3DBackward", 3);

}  // namespace

ACLGRAD_OPERATOR(aclnnGridSampler2D, kForward2d,
                 [](const Arguments& arguments) { return plan_sampler(arguments, 2); })
ACLGRAD_OPERATOR(aclnnGridSampler3D, kForward3d,
                 [](const Arguments& arguments) { return plan_sampler(arguments, 3); })
ACLGRAD_OPERATOR(aclnnGridSampler2DBackward, kBackward2d,
                 [](const Arguments& arguments) { return plan_sampler_backward(arguments, 2); })
ACLGRAD_OPERATOR(aclnnGridSampler3DBackward, kBackward3d,
                 [](const Arguments& arguments) { return plan_sampler_backward(arguments, 3); })

}  // namespace aclgrad::ops::grid_sampler
