// SPDX-License-Identifier: Apache-2.0
// aclnnCdist, aclnnCdistBackward.
#include "aclnnop/aclnn_cdist.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "aclnnop/aclnn_cdist_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/iterate.h"
#include "ops/engine/math/scalar_math.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::cdist {
namespace {

namespace cdist {

// Terms that a thread takes at a time.
constexpr int64_t kGrain = 1 << 14;

// ---- Checks of both directions ------------------------------------------------------------------

// [.., P, M] and [.., R, M]: where they broadcast, [.., P, R].
std::optional<Dims> distances_shape(const Dims& x1, const Dims& x2) {
  const size_t n1 = x1.size(), n2 = x2.size();
  Dims shape;
  if (n1 < 2 || n2 < 2 || x1[n1 - 1] != x2[n2 - 1] ||
      !broadcast_shapes(Dims(x1.data(), n1 - 2), Dims(x2.data(), n2 - 2), shape)) {
    return std::nullopt;
  }
  shape.push_back(x1[n1 - 2]);
  shape.push_back(x2[n2 - 2]);
  return shape;
}

Rule are_points(size_t x1, size_t x2) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (distances_shape(arguments.shape(x1), arguments.shape(x2))) return std::nullopt;
    return fmt::format(
        "tensors {} {} and {} {} must be rows of one length, with dimensions before them that "
        "broadcast.",
        arguments.name(x1), to_string(arguments.shape(x1)), arguments.name(x2),
        to_string(arguments.shape(x2)));
  });
}

Rule has_distances_shape(size_t tensor, size_t x1, size_t x2) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims expected = *distances_shape(arguments.shape(x1), arguments.shape(x2));
    if (arguments.shape(tensor) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(tensor),
                       to_string(expected), to_string(arguments.shape(tensor)));
  });
}

Rule is_norm(size_t p, bool negative_is_infinite) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const double value = arguments.real(p);
    if (value >= 0 || (negative_is_infinite && value == -1)) return std::nullopt;
    return fmt::format("{} must be at least 0{}, but is {}.", arguments.name(p),
                       negative_is_infinite ? ", or -1 for infinity" : "", value);
  });
}

// The rows of a tensor [.., rows, columns], its dimensions before these broadcast.
Slices vectors_of(const Arguments& arguments, size_t tensor, const Dims& distances) {
  const Dims& own = arguments.shape(tensor);
  Dims common(distances.data(), distances.size() - 2);
  common.push_back(own[own.size() - 2]);
  common.push_back(own[own.size() - 1]);
  const Dims strides = broadcast_strides(own, arguments.strides(tensor), common);
  const DimSet inside = dimensions(common.size() - 1, 1);
  Slices rows;
  rows.parameter = tensor;
  rows.dtype = arguments.dtype(tensor);
  rows.index = {selected(common, inside, true), selected(strides, inside, true)};
  rows.starts = {selected(common, inside, false), selected(strides, inside, false)};
  return rows;
}

// ---- Forward ------------------------------------------------------------------------------------

enum : size_t { kX1, kX2, kP, kComputeMode, kOut };

const OperatorSpec kSpec{
    "aclnnCdist",
    {input("x1"), input("x2"), attribute("p"), attribute("computeMode"), output("out")},
    Rules{not_null({kX1, kX2, kOut}), dtype_in(kX1, kRealFloats), same_dtype({kX2, kOut}, kX1),
          max_rank({kX1, kX2}), are_points(kX1, kX2), has_distances_shape(kOut, kX1, kX2),
          is_norm(kP, false), integer_between(kComputeMode, 0, 2)}};

struct Distances {
  Slices x1, x2, out;
  double p;

  void add(const double* a, const double* b, int64_t count, double& total) const {
    for (int64_t i = 0; i < count; ++i) {
      const double d = std::abs(a[i] - b[i]);
      if (p == 2) {
        total += d * d;
      } else if (p == 1) {
        total += d;
      } else if (p == 0) {
        total += d == 0 ? 0 : d > 0 ? 1 : d;  // NaN stays
      } else if (std::isinf(p)) {
        if (d > total || std::isnan(d)) total = d;
      } else {
        total += power(d, p);
      }
    }
  }
  double root(double total) const {
    if (p == 2) return std::sqrt(total);
    return p == 0 || p == 1 || std::isinf(p) ? total : power(total, 1 / p);
  }

  void run_row(const Run& run, int64_t row, int64_t rows, int64_t others) const {
    const int64_t columns = x1.index.count();
    const int64_t first = x1.starts.offset(row);
    const int64_t base = row / rows * others;
    for_blocks(0, others, [&](int64_t begin, int64_t end) {
      double distances[kBlock] = {};
      for_blocks(0, columns, [&](int64_t from, int64_t to) {
        double a[kBlock], b[kBlock];
        x1.read(run, from, to, a, first);
        for (int64_t r = begin; r < end; ++r) {
          x2.read(run, from, to, b, x2.starts.offset(base + r));
          add(a, b, to - from, distances[r - begin]);
        }
      });
      for (int64_t r = begin; r < end; ++r) distances[r - begin] = root(distances[r - begin]);
      out.write(run, distances, begin, end, out.starts.offset(row));
    });
  }
};

int64_t rows_of_a_piece(int64_t others, int64_t columns) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, others * columns));
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Dims& shape = arguments.shape(kOut);
  const int64_t rows = shape[shape.size() - 2], others = shape[shape.size() - 1];
  const Distances distances{vectors_of(arguments, kX1, shape), vectors_of(arguments, kX2, shape),
                            vectors_of(arguments, kOut, shape), arguments.real(kP)};
  const int64_t grain = rows_of_a_piece(others, distances.x1.index.count());
  return {[=, count = count_elements(shape) / others](const Run& run) -> aclError {
    parallel_pieces(count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) distances.run_row(run, row, rows, others);
    });
    return ACL_SUCCESS;
  }};
}

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGrad, kX1, kX2, kCdist, kP, kGradX1 };

Dims gradient_shape(const Arguments& arguments) {
  Dims shape = *distances_shape(arguments.shape(kX1), arguments.shape(kX2));
  const Dims& x1 = arguments.shape(kX1);
  shape[shape.size() - 1] = x1[x1.size() - 1];
  return shape;
}

// Of x1, its dimensions before the rows broadcast.
Rule has_gradient_shape() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims expected = gradient_shape(arguments);
    if (arguments.shape(kGradX1) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(kGradX1),
                       to_string(expected), to_string(arguments.shape(kGradX1)));
  });
}

const OperatorSpec kSpec{
    "aclnnCdistBackward",
    {input("grad"), input("x1"), input("x2"), input("cdist"), attribute("p"), output("gradX1")},
    Rules{not_null({kGrad, kX1, kX2, kCdist, kGradX1}), dtype_in(kGrad, kRealFloats),
          same_dtype({kX1, kX2, kCdist, kGradX1}, kGrad), max_rank({kX1, kX2}),
          are_points(kX1, kX2), has_distances_shape(kGrad, kX1, kX2),
          has_distances_shape(kCdist, kX1, kX2), has_gradient_shape(), is_norm(kP, true)}};

struct Slopes {
  Slices grad, x1, x2, cdist, out;
  double p;

  // What the differences of one distance count, besides their own powers.
  double share(double g, double e) const {
    if (p == 1) return g;
    if (p == 0 || e == 0) return 0;
    if (std::isinf(p)) return g;
    return p == 2 ? g / e : g / power(e, p - 1);
  }
  double slope(double d, double e) const {
    const double sign = d > 0 ? 1 : d < 0 ? -1 : d;  // NaN stays
    if (p == 2) return d;
    if (p == 1) return sign;
    if (std::isinf(p)) return std::abs(d) == e || std::isnan(d) ? sign : 0;
    return d == 0 ? 0 : sign * power(std::abs(d), p - 1);
  }

  void run_row(const Run& run, int64_t row, int64_t rows, int64_t others) const {
    const int64_t first = x1.starts.offset(row), base = row / rows * others;
    const int64_t grads = grad.starts.offset(row), distances = cdist.starts.offset(row);
    for_blocks(0, x1.index.count(), [&](int64_t from, int64_t to) {
      double a[kBlock], b[kBlock], total[kBlock] = {};
      x1.read(run, from, to, a, first);
      for (int64_t r = 0; r < others; ++r) {
        double g, e;
        grad.read(run, r, r + 1, &g, grads);
        cdist.read(run, r, r + 1, &e, distances);
        const double part = share(g, e);
        if (part == 0 && (p == 0 || e == 0)) continue;  // whatever the differences are
        x2.read(run, from, to, b, x2.starts.offset(base + r));
        for (int64_t i = 0; i < to - from; ++i) total[i] += part * slope(a[i] - b[i], e);
      }
      out.write(run, total, from, to, out.starts.offset(row));
    });
  }
};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGradX1)) return {};
  if (arguments.empty(kGrad)) return plan_fill(arguments, {kGradX1}, 0);
  const Dims& shape = arguments.shape(kGrad);
  const int64_t rows = shape[shape.size() - 2], others = shape[shape.size() - 1];
  const double p = arguments.real(kP);
  const Slopes slopes{
      vectors_of(arguments, kGrad, shape),   vectors_of(arguments, kX1, shape),
      vectors_of(arguments, kX2, shape),     vectors_of(arguments, kCdist, shape),
      vectors_of(arguments, kGradX1, shape), p == -1 ? std::numeric_limits<double>::infinity() : p};
  const int64_t grain = rows_of_a_piece(others, slopes.x1.index.count());
  return {[=, count = count_elements(shape) / others](const Run& run) -> aclError {
    parallel_pieces(count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) slopes.run_row(run, row, rows, others);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace backward
}  // namespace cdist
}  // namespace

ACLGRAD_OPERATOR(aclnnCdist, cdist::kSpec, cdist::plan)
ACLGRAD_OPERATOR(aclnnCdistBackward, cdist::backward::kSpec, cdist::backward::plan)

}  // namespace aclgrad::ops::cdist
