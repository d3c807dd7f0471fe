// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/layer_norm_kernel.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "ops/engine/iterate.h"
#include "ops/engine/sums.h"
#include "ops/engine/thread_scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/normalization/layer_norm_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/rowwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// Numbers of the block: weight, bias, mean, rstd; the latter two are written if they are there.
void normalize(const RowBlock& rows, double eps, bool centered) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const NativeRows<const Element> x(rows, 0);
    const NativeRows<Element> y(rows, 1);
    const double* const weight = rows.numbers[0];
    const double* const bias = rows.numbers[1];
    double* const means = rows.numbers[2];
    double* const rstds = rows.numbers[3];
    const Doubles length = hn::Set(DoubleTag(), static_cast<double>(rows.length));
    for_groups(rows, [&](size_t first, size_t count, AccumulatorMatrix& matrix) HWY_ATTR {
      GroupNumbers mean, rstd;
      if (centered) {
        sum_rows(
            count, rows.length, matrix,
            [&](size_t k, size_t begin, size_t n, Accumulators& lanes) HWY_ATTR {
              const Element* const row = x[first + k] + begin;
              add_terms(
                  n, [&](size_t i, auto m) HWY_ATTR { return load_doubles(row + i, m); }, lanes);
            },
            mean);
        mean.update([&](Doubles sum) HWY_ATTR { return hn::Div(sum, length); });
      }
      sum_rows(
          count, rows.length, matrix,
          [&](size_t k, size_t begin, size_t n, Accumulators& lanes) HWY_ATTR {
            const Element* const row = x[first + k] + begin;
            const Doubles center = hn::Set(DoubleTag(), mean[k]);
            add_terms(
                n,
                [&](size_t i, auto m) HWY_ATTR {
                  const Doubles offset = hn::Sub(load_doubles(row + i, m), center);
                  return hn::Mul(offset, offset);
                },
                lanes);
          },
          rstd);
      rstd.update([&](Doubles sum) HWY_ATTR {
        const Doubles variance = hn::Add(hn::Div(sum, length), hn::Set(DoubleTag(), eps));
        return hn::Div(hn::Set(DoubleTag(), 1.0), hn::Sqrt(variance));
      });
      for (size_t k = 0; k < count; ++k) {
        if (means != nullptr) means[first + k] = mean[k];
        if (rstds != nullptr) rstds[first + k] = rstd[k];
        const Element* const row = x[first + k];
        const Doubles center = hn::Set(DoubleTag(), mean[k]);
        const Doubles scale = hn::Set(DoubleTag(), rstd[k]);
        map_row(rows.length, y[first + k], [&](size_t i, auto n) HWY_ATTR {
          Doubles result = hn::Mul(hn::Sub(load_doubles(row + i, n), center), scale);
          if (weight != nullptr) result = hn::Mul(result, load_doubles(weight + i, n));
          if (bias != nullptr) result = hn::Add(result, load_doubles(bias + i, n));
          return result;
        });
      }
    });
  });
}

// Numbers of the block: weight, mean, which is not there for rows that are not centered, rstd.
void slopes(const RowBlock& rows) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const NativeRows<const Element> g(rows, 0), x(rows, 1);
    const NativeRows<Element> out(rows, 2);
    const double* const weight = rows.numbers[0];
    const double* const mean = rows.numbers[1];
    const double* const rstd = rows.numbers[2];
    const Doubles length = hn::Set(DoubleTag(), static_cast<double>(rows.length));
    const auto weighted = [&](size_t row, size_t i, auto n) HWY_ATTR {
      const Doubles gradient = load_doubles(g[row] + i, n);
      return weight == nullptr ? gradient : hn::Mul(gradient, load_doubles(weight + i, n));
    };
    const auto normalized = [&](size_t row, size_t i, auto n) HWY_ATTR {
      const Doubles center = hn::Set(DoubleTag(), mean == nullptr ? 0 : mean[row]);
      const Doubles offset = hn::Sub(load_doubles(x[row] + i, n), center);
      return hn::Mul(offset, hn::Set(DoubleTag(), rstd[row]));
    };
    for_groups(rows, [&](size_t first, size_t count, AccumulatorMatrix& matrix) HWY_ATTR {
      GroupNumbers plain, product;
      if (mean != nullptr) {
        sum_rows(
            count, rows.length, matrix,
            [&](size_t k, size_t begin, size_t n, Accumulators& lanes) HWY_ATTR {
              add_terms(
                  n, [&](size_t i, auto m) HWY_ATTR { return weighted(first + k, begin + i, m); },
                  lanes);
            },
            plain);
      }
      sum_rows(
          count, rows.length, matrix,
          [&](size_t k, size_t begin, size_t n, Accumulators& lanes) HWY_ATTR {
            add_terms(
                n,
                [&](size_t i, auto m) HWY_ATTR {
                  return hn::Mul(weighted(first + k, begin + i, m),
                                 normalized(first + k, begin + i, m));
                },
                lanes);
          },
          product);
      const auto average = [&](Doubles sum) HWY_ATTR { return hn::Div(sum, length); };
      plain.update(average);
      product.update(average);
      for (size_t k = 0; k < count; ++k) {
        const Doubles scale = hn::Set(DoubleTag(), rstd[first + k]);
        const Doubles base = hn::Set(DoubleTag(), plain[k]);
        const Doubles along = hn::Set(DoubleTag(), product[k]);
        map_row(rows.length, out[first + k], [&](size_t i, auto n) HWY_ATTR {
          const Doubles rest = hn::Sub(weighted(first + k, i, n), base);
          return hn::Mul(scale, hn::Sub(rest, hn::Mul(normalized(first + k, i, n), along)));
        });
      }
    });
  });
}

// x[j] = g[j] * (x[j] - mean) * rstd
void weigh_normalized(const double* g, double* x, size_t count, double mean, double rstd) {
  map_row(count, x, [&](size_t j, auto n) HWY_ATTR {
    const Doubles offset = hn::Sub(load_doubles(x + j, n), hn::Set(DoubleTag(), mean));
    return hn::Mul(load_doubles(g + j, n), hn::Mul(offset, hn::Set(DoubleTag(), rstd)));
  });
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(normalize);
HWY_EXPORT(slopes);
HWY_EXPORT(weigh_normalized);

namespace {

using Kind = RowOperand::Kind;

// Sums over the rows, in chunks of kSumChunk rows: threads share strips of this many columns, and
// take as many of them at once.
constexpr int64_t kStrip = 64;
constexpr int64_t kStripsAtOnce = 4;
constexpr int64_t kColumns = kStrip * kStripsAtOnce;
constexpr int64_t kRowsAtOnce = 16;
static_assert(kSumChunk % kRowsAtOnce == 0 && kColumns <= ColumnSums::kColumns);
// Elements that are worth a second thread.
constexpr int64_t kMinForThreads = 1 << 14;

// The gradients of weight and bias.
class ColumnGradients {
 public:
  ColumnGradients(const Arguments& arguments, const LayerNormTensors& tensors, size_t gradient,
                  const LayerNormGradients& gradients)
      : gradient_(arguments, gradient, in_row(arguments, tensors)),
        input_(arguments, tensors.input, in_row(arguments, tensors)),
        rstd_(arguments, *tensors.rstd) {
    if (tensors.mean) mean_.emplace(arguments, *tensors.mean);
    if (gradients.weight) weight_.emplace(arguments, *gradients.weight);
    if (gradients.bias) bias_.emplace(arguments, *gradients.bias);
    rows_ = rstd_.index.count();
    columns_ = (weight_ ? weight_ : bias_)->index.count();
  }

  static DimSet in_row(const Arguments& arguments, const LayerNormTensors& tensors) {
    return dimensions(arguments.shape(tensors.input).size() - tensors.normalized,
                      tensors.normalized);
  }

  // sums[0 .. columns) of the weight, then as many of the bias.
  void sum(const Run& run, std::vector<double>& sums) const {
    const int64_t chunks = sum_chunks(rows_);
    const int64_t strips = (columns_ + kStrip - 1) / kStrip;
    const int64_t line = 2 * columns_;
    sums.assign(static_cast<size_t>(std::max<int64_t>(1, chunks) * line), 0);
    const auto sum_strips = [&](int64_t begin, int64_t end) {
      for (int64_t strip = begin, count = 0; strip < end; strip += count) {
        const int64_t chunk = strip / strips, first = strip % strips;
        count = std::min({kStripsAtOnce, strips - first, end - strip});
        const int64_t column = first * kStrip;
        sum_chunk(run, chunk, column, std::min(count * kStrip, columns_ - column),
                  sums.data() + chunk * line + column);
      }
    };
    if (rows_ * columns_ < kMinForThreads) {
      sum_strips(0, chunks * strips);
    } else {
      parallel_shares(chunks * strips, sum_strips);
    }
    for (int64_t chunk = 1; chunk < chunks; ++chunk) {
      const double* const more = sums.data() + chunk * line;
      for (int64_t j = 0; j < line; ++j) sums[static_cast<size_t>(j)] += more[j];
    }
  }

  void write(const Run& run, const std::vector<double>& sums) const {
    if (weight_) weight_->write(run, sums.data(), 0, columns_);
    if (bias_) bias_->write(run, sums.data() + columns_, 0, columns_);
  }

 private:
  void sum_chunk(const Run& run, int64_t chunk, int64_t column, int64_t columns,
                 double* sums) const {
    alignas(64) double gradients[kRowsAtOnce * kColumns];
    alignas(64) double products[kRowsAtOnce * kColumns];
    double mean[kRowsAtOnce] = {}, rstd[kRowsAtOnce];
    ColumnSums weight(static_cast<size_t>(columns)), bias(static_cast<size_t>(columns));
    const int64_t end = std::min(rows_, (chunk + 1) * kSumChunk);
    for (int64_t row = chunk * kSumChunk; row < end; row += kRowsAtOnce) {
      const int64_t count = std::min(kRowsAtOnce, end - row);
      for (int64_t i = 0; i < count; ++i) {
        gradient_.read(run, column, column + columns, gradients + i * columns,
                       gradient_.starts.offset(row + i));
      }
      const auto add = [&](ColumnSums& all, const double* block) {
        all.add(block, ACL_DOUBLE, columns, static_cast<size_t>(count));
      };
      if (bias_) add(bias, gradients);
      if (!weight_) continue;
      if (mean_) mean_->read(run, row, row + count, mean);
      rstd_.read(run, row, row + count, rstd);
      for (int64_t i = 0; i < count; ++i) {
        double* const product = products + i * columns;
        input_.read(run, column, column + columns, product, input_.starts.offset(row + i));
        HWY_DYNAMIC_DISPATCH(weigh_normalized)
        (gradients + i * columns, product, static_cast<size_t>(columns), mean[i], rstd[i]);
      }
      add(weight, products);
    }
    if (weight_) weight.finish(sums);
    if (bias_) bias.finish(sums + columns_);
  }

  Slices gradient_, input_;  // rows
  Elements rstd_;
  std::optional<Elements> mean_ = {};
  std::optional<Elements> weight_ = {}, bias_ = {};
  int64_t rows_ = 0;
  int64_t columns_ = 0;
};

// For rows without elements.
Plan plan_empty_rows(const Arguments& arguments, const LayerNormTensors& tensors) {
  std::vector<std::pair<Elements, double>> fills;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (tensors.mean) fills.emplace_back(Elements(arguments, *tensors.mean), 0.0);
  if (tensors.rstd) fills.emplace_back(Elements(arguments, *tensors.rstd), kNaN);
  if (fills.empty() || fills[0].first.index.count() == 0) return {};
  return {[fills](const Run& run) -> aclError {
    for (const auto& [numbers, value] : fills) {
      const int64_t count = numbers.index.count();
      numbers.write(run, std::vector<double>(static_cast<size_t>(count), value).data(), 0, count);
    }
    return ACL_SUCCESS;
  }};
}

}  // namespace

Plan plan_layer_norm(const Arguments& arguments, const LayerNormTensors& tensors, double eps,
                     size_t out) {
  if (arguments.empty(tensors.input)) return plan_empty_rows(arguments, tensors);
  const size_t rank = arguments.shape(tensors.input).size();
  return plan_rows(
      arguments, rank - tensors.normalized, tensors.normalized,
      {rows_in(tensors.input), rows_out(out), RowOperand{Kind::kShared, tensors.weight},
       RowOperand{Kind::kShared, tensors.bias}, RowOperand{Kind::kPerRow, tensors.mean, true},
       RowOperand{Kind::kPerRow, tensors.rstd, true}},
      [eps, centered = tensors.centered](const RowBlock& rows) {
        HWY_DYNAMIC_DISPATCH(normalize)
        (rows, eps, centered);
      });
}

Plan plan_layer_norm_backward(const Arguments& arguments, const LayerNormTensors& tensors,
                              size_t gradient, const LayerNormGradients& gradients) {
  const size_t rank = arguments.shape(tensors.input).size();
  Plan input;
  if (gradients.input && !arguments.empty(*gradients.input)) {
    input = plan_rows(
        arguments, rank - tensors.normalized, tensors.normalized,
        {rows_in(gradient), rows_in(tensors.input), rows_out(*gradients.input),
         RowOperand{Kind::kShared, tensors.weight}, RowOperand{Kind::kPerRow, tensors.mean},
         RowOperand{Kind::kPerRow, tensors.rstd}},
        [](const RowBlock& rows) {
          HWY_DYNAMIC_DISPATCH(slopes)
          (rows);
        });
  }
  const std::optional<size_t> columns = gradients.weight ? gradients.weight : gradients.bias;
  if (!columns || arguments.empty(*columns)) return input;
  const auto sums =
      std::make_shared<const ColumnGradients>(arguments, tensors, gradient, gradients);
  // Outputs may be inputs: all is read before they are written.
  return {[sums, rows = input.body](const Run& run) -> aclError {
    struct Totals {
      std::vector<double> values;
    };
    const ThreadScratch<Totals> totals;
    sums->sum(run, totals->values);
    const aclError status = rows ? rows(run) : ACL_SUCCESS;
    sums->write(run, totals->values);
    return status;
  }};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
