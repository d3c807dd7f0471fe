// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/sums.h"

#include <algorithm>

#include "ops/engine/dtype/formats.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/engine/sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/dtype/doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

void add_dense(const void* terms, aclDataType dtype, size_t count, double* lanes) {
  visit_real(dtype, [&](auto tag) HWY_ATTR {
    const auto* elements = static_cast<const typename decltype(tag)::type*>(terms);
    Accumulators sum;
    sum.load(lanes);
    add_terms(
        count, [&](size_t i, auto n) HWY_ATTR { return load_doubles(elements + i, n); }, sum);
    sum.store(lanes);
  });
}

void add_squares(const void* a, const void* b, aclDataType dtype, size_t count, double* lanes) {
  visit_real(dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const auto* left = static_cast<const Element*>(a);
    const auto* right = static_cast<const Element*>(b);
    Accumulators sum;
    sum.load(lanes);
    add_terms(
        count,
        [&](size_t i, auto n) HWY_ATTR {
          const Doubles difference = hn::Sub(load_doubles(left + i, n), load_doubles(right + i, n));
          return hn::Mul(difference, difference);
        },
        sum);
    sum.store(lanes);
  });
}

// A term of a sum as it is, or times a factor.
template <bool kWeighted>
HWY_INLINE Doubles weighted(Doubles term, Doubles factor) {
  return kWeighted ? hn::Mul(term, factor) : term;
}

// Adds the `terms` elements of lines base + l * stride to lanes[l]. One addition waits for the one
// before it in the same lane, so several lines advance together.
template <size_t kLines, bool kWeighted, class Element>
HWY_INLINE void add_lines(const Element* base, int64_t stride, size_t terms, const double* factors,
                          double (*lanes)[kAccumulators]) {
  Accumulators sum[kLines];
  const Element* line[kLines];
  for (size_t l = 0; l < kLines; ++l) {
    sum[l].load(lanes[l]);
    line[l] = base + static_cast<int64_t>(l) * stride;
  }
  const size_t whole = terms / kAccumulators * kAccumulators;
  for (size_t i = 0; i < whole; i += kAccumulators) {
    for (size_t l = 0; l < kLines; ++l) {
      for (size_t k = 0; k < kVectors; ++k) {
        const Doubles term = load_doubles(line[l] + i + k * kDoubleLanes);
        const Doubles factor =
            kWeighted ? hn::LoadU(DoubleTag(), factors + i + k * kDoubleLanes) : term;
        sum[l].vectors[k] = hn::Add(sum[l].vectors[k], weighted<kWeighted>(term, factor));
      }
    }
  }
  for (size_t l = 0; l < kLines; ++l) {
    add_terms(
        terms - whole,
        [&](size_t i, auto n) HWY_ATTR {
          const Doubles term = load_doubles(line[l] + whole + i, n);
          return weighted<kWeighted>(term, kWeighted ? load_doubles(factors + whole + i, n) : term);
        },
        sum[l]);
    sum[l].store(lanes[l]);
  }
}

template <bool kWeighted, class Element>
HWY_INLINE void add_line_group(const Element* line, int64_t stride, size_t lines, size_t terms,
                               const double* factors, AccumulatorMatrix& matrix) {
  constexpr size_t kTogether = 4;
  size_t l = 0;
  for (; l + kTogether <= lines; l += kTogether, line += static_cast<int64_t>(kTogether) * stride) {
    add_lines<kTogether, kWeighted>(line, stride, terms, factors, matrix.lanes + l);
  }
  for (; l < lines; ++l, line += stride) {
    add_lines<1, kWeighted>(line, stride, terms, factors, matrix.lanes + l);
  }
}

// 16-bit elements of long lines become floats first, in vectors twice as wide, piece by piece.
template <bool kWeighted, class Element>
HWY_INLINE void add_lines_as_floats(const Element* base, int64_t stride, size_t lines, size_t terms,
                                    const double* factors, AccumulatorMatrix& matrix) {
  constexpr size_t kPiece = 256;
  using RowFloatTag = hn::CappedTag<float, 16>;
  alignas(64) float pieces[kAccumulators][kPiece];
  for (size_t first = 0; first < terms; first += kPiece) {
    const size_t count = HWY_MIN(kPiece, terms - first);
    for (size_t l = 0; l < lines; ++l) {
      const Element* line = base + static_cast<int64_t>(l) * stride + first;
      constexpr size_t kStep = hn::MaxLanes(RowFloatTag());
      size_t i = 0;
      for (; i + kStep <= count; i += kStep) {
        const auto elements = hn::LoadU(RawTag<Element, RowFloatTag>(), raw(line + i));
        hn::Store(floats_of<Element>(RowFloatTag(), elements), RowFloatTag(), pieces[l] + i);
      }
      for (; i < count; ++i) pieces[l][i] = static_cast<float>(real_part(line[i]));
    }
    const double* piece_factors = kWeighted ? factors + first : nullptr;
    add_line_group<kWeighted>(&pieces[0][0], kPiece, lines, count, piece_factors, matrix);
  }
}

template <bool kWeighted, class Element>
HWY_INLINE void sum_native_lines(const Element* line, int64_t stride, size_t lines, size_t terms,
                                 const double* factors, double* sums) {
  for (size_t l = 0; l < lines;
       l += kAccumulators, line += static_cast<int64_t>(kAccumulators) * stride) {
    const size_t count = HWY_MIN(kAccumulators, lines - l);
    AccumulatorMatrix matrix;
    matrix.clear();
    if constexpr (sizeof(Element) == 2) {
      add_lines_as_floats<kWeighted>(line, stride, count, terms, factors, matrix);
    } else {
      add_line_group<kWeighted>(line, stride, count, terms, factors, matrix);
    }
    if (count == 1) {
      sums[l] = matrix.first_total();
      return;
    }
    alignas(64) double totals[kAccumulators];
    matrix.total(totals);
    std::memcpy(sums + l, totals, count * sizeof(double));
  }
}

void sum_every_line(const void* base, aclDataType dtype, int64_t stride, size_t lines, size_t terms,
                    const double* factors, double* sums) {
  visit_real(dtype, [&](auto tag) HWY_ATTR {
    const auto* line = static_cast<const typename decltype(tag)::type*>(base);
    factors == nullptr ? sum_native_lines<false>(line, stride, lines, terms, factors, sums)
                       : sum_native_lines<true>(line, stride, lines, terms, factors, sums);
  });
}

// Adds a row to a lane, or starts the lane with it.
template <bool kWeighted, class Element>
HWY_INLINE void add_row(const Element* row, size_t columns, double weight, bool starts,
                        double* lane) {
  const Doubles factor = hn::Set(DoubleTag(), weight);
  const auto term = [&](size_t j, auto n)
                        HWY_ATTR { return weighted<kWeighted>(load_doubles(row + j, n), factor); };
  if (starts) {
    for_vectors(columns,
                [&](size_t j, auto n) HWY_ATTR { hn::Store(term(j, n), DoubleTag(), lane + j); });
  } else {
    for_vectors(columns, [&](size_t j, auto n) HWY_ATTR {
      hn::Store(hn::Add(hn::Load(DoubleTag(), lane + j), term(j, n)), DoubleTag(), lane + j);
    });
  }
}

// Rows of a sum of columns.
struct RowRange {
  int64_t stride;
  size_t first, count;  // numbers of the rows within the sum
  size_t columns;
};

// Rows that are added together, so that a lane's sums are loaded and stored once for some of them.
constexpr size_t kRowBlock = 16;
static_assert(kRowBlock % kAccumulators == 0);

// Adds a vector of each of kRowBlock rows, the first of them to the first lane.
template <bool kWeighted, class Element, class Count>
HWY_INLINE void add_block(const Element* row, int64_t stride, Count count, const double* factors,
                          bool starts, double* lanes) {
  for (size_t i = 0; i < kAccumulators; ++i) {
    double* const lane = lanes + i * ColumnSums::kLaneStride;
    Doubles sum = starts ? hn::Set(DoubleTag(), kNothing<double>) : hn::Load(DoubleTag(), lane);
    for (size_t k = i; k < kRowBlock; k += kAccumulators) {
      const Doubles factor = hn::Set(DoubleTag(), kWeighted ? factors[k] : 0);
      const Doubles term = load_doubles(row + static_cast<int64_t>(k) * stride, count);
      sum = hn::Add(sum, weighted<kWeighted>(term, factor));
    }
    hn::Store(sum, DoubleTag(), lane);
  }
}

template <bool kWeighted, class Element>
HWY_INLINE void add_native_rows(const Element* row, const RowRange& range, const double* factors,
                                double* lanes) {
  for (size_t k = 0; k < range.count;) {
    const size_t i = range.first + k;
    const double* const weights = kWeighted ? factors + k : nullptr;
    if (i % kAccumulators == 0 && k + kRowBlock <= range.count) {
      for_vectors(range.columns, [&](size_t j, auto n) HWY_ATTR {
        add_block<kWeighted>(row + j, range.stride, n, weights, i == 0, lanes + j);
      });
      k += kRowBlock;
      row += static_cast<int64_t>(kRowBlock) * range.stride;
      continue;
    }
    double* lane = lanes + i % kAccumulators * ColumnSums::kLaneStride;
    add_row<kWeighted>(row, range.columns, kWeighted ? *weights : 0, i < kAccumulators, lane);
    ++k;
    row += range.stride;
  }
}

void add_rows(const void* base, aclDataType dtype, int64_t stride, size_t first, size_t rows,
              size_t columns, const double* factors, double* lanes) {
  visit_real(dtype, [&](auto tag) HWY_ATTR {
    const auto* row = static_cast<const typename decltype(tag)::type*>(base);
    const RowRange range{stride, first, rows, columns};
    factors == nullptr ? add_native_rows<false>(row, range, factors, lanes)
                       : add_native_rows<true>(row, range, factors, lanes);
  });
}

// The sum of a vector of each row, its lanes in registers.
template <bool kWeighted, class Element, class Count>
HWY_INLINE Doubles sum_column_vector(const Element* row, int64_t stride, size_t rows, Count count,
                                     const double* factors) {
  Doubles lanes[kAccumulators];
  for (Doubles& lane : lanes) lane = hn::Set(DoubleTag(), kNothing<double>);
  const auto add = [&](size_t i, size_t k) HWY_ATTR {
    const Doubles term = load_doubles(row + static_cast<int64_t>(k + i) * stride, count);
    const Doubles factor = hn::Set(DoubleTag(), kWeighted ? factors[k + i] : 0);
    lanes[i] = hn::Add(lanes[i], weighted<kWeighted>(term, factor));
  };
  size_t k = 0;
  for (; k + kAccumulators <= rows; k += kAccumulators) {
    for (size_t i = 0; i < kAccumulators; ++i) add(i, k);
  }
  for (size_t i = 0; i < kAccumulators; ++i) {
    if (k + i < rows) add(i, k);
  }
  static_assert(kAccumulators == 8);
  const auto two = [&](size_t i) HWY_ATTR { return hn::Add(lanes[i], lanes[i + 1]); };
  return hn::Add(hn::Add(two(0), two(2)), hn::Add(two(4), two(6)));
}

void sum_few_columns(const void* base, aclDataType dtype, int64_t stride, size_t rows,
                     size_t columns, const double* factors, double* sums) {
  visit_real(dtype, [&](auto tag) HWY_ATTR {
    const auto* row = static_cast<const typename decltype(tag)::type*>(base);
    for_vectors(columns, [&](size_t j, auto n) HWY_ATTR {
      store_doubles(factors == nullptr ? sum_column_vector<false>(row + j, stride, rows, n, factors)
                                       : sum_column_vector<true>(row + j, stride, rows, n, factors),
                    sums + j, n);
    });
  });
}

// The lanes in pairs, as AccumulatorSum::combine does.
void combine_rows(double* lanes, size_t used, size_t columns, double* sums) {
  const auto lane = [&](size_t i) HWY_ATTR { return lanes + i * ColumnSums::kLaneStride; };
  for (size_t step = 1; step < kAccumulators; step *= 2) {
    for (size_t i = 0; i + step < used; i += 2 * step) {
      for (size_t j = 0; j < columns; j += kDoubleLanes) {
        const Doubles pair =
            hn::Add(hn::Load(DoubleTag(), lane(i) + j), hn::Load(DoubleTag(), lane(i + step) + j));
        hn::Store(pair, DoubleTag(), lane(i) + j);
      }
    }
  }
  std::memcpy(sums, lanes, columns * sizeof(double));
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(add_dense);
HWY_EXPORT(add_squares);
HWY_EXPORT(sum_every_line);
HWY_EXPORT(add_rows);
HWY_EXPORT(combine_rows);
HWY_EXPORT(sum_few_columns);

void RealSum::add(const void* terms, aclDataType dtype, size_t count) {
  HWY_DYNAMIC_DISPATCH(add_dense)(terms, dtype, count, lanes_.data());
}

void RealSum::add_squared_differences(const void* a, const void* b, aclDataType dtype,
                                      size_t count) {
  HWY_DYNAMIC_DISPATCH(add_squares)(a, b, dtype, count, lanes_.data());
}

void sum_lines(const void* base, aclDataType dtype, int64_t stride, size_t lines, size_t terms,
               double* sums, const double* factors) {
  HWY_DYNAMIC_DISPATCH(sum_every_line)(base, dtype, stride, lines, terms, factors, sums);
}

void sum_dense_chunks(const void* base, aclDataType dtype, size_t terms, double* sums) {
  constexpr size_t kChunk = kSumChunk;
  const size_t whole = terms / kChunk;
  sum_lines(base, dtype, kSumChunk, whole, kChunk, sums);
  if (terms % kChunk == 0) return;
  const size_t size = element_size(dtype);
  sum_lines(static_cast<const char*>(base) + whole * kChunk * size, dtype, 0, 1, terms % kChunk,
            sums + whole);
}

void sum_columns(const void* base, aclDataType dtype, int64_t stride, size_t rows, size_t columns,
                 double* sums, const double* factors) {
  // The rows are gone through for each vector of columns, and so many elements stay near.
  constexpr size_t kFewColumns = 64;
  constexpr size_t kFewElements = 4096;
  if (columns <= kFewColumns && rows * columns <= kFewElements) {
    HWY_DYNAMIC_DISPATCH(sum_few_columns)(base, dtype, stride, rows, columns, factors, sums);
    return;
  }
  const size_t size = element_size(dtype);
  for (size_t j = 0; j < columns; j += ColumnSums::kColumns) {
    ColumnSums some(std::min(ColumnSums::kColumns, columns - j));
    some.add(static_cast<const char*>(base) + j * size, dtype, stride, rows, factors);
    some.finish(sums + j);
  }
}

void ColumnSums::add(const void* base, aclDataType dtype, int64_t stride, size_t rows,
                     const double* factors) {
  HWY_DYNAMIC_DISPATCH(add_rows)(base, dtype, stride, rows_, rows, columns_, factors, lanes_);
  rows_ += rows;
}

void ColumnSums::finish(double* sums) {
  HWY_DYNAMIC_DISPATCH(combine_rows)(lanes_, std::min(rows_, kAccumulators), columns_, sums);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
