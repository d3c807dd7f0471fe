// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/loss_kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "ops/engine/reduce.h"
#include "ops/engine/tree_sum.h"
#include "ops/loss/loss_reduction.h"

namespace aclgrad::ops {
namespace {

constexpr size_t kMaxInputs = 5;
// Elements that a thread takes at a time, in whole chunks.
constexpr int64_t kGrain = 16 * kSumChunk;

alignas(64) constexpr std::array<double, kBlock> kOnes = [] {
  std::array<double, kBlock> ones{};
  ones.fill(1);
  return ones;
}();

// The formula over the inputs that there are.
RealKernel kernel_of(const Loss& loss) {
  return [loss](const double* const* in, double* const* out, size_t count) {
    const double* all[kMaxInputs];
    for (size_t k = 0; k < loss.inputs.size(); ++k) all[k] = loss.inputs[k] ? *in++ : kOnes.data();
    loss.formula(all, out, count);
  };
}

// What losses are made of, block by block.
struct Terms {
  std::vector<Elements> inputs = {};
  RealKernel kernel;

  Terms(const Arguments& arguments, const Loss& loss, const Dims& common)
      : kernel(kernel_of(loss)) {
    for (const std::optional<size_t>& input : loss.inputs) {
      if (input) inputs.emplace_back(arguments, *input, common);
    }
  }

  // In the order of tree_sum.h.
  double sum(const Run& run, int64_t begin, int64_t end) const {
    alignas(64) double blocks[kMaxInputs + 1][kBlock];
    std::fill_n(blocks[0], (inputs.size() + 1) * kBlock, 0.0);
    const double* in[kMaxInputs];
    for (size_t k = 0; k < inputs.size(); ++k) in[k] = blocks[k];
    double* const out[] = {blocks[inputs.size()]};
    AccumulatorSum<double> total;
    for_blocks(begin, end, [&](int64_t first, int64_t stop) {
      const auto count = static_cast<size_t>(stop - first);
      for (size_t k = 0; k < inputs.size(); ++k) inputs[k].read(run, first, stop, blocks[k]);
      kernel(in, out, count);
      total.add(out[0], count);
    });
    return total.total();
  }
};

// A sum of terms, by a divisor.
struct TotalLoss {
  using State = double;

  int64_t terms, divisor;
  aclDataType through;  // the result is rounded to it first
  Elements out;
  ChunkSum sum;

  int64_t outputs() const { return 1; }
  int64_t chunks() const { return std::max<int64_t>(1, sum_chunks(terms)); }
  int64_t together() const { return 1; }
  int64_t grain() const { return kGrain / kSumChunk; }
  void reduce(const Run& run, int64_t, int64_t, int64_t chunk, double* total) const {
    const int64_t begin = chunk * kSumChunk;
    *total = begin < terms ? sum(run, begin, std::min(terms, begin + kSumChunk)) : 0;
  }
  void merge(double& total, double next) const { total += next; }
  void finish(const Run& run, int64_t, int64_t, double* total) const {
    *total /= static_cast<double>(divisor);
    out.write_through(run, total, through, 0, 1);
  }
};

}  // namespace

Plan plan_elements(const Arguments& arguments, const Loss& loss) {
  const Dims& shape = arguments.shape(loss.out);
  if (count_elements(shape) == 0) return {};
  Operand out = operand(arguments, loss.out, shape);
  out.intermediate_dtype = loss.dtype;
  std::vector<Operand> inputs;
  for (const std::optional<size_t>& input : loss.inputs) {
    if (input) inputs.push_back(operand(arguments, *input, shape));
  }
  return Elementwise(shape, {out}, inputs, kernel_of(loss)).plan();
}

Plan plan_total(const Arguments& arguments, const Loss& loss, const Dims& common, int64_t divisor) {
  return plan_chunks(
      arguments, loss.out, loss.dtype, count_elements(common), divisor,
      [terms = Terms(arguments, loss, common)](const Run& run, int64_t begin, int64_t end) {
        return terms.sum(run, begin, end);
      });
}

Plan plan_loss(const Arguments& arguments, size_t reduction, const Dims& common, const Loss& loss) {
  if (!reduces(arguments, reduction)) return plan_elements(arguments, loss);
  return plan_total(arguments, loss, common,
                    loss_divisor(arguments, reduction, count_elements(common)));
}

Plan plan_chunks(const Arguments& arguments, size_t out, aclDataType dtype, int64_t terms,
                 int64_t divisor, ChunkSum sum) {
  return plan_reduction(TotalLoss{terms, divisor, dtype, Elements(arguments, out), std::move(sum)});
}

// ---- Formulas -----------------------------------------------------------------------------------

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// No number is NaN or an infinity: to their exponents, all ones, 1 is added. In vectors.
bool are_finite(const double* x, size_t count) {
  uint64_t carried = 0;
  for (size_t i = 0; i < count; ++i) {
    carried |= (std::bit_cast<uint64_t>(x[i]) << 1 >> 1) + (uint64_t{1} << 52);
  }
  return carried >> 63 == 0;
}

// The limit of factor * x for x to infinity.
double times_infinity(double factor) { return factor == 0 ? 0 : factor * kInfinity; }

}  // namespace

RealKernel binary_cross_entropy(RealKernel softplus) {
  return
      [softplus = std::move(softplus)](const double* const* in, double* const* out, size_t count) {
        // log(1 + e^-x)
        alignas(64) double negative[kBlock] = {};
        alignas(64) double rest[kBlock];
        for (size_t i = 0; i < count; ++i) negative[i] = -in[0][i];
        const double* const from[] = {negative};
        double* const to[] = {rest};
        softplus(from, to, count);
        for (size_t i = 0; i < count; ++i) {
          const double x = in[0][i], t = in[1][i], weight = in[2][i], positive = in[3][i];
          out[0][i] = weight * ((1 - t) * x + (1 + (positive - 1) * t) * rest[i]);
        }
        if (are_finite(in[0], count)) return;
        // No inf - inf, nor 0 * inf: of the two sides, the one that grows counts.
        for (size_t i = 0; i < count; ++i) {
          const double x = in[0][i], t = in[1][i], weight = in[2][i], positive = in[3][i];
          if (std::isinf(x)) out[0][i] = times_infinity(weight * (x > 0 ? 1 - t : positive * t));
        }
      };
}

RealKernel binary_cross_entropy_gradient(RealKernel sigmoid, double divisor) {
  return [divisor, sigmoid = std::move(sigmoid)](const double* const* in, double* const* out,
                                                 size_t count) {
    alignas(64) double slope[kBlock];
    double* const to[] = {slope};
    sigmoid(in + 1, to, count);
    for (size_t i = 0; i < count; ++i) {
      const double g = in[0][i], t = in[2][i], weight = in[3][i], positive = in[4][i];
      const double all = positive * t;
      out[0][i] = g * weight * ((all + (1 - t)) * slope[i] - all) / divisor;
    }
  };
}

RealKernel absolute_error(double beta) {
  return [beta](const double* const* in, double* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const double size = std::abs(in[0][i] - in[1][i]);
      out[0][i] = size < beta ? size * size / (2 * beta) : size - beta / 2;
    }
  };
}

RealKernel absolute_error_gradient(double beta, double divisor) {
  return [beta, divisor](const double* const* in, double* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const double x = in[1][i] - in[2][i];
      const double sign = x == 0 || std::isnan(x) ? x : std::copysign(1.0, x);
      out[0][i] = in[0][i] * (std::abs(x) < beta ? x / beta : sign) / divisor;
    }
  };
}

}  // namespace aclgrad::ops
