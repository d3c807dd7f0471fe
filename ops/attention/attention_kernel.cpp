// SPDX-License-Identifier: Apache-2.0
#include "ops/attention/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/engine/iterate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/attention_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/attention/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

template <class T>
class Attention : private AttentionTiles<T> {
 public:
  Attention(const AttentionProblem& problem, const Run& run) : AttentionTiles<T>(problem, run) {}

  // Blocks [begin, end) of queries, counted through all heads.
  void forward(int64_t begin, int64_t end) {
    const int64_t blocks = blocks_of(p_.queries, kQueryBlock);
    for (int64_t unit = begin; unit < end; ++unit) {
      choose_head(unit / blocks / p_.heads, unit / blocks % p_.heads);
      if (unit == begin || unit % (blocks * group()) == 0) read_keys(0, p_.keys, false);
      const int64_t first = unit % blocks * kQueryBlock;
      forward_block(first, std::min(kQueryBlock, p_.queries - first));
    }
  }

 private:
  using Base = AttentionTiles<T>;
  using Base::add, Base::add_multiple, Base::at, Base::buffers_, Base::by_rows, Base::choose_head,
      Base::exponential_of, Base::for_scores, Base::group, Base::head_, Base::key_columns_,
      Base::lines, Base::masks_of, Base::matrix, Base::of, Base::of_panels, Base::p_, Base::product,
      Base::put_number, Base::read, Base::read_keys, Base::seen, Base::sees, Base::values_,
      Base::write;
  using typename Base::D, typename Base::RowMasks, typename Base::V;

  void forward_block(int64_t first, int64_t rows) {
    const Lines<const T> query =
        read(matrix(p_.query, head_), first, rows, p_.size, buffers_->queries);
    const Lines<T> mixed = lines(buffers_->outputs, rows, p_.value_size);
    constexpr int64_t kScoreStride = kKeyBlock + kScoreGap;
    const Lines<T> scores{buffers_->scores.template of<T>(kQueryBlock * kScoreStride),
                          kScoreStride};
    T largest[kQueryBlock];
    double sums[kQueryBlock] = {};
    std::ranges::fill(largest, std::numeric_limits<T>::lowest());
    bool adds = false;
    for (int64_t j = 0; j < p_.keys; j += kKeyBlock) {
      const int64_t columns = seen(first + rows - 1, j, std::min(kKeyBlock, p_.keys - j));
      if (columns == 0) break;
      const T* const keys = key_columns_ + j * p_.size;
      product(rows, columns, p_.size, by_rows(query), of_panels(keys, p_.size), scores, false);
      for (int64_t r = 0; r < rows; r += kAccumulators) {
        const int64_t count = std::min<int64_t>(kAccumulators, rows - r);
        share_rows(first + r, count, j, columns, {scores[r], kScoreStride}, largest + r, sums + r,
                   adds ? Lines<T>{mixed[r], mixed.stride} : Lines<T>{});
      }
      product(rows, p_.value_size, columns, by_rows(scores),
              of({values_.rows[j], values_.rows.stride}), mixed, adds);
      for (const int64_t lost : values_.lost) {
        if (lost < j || lost >= j + columns) continue;
        for (int64_t r = 0; r < rows; ++r) {
          if (!sees(first + r, lost)) continue;
          add_multiple(scores[r][lost - j], values_.all[lost], p_.value_size, mixed[r]);
        }
      }
      adds = true;
    }
    if (!adds) std::fill_n(mixed.data, rows * mixed.stride, T{0});
    for (int64_t r = 0; r < rows; ++r) finish_row(first + r, largest[r], sums[r], mixed[r]);
  }

  // A few rows of scores become shares of the largest so far; sums and outputs so far come to the
  // same scale.
  void share_rows(int64_t i, int64_t rows, int64_t j, int64_t columns, const Lines<T>& scores,
                  T* largest, double* sums, const Lines<T>& mixed) {
    const D d;
    AccumulatorMatrix row_sums;
    RowMasks masks[kAccumulators];
    T before[kAccumulators];
    std::copy_n(largest, rows, before);
    // The largest of all rows first: one row after the other would wait for its own.
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t n = seen(i + r, j, columns);
      masks[r] = masks_of(i + r, j, n, r);
      V most = hn::Set(d, largest[r]);
      for_scores(scores[r], masks[r], n, [&](size_t k, auto m, V z, auto) HWY_ATTR {
        hn::StoreU(z, d, scores[r] + k);
        most = hn::Max(most, hn::IfThenElse(hn::FirstN(d, m), z, most));
      });
      largest[r] = hn::GetLane(hn::MaxOfLanes(d, most));
    }
    for (int64_t r = 0; r < rows; ++r) {
      T* const row = scores[r];
      const int64_t n = seen(i + r, j, columns);
      if (mixed.data != nullptr && largest[r] != before[r]) {
        const T change = hn::GetLane(exponential_of(hn::Set(d, before[r] - largest[r])));
        sums[r] *= static_cast<double>(change);
        for_lanes<T>(p_.value_size, [&](size_t k, auto) HWY_ATTR {
          T* const some = mixed[r] + k;
          hn::StoreU(hn::Mul(hn::LoadU(d, some), hn::Set(d, change)), d, some);
        });
      }
      const T* const factor = masks[r].factor;
      Accumulators accumulators;
      accumulators.clear();
      const V shift = hn::Set(d, largest[r]);
      add(
          n,
          [&](size_t k, auto) HWY_ATTR {
            const V e = this->exponential_of(hn::Sub(hn::LoadU(d, row + k), shift));
            const V kept = factor == nullptr ? e : hn::Mul(e, hn::LoadU(d, factor + k));
            hn::StoreU(kept, d, row + k);
            return e;
          },
          accumulators);
      accumulators.store(row_sums.lanes[r]);
      std::fill(row + n, row + columns, T{0});
    }
    alignas(64) double totals[kAccumulators];
    row_sums.total(totals);
    for (int64_t r = 0; r < rows; ++r) sums[r] += totals[r];
  }

  void finish_row(int64_t i, T largest, double sum, T* mixed) {
    // One NaN for the whole row, equal on every instruction set.
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const bool is_lost = std::isnan(sum), is_plain = sum > 0;
    // Of nothing, in DOUBLE too, it is the lowest float.
    const double most = is_plain ? static_cast<double>(largest) + 0.0
                                 : static_cast<double>(std::numeric_limits<float>::lowest());
    if (p_.largest) put_number(is_lost ? kNan : most, *p_.largest, i);
    if (p_.sum) put_number(is_lost ? kNan : sum, *p_.sum, i);
    if (!is_plain) std::fill_n(mixed, p_.value_size, is_lost ? static_cast<T>(kNan) : T{0});
    write(mixed, p_.value_size, is_plain ? 1 / sum : 1, at(p_.output, head_, i));
  }
};

void attend(const AttentionProblem& problem, const Run& run, int64_t begin, int64_t end) {
  if (problem.dtype == ACL_DOUBLE) {
    Attention<double>(problem, run).forward(begin, end);
  } else {
    Attention<float>(problem, run).forward(begin, end);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(attend);

void share_attention(const AttentionProblem& p, int64_t count,
                     FunctionRef<void(int64_t begin, int64_t end)> body) {
  constexpr int64_t kMinForThreads = 1 << 20;  // as for other products
  const int64_t products =
      saturating_product({p.batch, p.heads, p.queries, p.keys, p.size + p.value_size});
  if (products < kMinForThreads) return body(0, count);
  parallel_shares(count, body);
}

Plan plan_attention(const AttentionProblem& problem) {
  return {[p = problem](const Run& run) -> aclError {
    share_attention(p, p.batch * p.heads * blocks_of(p.queries, kQueryBlock),
                    [&](int64_t begin, int64_t end) {
                      HWY_DYNAMIC_DISPATCH(attend)(p, run, begin, end);
                    });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
