// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/loss_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "ops/engine/dtype/cast.h"
#include "ops/engine/strided.h"
#include "ops/engine/tree_sum.h"

namespace aclgrad::ops {
namespace {

constexpr size_t kMaxInputs = 5;
constexpr auto kStep = static_cast<int64_t>(kBlock);
// Elements that a thread takes at a time, in whole chunks.
constexpr int64_t kGrain = 16 * kSumChunk;

struct Source {
  std::optional<size_t> parameter;
  aclDataType dtype = ACL_FLOAT;
  StridedIndex index = {};
};

std::vector<Source> sources_of(const Arguments& arguments, const Loss& loss, const Dims& common) {
  std::vector<Source> sources;
  for (const std::optional<size_t>& input : loss.inputs) {
    sources.push_back({input});
    if (!input) continue;
    sources.back().dtype = arguments.dtype(*input);
    sources.back().index =
        StridedIndex::broadcast(arguments.shape(*input), arguments.strides(*input), common);
  }
  return sources;
}

// Blocks of all inputs, and of the result.
class Elements {
 public:
  Elements(const Run& run, const std::vector<Source>& sources, const RealKernel& formula)
      : run_(run), sources_(sources), formula_(formula) {
    for (size_t k = 0; k < sources.size(); ++k) {
      in_[k] = blocks_[k];
      if (!sources[k].parameter) std::fill_n(blocks_[k], kBlock, 1.0);
    }
  }

  // Those from element `begin` on, at most a block.
  const double* at(int64_t begin, int64_t end) {
    for (size_t k = 0; k < sources_.size(); ++k) {
      const Source& source = sources_[k];
      if (!source.parameter) continue;
      read_elements(run_.data(*source.parameter), source.dtype, source.index, begin, end,
                    blocks_[k]);
    }
    double* const out[] = {result_};
    formula_(in_, out, static_cast<size_t>(end - begin));
    return result_;
  }

 private:
  const Run& run_;
  const std::vector<Source>& sources_;
  const RealKernel& formula_;
  alignas(64) double blocks_[kMaxInputs][kBlock] = {};
  alignas(64) double result_[kBlock] = {};
  const double* in_[kMaxInputs] = {};
};

}  // namespace

Plan plan_elements(const Arguments& arguments, const Loss& loss) {
  const Dims& shape = arguments.shape(loss.out);
  if (count_elements(shape) == 0) return {};
  return {[loss, sources = sources_of(arguments, loss, shape),
           index = StridedIndex(shape, arguments.strides(loss.out)),
           dtype = arguments.dtype(loss.out)](const Run& run) -> aclError {
    parallel_pieces(index.count(), kGrain, [&](int64_t begin, int64_t end) {
      Elements elements(run, sources, loss.formula);
      for (int64_t i = begin; i < end; i += kStep) {
        const int64_t stop = std::min(end, i + kStep);
        const double* next = elements.at(i, stop);
        index.for_runs(i, stop, [&](int64_t offset, int64_t stride, int64_t n) {
          store_through(next, element(run.data(loss.out), dtype, offset), loss.dtype, dtype, stride,
                        static_cast<size_t>(n));
          next += n;
        });
      }
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_total(const Arguments& arguments, const Loss& loss, const Dims& common, int64_t divisor) {
  const auto sum = [loss, sources = sources_of(arguments, loss, common)](
                       const Run& run, int64_t begin, int64_t end) {
    Elements elements(run, sources, loss.formula);
    AccumulatorSum<double> total;
    for (int64_t i = begin; i < end; i += kStep) {
      const int64_t stop = std::min(end, i + kStep);
      total.add(elements.at(i, stop), static_cast<size_t>(stop - i));
    }
    return total.total();
  };
  return plan_chunks(arguments, loss.out, loss.dtype, count_elements(common), divisor, sum);
}

Plan plan_chunks(const Arguments& arguments, size_t out, aclDataType dtype, int64_t terms,
                 int64_t divisor,
                 std::function<double(const Run& run, int64_t begin, int64_t end)> sum) {
  const int64_t chunks = sum_chunks(terms);
  const uint64_t workspace =
      chunks <= 1 ? 0 : static_cast<uint64_t>(chunks) * sizeof(double) + alignof(double);
  return {[=, out_dtype = arguments.dtype(out)](const Run& run) -> aclError {
            double single = 0;
            double* sums = &single;
            if (workspace > 0) {
              void* start = run.workspace();
              size_t room = workspace;
              sums = static_cast<double*>(
                  std::align(alignof(double), room - alignof(double), start, room));
            }
            parallel_pieces(terms, kGrain, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; i += kSumChunk) {
                sums[i / kSumChunk] = sum(run, i, std::min(end, i + kSumChunk));
              }
            });
            double total = sums[0];
            for (int64_t i = 1; i < chunks; ++i) total += sums[i];
            total /= static_cast<double>(divisor);
            store_through(&total, run.data(out), dtype, out_dtype, 1, 1);
            return ACL_SUCCESS;
          },
          workspace};
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
