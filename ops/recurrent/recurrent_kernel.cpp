// SPDX-License-Identifier: Apache-2.0
#include "ops/recurrent/recurrent_kernel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/recurrent/recurrent_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/lanes-inl.h"
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/math/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// A row's elements from j on; null of none.
template <class T>
HWY_INLINE T* cell_at(const CellRows<T>& lines, int64_t row, size_t j) {
  return lines.data == nullptr ? nullptr : lines[row] + j;
}

template <class T, class V>
HWY_INLINE void keep(const V& values, const CellRows<T>& lines, int64_t row, size_t j, size_t n) {
  if (T* const to = cell_at(lines, row, j)) store_lanes<T>(values, to, n);
}

// The sum of what there is.
template <class T, size_t kCount>
HWY_INLINE LanesOf<T> sum_of_rows(const std::array<CellRows<const T>, kCount>& all, int64_t row,
                                  size_t j, size_t n) {
  auto sum = hn::Zero(LaneTag<T>());
  for (const CellRows<const T>& each : all) {
    if (const T* const from = cell_at(each, row, j)) sum = hn::Add(sum, load_lanes(from, n));
  }
  return sum;
}

// Of one side, at element k of a row.
template <class T>
HWY_INLINE LanesOf<T> with_bias(const CellRows<const T>& lines, const T* bias, int64_t row,
                                size_t k, size_t n) {
  const auto x = load_lanes(lines[row] + k, n);
  return bias == nullptr ? x : hn::Add(x, load_lanes(bias + k, n));
}

// Calls visit(j, n) for the vectors of every row, with its number.
template <class T, class Visit>
HWY_INLINE void for_cells(int64_t begin, int64_t end, int64_t size, const Visit& visit) {
  for (int64_t row = begin; row < end; ++row) {
    for_lanes<T>(size, [&](size_t j, auto n) HWY_ATTR { visit(row, j, static_cast<size_t>(n)); });
  }
}

// Slopes of sigmoid and tanh at their results, without cancellation.
template <class V>
HWY_INLINE V sigmoid_slope(V one, V s) {
  return hn::Mul(s, hn::Sub(one, s));
}
template <class V>
HWY_INLINE V tanh_slope(V one, V t) {
  return hn::Mul(hn::Sub(one, t), hn::Add(one, t));
}

template <class T>
void run_cell(const LstmStep<T>& s, int64_t begin, int64_t end) {
  const LaneTag<T> d;
  const auto size = static_cast<size_t>(s.size);
  for_cells<T>(begin, end, s.size, [&](int64_t row, size_t j, size_t n) HWY_ATTR {
    const auto gate = [&](size_t k) HWY_ATTR {
      return hn::Add(with_bias(s.input, s.input_bias, row, k * size + j, n),
                     with_bias(s.hidden, s.hidden_bias, row, k * size + j, n));
    };
    const auto i = sigmoid(d, gate(0)), f = sigmoid(d, gate(1));
    const auto g = tanh(d, gate(2)), o = sigmoid(d, gate(3));
    const auto c = hn::Add(hn::Mul(f, load_lanes(s.c_before[row] + j, n)), hn::Mul(i, g));
    const auto tanh_c = tanh(d, c);
    const auto h = hn::Mul(o, tanh_c);
    keep(i, s.gates[0], row, j, n);
    keep(f, s.gates[1], row, j, n);
    keep(g, s.gates[2], row, j, n);
    keep(o, s.gates[3], row, j, n);
    keep(tanh_c, s.tanh_c, row, j, n);
    keep(c, s.c, row, j, n);
    keep(h, s.h, row, j, n);
    keep(h, s.h_again, row, j, n);
  });
}

template <class T>
void run_cell(const LstmGradient<T>& s, int64_t begin, int64_t end) {
  const LaneTag<T> d;
  const auto size = static_cast<size_t>(s.size);
  const auto one = hn::Set(d, T{1});
  for_cells<T>(begin, end, s.size, [&](int64_t row, size_t j, size_t n) HWY_ATTR {
    const auto load = [&](const CellRows<const T>& lines)
                          HWY_ATTR { return load_lanes(lines[row] + j, n); };
    const auto i = load(s.gates[0]), f = load(s.gates[1]), g = load(s.gates[2]);
    const auto o = load(s.gates[3]), last = load(s.tanh_c);
    const auto tanh_c = s.takes_tanh ? tanh(d, last) : last;
    const auto dh = sum_of_rows(s.of_h, row, j, n);
    const auto slope = hn::Mul(dh, hn::Mul(o, tanh_slope(one, tanh_c)));
    const auto dc = hn::Add(slope, sum_of_rows(std::array{s.of_c}, row, j, n));
    const auto put = [&](size_t k, auto value)
                         HWY_ATTR { store_lanes<T>(value, s.of_gates[row] + k * size + j, n); };
    put(0, hn::Mul(hn::Mul(dc, g), sigmoid_slope(one, i)));
    put(1, hn::Mul(hn::Mul(dc, load(s.c_before)), sigmoid_slope(one, f)));
    put(2, hn::Mul(hn::Mul(dc, i), tanh_slope(one, g)));
    put(3, hn::Mul(hn::Mul(dh, tanh_c), sigmoid_slope(one, o)));
    keep(hn::Mul(dc, f), s.of_c_before, row, j, n);
  });
}

template <class T>
void run_cell(const GruStep<T>& s, int64_t begin, int64_t end) {
  const LaneTag<T> d;
  const auto size = static_cast<size_t>(s.size);
  for_cells<T>(begin, end, s.size, [&](int64_t row, size_t j, size_t n) HWY_ATTR {
    const auto input = [&](size_t k) HWY_ATTR {
      return with_bias(s.input, s.input_bias, row, k * size + j, n);
    };
    const auto hidden = [&](size_t k) HWY_ATTR {
      return with_bias(s.hidden, s.hidden_bias, row, k * size + j, n);
    };
    const auto r = sigmoid(d, hn::Add(input(0), hidden(0)));
    const auto z = sigmoid(d, hn::Add(input(1), hidden(1)));
    const auto part = hidden(2);
    const auto fresh = tanh(d, hn::Add(input(2), hn::Mul(r, part)));
    const auto h = hn::Add(fresh, hn::Mul(z, hn::Sub(load_lanes(s.h_before[row] + j, n), fresh)));
    keep(r, s.kept[0], row, j, n);
    keep(z, s.kept[1], row, j, n);
    keep(fresh, s.kept[2], row, j, n);
    keep(part, s.kept[3], row, j, n);
    keep(h, s.h, row, j, n);
    keep(h, s.h_again, row, j, n);
  });
}

template <class T>
void run_cell(const GruGradient<T>& s, int64_t begin, int64_t end) {
  const LaneTag<T> d;
  const auto size = static_cast<size_t>(s.size);
  const auto one = hn::Set(d, T{1});
  for_cells<T>(begin, end, s.size, [&](int64_t row, size_t j, size_t n) HWY_ATTR {
    const auto load = [&](const CellRows<const T>& lines)
                          HWY_ATTR { return load_lanes(lines[row] + j, n); };
    const auto r = load(s.kept[0]), z = load(s.kept[1]), fresh = load(s.kept[2]);
    const auto dh = sum_of_rows(s.of_h, row, j, n);
    const auto dn = hn::Mul(hn::Mul(dh, hn::Sub(one, z)), tanh_slope(one, fresh));
    const auto dz = hn::Mul(hn::Mul(dh, hn::Sub(load(s.h_before), fresh)), sigmoid_slope(one, z));
    const auto dr = hn::Mul(hn::Mul(dn, load(s.kept[3])), sigmoid_slope(one, r));
    const auto put = [&](const CellRows<T>& lines, size_t k, auto value)
                         HWY_ATTR { store_lanes<T>(value, lines[row] + k * size + j, n); };
    for (const CellRows<T>& side : {s.of_input, s.of_hidden}) {
      put(side, 0, dr);
      put(side, 1, dz);
    }
    put(s.of_input, 2, dn);
    put(s.of_hidden, 2, hn::Mul(dn, r));
    keep(hn::Mul(dh, z), s.of_h_before, row, j, n);
  });
}

// A row at a time, so that memory is read as it lies; the sums stay in the first-level cache.
template <class T>
void run_cell(const ColumnSums<T>& s, int64_t begin, int64_t end) {
  T* const sums = s.sums + begin;
  std::fill_n(sums, end - begin, T{0});
  for (int64_t row = 0; row < s.rows; ++row) {
    const T* const from = s.of[row] + begin;
    for_lanes<T>(end - begin, [&](size_t i, auto n) HWY_ATTR {
      store_lanes<T>(hn::Add(load_lanes(sums + i, n), load_lanes(from + i, n)), sums + i, n);
    });
  }
}

void run_any_cell(const CellStep& step, int64_t begin, int64_t end) {
  std::visit([&](const auto& each) { run_cell(each, begin, end); }, step);
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(run_any_cell);

void run_step(const CellStep& step, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(run_any_cell)(step, begin, end);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
