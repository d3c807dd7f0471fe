// SPDX-License-Identifier: Apache-2.0
#include "ops/attention/attention_kernel.h"

#include <algorithm>
#include <array>
#include <limits>

#include "aclgrad_ext.h"
#include "ops/engine/iterate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/attention_gradient_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/attention/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

template <class T>
class AttentionGradient : private AttentionTiles<T> {
 public:
  AttentionGradient(const AttentionProblem& problem, const AttentionGradients& gradients,
                    const Run& run)
      : AttentionTiles<T>(problem, run), gradients_(&gradients) {}

  // Units [begin, end).
  void backward(const AttentionUnits& units, int64_t begin, int64_t end) {
    using Of = AttentionUnits::Of;
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t head = unit / units.per_head;
      const int64_t first = head / p_.key_heads * units.batches, key_head = head % p_.key_heads;
      Range queries{0, p_.queries}, keys{0, p_.keys};
      if (units.of != Of::kHeads) {
        Range& some = units.of == Of::kQueries ? queries : keys;
        some.begin = unit % units.per_head * kGradientBlock;
        some.end = std::min(some.end, some.begin + kGradientBlock);
      }
      if (gradients_->shift) begin_shift();
      for (int64_t batch = first; batch < first + units.batches; ++batch) {
        backward(batch, key_head, queries, keys, {units.of != Of::kKeys, units.of != Of::kQueries});
      }
      if (gradients_->shift) end_shift(key_head);
    }
  }

 private:
  using Base = AttentionTiles<T>;
  using Base::add_multiple, Base::at, Base::buffers_, Base::by_columns, Base::by_rows,
      Base::choose_head, Base::exponential_of, Base::finite_rows, Base::for_scores, Base::group,
      Base::head_, Base::key_columns_, Base::keys_, Base::lines, Base::masks_of, Base::matrix,
      Base::number_at, Base::of, Base::of_panels, Base::p_, Base::product, Base::read,
      Base::read_keys, Base::seen, Base::sees, Base::value_columns_, Base::write;
  using typename Base::D, typename Base::FiniteRows, typename Base::RowMasks, typename Base::V;

  struct Range {
    int64_t begin, end;
  };
  struct Wanted {
    bool query, key_and_value;
  };

  // Gradients of places of one head of keys, in whole blocks: of all its queries if of keys, and of
  // all keys if of queries.
  void backward(int64_t batch, int64_t key_head, Range queries, Range keys, Wanted wanted) {
    const int64_t count = queries.end - queries.begin;
    const Lines<T> query = lines(buffers_->of_query, wanted.query ? group() * count : 0, p_.size);
    if (wanted.query) std::fill_n(query.data, group() * count * query.stride, T{0});
    for (int64_t j = keys.begin; j < keys.end; j += kGradientBlock) {
      const int64_t columns = std::min(kGradientBlock, keys.end - j);
      choose_head(batch, key_head * group());
      read_keys(j, columns, true);
      of_key_ = lines(buffers_->of_key, columns, p_.size);
      of_value_ = lines(buffers_->of_value, columns, p_.value_size);
      std::fill_n(of_key_.data, columns * of_key_.stride, T{0});
      std::fill_n(of_value_.data, columns * of_value_.stride, T{0});
      for (int64_t k = 0; k < group(); ++k) {
        choose_head(batch, key_head * group() + k);
        for (int64_t i = queries.begin; i < queries.end; i += kGradientBlock) {
          const int64_t rows = std::min(kGradientBlock, queries.end - i);
          if (seen(i + rows - 1, j, columns) == 0) continue;
          backward_block(i, rows, j, columns, {query[k * count + i - queries.begin], query.stride},
                         wanted);
        }
      }
      if (!wanted.key_and_value) continue;
      for (int64_t r = 0; r < columns; ++r) {
        write(of_key_[r], p_.size, p_.scale, at(gradients_->key, key_head, j + r));
        write(of_value_[r], p_.value_size, 1, at(gradients_->value, key_head, j + r));
      }
    }
    if (!wanted.query) return;
    for (int64_t k = 0; k < group(); ++k) {
      const int64_t head = key_head * group() + k;
      for (int64_t i = queries.begin; i < queries.end; ++i) {
        write(query[k * count + i - queries.begin], p_.size, p_.scale,
              at(gradients_->query, head, i));
      }
    }
  }

  // The gradient of the shift for one head of keys, before it is scaled.
  void begin_shift() {
    shift_rows_ = gradients_->shift->place == 0 ? 1 : p_.queries;
    const int64_t count = group() * shift_rows_ * p_.keys;
    of_shift_ = buffers_->of_shift.template of<T>(count);
    std::fill_n(of_shift_, count, T{0});
  }
  void end_shift(int64_t key_head) {
    for (int64_t row = 0; row < group() * shift_rows_; ++row) {
      const int64_t head = key_head * group() + row / shift_rows_;
      write(of_shift_ + row * p_.keys, p_.keys, p_.scale,
            at(*gradients_->shift, head, row % shift_rows_));
    }
  }

  void backward_block(int64_t first, int64_t rows, int64_t j, int64_t columns,
                      const Lines<T>& of_query, Wanted wanted) {
    const Lines<const T> query =
        read(matrix(p_.query, head_), first, rows, p_.size, buffers_->queries);
    const Lines<const T> slope =
        read(matrix(gradients_->of_output, head_), first, rows, p_.value_size, buffers_->slopes);
    const Lines<const T> output =
        read(matrix(p_.output, head_), first, rows, p_.value_size, buffers_->outputs);
    constexpr int64_t kScoreStride = kGradientBlock + kScoreGap;
    const Lines<T> shares{buffers_->scores.template of<T>(kGradientBlock * kScoreStride),
                          kScoreStride};
    const Lines<T> of_scores{
        buffers_->slopes_of_scores.template of<T>(kGradientBlock * kScoreStride), kScoreStride};
    product(rows, columns, p_.size, by_rows(query), of_panels(key_columns_, p_.size), shares,
            false);
    product(rows, columns, p_.value_size, by_rows(slope), of_panels(value_columns_, p_.value_size),
            of_scores, false);
    std::array<bool, kGradientBlock> lives;
    for (int64_t r = 0; r < rows; r += kTogether) {
      const int64_t count = std::min(kTogether, rows - r);
      const std::array<T, kTogether> own =
          along({slope[r], slope.stride}, {output[r], output.stride}, count);
      for (int64_t k = 0; k < count; ++k) {
        const int64_t i = first + r + k;
        const bool lived = number_at(*p_.sum, i) != 0 && has_slope(slope[r + k]);
        lives[static_cast<size_t>(r + k)] = lived;
        slope_row(i, j, lived ? seen(i, j, columns) : 0, columns, shares[r + k], of_scores[r + k],
                  own[static_cast<size_t>(k)]);
      }
    }
    const auto takes = [&](int64_t r, int64_t k) {
      return lives[static_cast<size_t>(r)] && sees(first + r, j + k);
    };
    if (wanted.key_and_value) {
      add_columns(shares, rows, columns, p_.value_size, slope, buffers_->finite_slopes, of_value_,
                  takes);
      add_columns(of_scores, rows, columns, p_.size, query, buffers_->finite_queries, of_key_,
                  takes);
    }
    if (wanted.query) {
      product(rows, p_.size, columns, by_rows(of_scores), of(keys_.rows), of_query, true);
      for (const int64_t k : keys_.lost) {
        for (int64_t r = 0; r < rows; ++r) {
          if (takes(r, k)) add_multiple(of_scores[r][k], keys_.all[k], p_.size, of_query[r]);
        }
      }
    }
  }

  // to += factors^T right, for rows [0, columns) of it, of what they take.
  template <class Takes>
  void add_columns(const Lines<T>& factors, int64_t rows, int64_t columns, int64_t size,
                   const Lines<const T>& right, GrowingMemory& memory, const Lines<T>& to,
                   const Takes& takes) const {
    const FiniteRows finite = finite_rows(right, rows, size, memory);
    product(columns, size, rows, by_columns(factors), of(finite.rows), to, true);
    for (const int64_t r : finite.lost) {
      for (int64_t k = 0; k < columns; ++k) {
        if (takes(r, k)) add_multiple(factors[r][k], right[r], size, to[k]);
      }
    }
  }

  // What nothing depends on changes no gradient, whatever it holds.
  bool has_slope(const T* slope) const {
    return std::any_of(slope, slope + p_.value_size, [](T each) { return each != 0; });
  }

  // The gradients along the own shares of a few rows, in the order of the products that they are
  // taken from: where all values are equal, nothing is left. Each is a chain of additions, so
  // several go side by side.
  static constexpr int64_t kTogether = 8;
  std::array<T, kTogether> along(const Lines<const T>& slope, const Lines<const T>& output,
                                 int64_t rows) const {
    const hn::CappedTag<T, 1> d;
    using Number = hn::Vec<decltype(d)>;
    const T* slopes[kTogether];
    const T* outputs[kTogether];
    Number sums[kTogether];
    for (int64_t k = 0; k < kTogether; ++k) {
      const int64_t r = std::min(k, rows - 1);
      slopes[k] = slope[r];
      outputs[k] = output[r];
      sums[k] = hn::Zero(d);
    }
    for (int64_t c = 0; c < p_.value_size; ++c) {
      for (int64_t k = 0; k < kTogether; ++k) {
        sums[k] = mul_add(d, hn::LoadU(d, slopes[k] + c), hn::LoadU(d, outputs[k] + c), sums[k]);
      }
    }
    std::array<T, kTogether> found;
    for (size_t k = 0; k < kTogether; ++k) found[k] = hn::GetLane(sums[k]);
    return found;
  }

  // Products become shares as they went into the output, and gradients of shares those of scores,
  // of the first n columns; of the others there are none.
  void slope_row(int64_t i, int64_t j, int64_t n, int64_t columns, T* shares, T* slopes, T own) {
    const D d;
    const double sum = number_at(*p_.sum, i), kept = number_at(*p_.largest, i);
    const RowMasks masks = masks_of(i, j, n);
    const V inverse = hn::Set(d, static_cast<T>(1 / sum));
    // What is hidden has a score of -infinity: less than any that is kept.
    constexpr double kLowest = std::numeric_limits<T>::lowest();
    const V largest = hn::Set(d, static_cast<T>(kept < kLowest ? kLowest : kept));
    const V rest = hn::Set(d, own);
    T* const of_shift =
        of_shift_ == nullptr
            ? nullptr
            : of_shift_ + (head_ % group() * shift_rows_ + i % shift_rows_) * p_.keys + j;
    for_scores(shares, masks, n, [&](size_t k, auto, V z, auto unseen) HWY_ATTR {
      const V e = this->exponential_of(hn::Sub(z, largest));
      const V share = hn::Mul(e, inverse);
      V slope = hn::LoadU(d, slopes + k);
      V mixed = share;
      if (masks.factor != nullptr) {
        const V factor = hn::LoadU(d, masks.factor + k);
        slope = hn::Mul(slope, factor);
        mixed = hn::Mul(share, factor);
      }
      slope = hn::Mul(share, hn::Sub(slope, rest));
      hn::StoreU(hn::IfThenZeroElse(unseen, mixed), d, shares + k);
      hn::StoreU(hn::IfThenZeroElse(unseen, slope), d, slopes + k);
    });
    std::fill(shares + n, shares + columns, T{0});
    std::fill(slopes + n, slopes + columns, T{0});
    for (int64_t k = 0; of_shift != nullptr && k < n; ++k) of_shift[k] += slopes[k];
  }

  const AttentionGradients* gradients_;
  Lines<T> of_key_{}, of_value_{};
  T* of_shift_ = nullptr;
  int64_t shift_rows_ = 1;
};

void attend_backward(const AttentionProblem& problem, const AttentionGradients& gradients,
                     const AttentionUnits& units, const Run& run, int64_t begin, int64_t end) {
  if (problem.dtype == ACL_DOUBLE) {
    AttentionGradient<double>(problem, gradients, run).backward(units, begin, end);
  } else {
    AttentionGradient<float>(problem, gradients, run).backward(units, begin, end);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(attend_backward);

Plan plan_attention_backward(const AttentionProblem& problem, const AttentionGradients& gradients) {
  return {[p = problem, gradients](const Run& run) -> aclError {
    using Of = AttentionUnits::Of;
    const auto run_units = [&](Of of, int64_t batches, int64_t per_head) {
      const int64_t count = p.batch / std::max<int64_t>(1, batches) * p.key_heads * per_head;
      const AttentionUnits units{of, batches, per_head};
      share_attention(p, count, [&](int64_t begin, int64_t end) {
        HWY_DYNAMIC_DISPATCH(attend_backward)(p, gradients, units, run, begin, end);
      });
    };
    const bool is_summed = gradients.shift && gradients.shift->batch == 0;
    // Queries and keys apart take 7 products in the place of 5, but every thread has a part.
    if (gradients.shift || p.batch * p.key_heads >= aclgradGetNumThreads()) {
      run_units(Of::kHeads, is_summed ? p.batch : 1, 1);
    } else {
      run_units(Of::kQueries, 1, blocks_of(p.queries, kGradientBlock));
      run_units(Of::kKeys, 1, blocks_of(p.keys, kGradientBlock));
    }
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
