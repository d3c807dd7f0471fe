// SPDX-License-Identifier: Apache-2.0
// Per-target: what attention and its gradient share: heads as dense matrices, products of those,
// and rows of scores. Included by kernel files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_ATTENTION_ATTENTION_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ATTENTION_ATTENTION_TILES_INL_H_
#undef ACLGRAD_OPS_ATTENTION_ATTENTION_TILES_INL_H_
#else
#define ACLGRAD_OPS_ATTENTION_ATTENTION_TILES_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "ops/attention/attention_kernel.h"
#include "ops/attention/attention_work.h"
#include "ops/engine/iterate.h"
#include "ops/engine/lanes-inl.h"
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/math/fused-inl.h"
#include "ops/matmul/product_pack-inl.h"
#include "ops/matmul/product_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// A dense matrix of T: rows as the left operand of a product, and as the right one, as a row has
// room for whole panels.
template <class T>
struct Lines {
  T* data;
  int64_t stride;

  T* operator[](int64_t row) const { return data + row * stride; }
};

constexpr int64_t round_up(int64_t count, int64_t unit) { return (count + unit - 1) / unit * unit; }

template <class T>
class AttentionTiles {
 protected:
  explicit AttentionTiles(const AttentionProblem& problem, const Run& run)
      : p_(problem), run_(run) {}

  using D = LaneTag<T>;
  using V = hn::Vec<D>;
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();
  // Below e^-87 shares of a row whose largest is 1 are nothing; subnormal numbers are slow.
  static constexpr T kNothingBelow = sizeof(T) == 4 ? T{-87} : T{-708};

  int64_t group() const { return p_.heads / p_.key_heads; }

  void choose_head(int64_t batch, int64_t head) {
    batch_ = batch;
    head_ = head;
  }

  // ---- Tensors ----------------------------------------------------------------------------------

  struct Place {
    void* data;
    aclDataType dtype;
    int64_t stride;
  };
  Place at(const HeadsView& view, int64_t head, int64_t place) const {
    const int64_t offset = batch_ * view.batch + head * view.head + place * view.place;
    return {element(run_.data(view.parameter), view.dtype, offset), view.dtype, view.column};
  }
  // Of what is kept of a row, in FLOAT or DOUBLE.
  double number_at(const HeadsView& view, int64_t place) const {
    const Place from = at(view, head_, place);
    return from.dtype == ACL_DOUBLE ? *static_cast<const double*>(from.data)
                                    : static_cast<double>(*static_cast<const float*>(from.data));
  }
  void put_number(double value, const HeadsView& view, int64_t place) const {
    const Place to = at(view, head_, place);
    for (int64_t k = 0; k < 8; ++k) {
      if (to.dtype == ACL_DOUBLE) {
        static_cast<double*>(to.data)[k * to.stride] = value;
      } else {
        static_cast<float*>(to.data)[k * to.stride] = static_cast<float>(value);
      }
    }
  }
  ProductOperand matrix(const HeadsView& view, int64_t head) const {
    return {at(view, head, 0).data, view.dtype, view.dtype, view.place, view.column};
  }

  // Room for rows of so many columns in whole panels, and a vector more.
  static Lines<T> lines(GrowingMemory& memory, int64_t rows, int64_t columns) {
    const int64_t stride = round_up(columns, kPanel<T>);
    return {memory.of<T>((rows + 1) * stride), stride};
  }
  // Where the tensor has such rows itself, these are taken.
  static Lines<const T> read(const ProductOperand& from, int64_t first, int64_t rows,
                             int64_t columns, GrowingMemory& memory) {
    constexpr aclDataType kSame = sizeof(T) == 4 ? ACL_FLOAT : ACL_DOUBLE;
    if (from.dtype == kSame && from.column_stride == 1 && columns % kPanel<T> == 0) {
      return {static_cast<const T*>(from.data) + first * from.row_stride, from.row_stride};
    }
    const Lines<T> to = lines(memory, rows, columns);
    read_rows(from, first, rows, 0, columns, to.data, to.stride);
    return {to.data, to.stride};
  }

  // to = factor * values, rounded once.
  static void write(const T* values, int64_t count, double factor, const Place& to) {
    if (to.stride == 1 || count == 1) {
      const Doubles f = hn::Set(DoubleTag(), factor);
      return visit_real(to.dtype, [&](auto tag) HWY_ATTR {
        using Element = typename decltype(tag)::type;
        map_row(static_cast<size_t>(count), static_cast<Element*>(to.data),
                [&](size_t i, auto n) HWY_ATTR { return hn::Mul(load_doubles(values + i, n), f); });
      });
    }
    for_blocks(0, count, [&](int64_t begin, int64_t end) {
      double block[kBlock];
      for (int64_t i = begin; i < end; ++i)
        block[i - begin] = static_cast<double>(values[i]) * factor;
      store<double>(block, element(to.data, to.dtype, begin * to.stride), to.dtype, to.stride,
                    static_cast<size_t>(end - begin));
    });
  }

  // ---- What is not finite -----------------------------------------------------------------------
  // What a query does not see must not reach it, whatever it is, but a share of 0 times infinity or
  // NaN is NaN. So rows of a right operand that are not finite are left out of the product, which
  // takes all of them for 0, and are added for those that see them.

  struct FiniteRows {
    Lines<const T> rows;
    Lines<const T> all;         // with those that are not finite
    std::vector<int64_t> lost;  // the numbers of these
  };

  HWY_NOINLINE static bool is_finite(const T* row, int64_t columns) {
    const D d;
    V sum = hn::Zero(d);
    for_lanes<T>(columns, [&](size_t k, auto n) HWY_ATTR {
      sum = hn::MulAdd(load_lanes(row + k, n), hn::Zero(d), sum);
    });
    return hn::AllTrue(d, hn::Eq(sum, hn::Zero(d)));
  }
  FiniteRows finite_rows(const Lines<const T>& all, int64_t rows, int64_t columns,
                         GrowingMemory& memory) const {
    FiniteRows found{all, all, {}};
    if (!can_hide()) return found;
    for (int64_t r = 0; r < rows; ++r) {
      if (!is_finite(all[r], columns)) found.lost.push_back(r);
    }
    if (found.lost.empty()) return found;
    const Lines<T> to = lines(memory, rows, columns);
    for (int64_t r = 0; r < rows; ++r) std::copy_n(all[r], columns, to[r]);
    for (const int64_t r : found.lost) std::fill_n(to[r], columns, T{0});
    found.rows = {to.data, to.stride};
    return found;
  }

  // Whether some query does not see some key.
  bool can_hide() const { return p_.diagonal || p_.hidden || hides_by_shift(); }
  // Only what is infinite hides, and not by a scale that turns it round.
  bool hides_by_shift() const { return p_.shift && (p_.shifts_scores || p_.scale > 0); }

  // Whether the query at place i sees key j.
  bool sees(int64_t i, int64_t j) const {
    if (seen(i, j, 1) == 0) return false;
    if (p_.hidden) {
      const Place from = at(*p_.hidden, head_, i);
      if (static_cast<const uint8_t*>(from.data)[j * from.stride] != 0) return false;
    }
    if (!hides_by_shift()) return true;
    const Place from = at(*p_.shift, head_, i);
    T shift;
    read_any({from.data, from.dtype, from.dtype, 0, from.stride},
             element(from.data, from.dtype, j * from.stride), 1, &shift);
    return shift != -kInfinity;
  }
  static void add_multiple(T factor, const T* row, int64_t columns, T* to) {
    const hn::CappedTag<T, 1> d;  // one rounding, as products have
    for (int64_t k = 0; k < columns; ++k) {
      to[k] = hn::GetLane(mul_add(d, hn::Set(d, factor), hn::Set(d, row[k]), hn::Set(d, to[k])));
    }
  }

  // Keys and values from a place on: keys by column for the scores; values by row for what is
  // seen, and for gradients values by column and keys by row.
  void read_keys(int64_t first, int64_t places, bool for_gradients) {
    const int64_t head = head_ / group();
    const ProductOperand key = matrix(p_.key, head), value = matrix(p_.value, head);
    const auto by_column = [&](const ProductOperand& of, int64_t size, GrowingMemory& memory) {
      T* const to = memory.template of<T>(round_up(places, kPanel<T>) * size);
      pack_panels(of.transposed(), 0, size, first, places, to);
      return to;
    };
    key_columns_ = by_column(key, p_.size, buffers_->keys_by_column);
    if (for_gradients) {
      value_columns_ = by_column(value, p_.value_size, buffers_->values_by_column);
      keys_ = finite_rows(read(key, first, places, p_.size, buffers_->keys), places, p_.size,
                          buffers_->finite_keys);
    } else {
      values_ = finite_rows(read(value, first, places, p_.value_size, buffers_->values), places,
                            p_.value_size, buffers_->finite_values);
    }
  }

  // ---- Products ---------------------------------------------------------------------------------

  struct Left {
    const T* data;
    int64_t row, term;
  };
  struct Right {
    const T* data;
    int64_t row, panel;
  };
  template <class Element>
  static Left by_rows(const Lines<Element>& a) {
    return {a.data, a.stride, 1};
  }
  static Left by_columns(const Lines<T>& a) { return {a.data, 1, a.stride}; }
  static Right of(const Lines<const T>& b) { return {b.data, b.stride, kPanel<T>}; }
  static Right of_panels(const T* b, int64_t terms) { return {b, kPanel<T>, kPanel<T> * terms}; }

  // c (+)= a b
  static void product(int64_t rows, int64_t columns, int64_t terms, const Left& a, const Right& b,
                      const Lines<T>& c, bool adds) {
    for (int64_t j = 0; j < columns; j += kPanel<T>) {
      const int64_t width = std::min(kPanel<T>, columns - j);
      multiply_tiles(rows, width,
                     Tile<T>{a.data, a.row, a.term, b.data + j / kPanel<T> * b.panel, b.row,
                             kPanel<T>, c.data + j, c.stride, static_cast<size_t>(terms),
                             static_cast<size_t>(width), adds});
    }
  }

  // ---- Rows of scores ---------------------------------------------------------------------------

  // How many of so many keys from j on the query at place i can see, before any mask.
  int64_t seen(int64_t i, int64_t j, int64_t columns) const {
    if (!p_.diagonal) return columns;
    return std::clamp<int64_t>(i + *p_.diagonal + 1 - j, 0, columns);
  }

  // Rows of scores have room for whole vectors.
  template <class Term>
  HWY_INLINE static void add(int64_t count, const Term& term, Accumulators& lanes) {
    if constexpr (sizeof(T) == 4) {
      add_float_terms(static_cast<size_t>(count), term, lanes);
    } else {
      add_terms(static_cast<size_t>(count), term, lanes);
    }
  }
  // e^x of what a score is below the largest of its row: neither overflows nor is it subnormal, so
  // that a power of two from integers is enough.
  HWY_INLINE static V exponential_of(V x) {
    const D d;
    V e;
    if constexpr (sizeof(T) == 4) {
      const auto parts = reduce_shortly(d, clamp_or_zero(d, x, kNothingBelow, 89.0f));
      const V beyond = beyond_linear(d, parts.r, hn::Mul(parts.n, hn::Set(d, kLn2Excess)));
      e = hn::Mul(hn::Add(hn::Set(d, 1.0f), hn::Add(parts.r, beyond)), power_of(d, parts));
    } else {
      e = exp(d, larger(hn::Set(d, kNothingBelow), x));
    }
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, kNothingBelow)), e);
  }

  // What the shift, the mask of hidden places and dropout's mask say of keys [j, j + n) for the
  // query at place i, as numbers. Each has its part of the buffer.
  struct RowMasks {
    const T* shift;
    const T* hidden;  // -infinity or 0
    const T* factor;  // of dropout: 0 or 1 / kept
  };
  // For row `number` of those that are worked on together.
  RowMasks masks_of(int64_t i, int64_t j, int64_t n, int64_t number = 0) {
    T* const room =
        buffers_->row.template of<T>(kAccumulators * 3 * kKeyBlock) + number * 3 * kKeyBlock;
    RowMasks masks{};
    if (p_.shift) {
      const Place from = at(*p_.shift, head_, i);
      ProductOperand line{from.data, from.dtype, from.dtype, 0, from.stride};
      read_any(line, element(from.data, from.dtype, j * from.stride), n, room);
      masks.shift = room;
    }
    if (p_.hidden) {
      const Place from = at(*p_.hidden, head_, i);
      const auto* byte = static_cast<const uint8_t*>(from.data) + j * from.stride;
      T* const to = room + kKeyBlock;
      for (int64_t k = 0; k < n; ++k) to[k] = byte[k * from.stride] != 0 ? -kInfinity : T{0};
      masks.hidden = to;
    }
    if (p_.dropped) {
      const auto* bytes = run_.data<const uint8_t>(*p_.dropped);
      const int64_t bit = ((batch_ * p_.heads + head_) * p_.queries + i) * p_.keys + j;
      T* const to = room + 2 * kKeyBlock;
      const T factor = static_cast<T>(1 / p_.kept);
      const int64_t stride = p_.bytes.inner_stride();
      for (int64_t k = 0; k < n; ++k) {
        const int64_t byte = (bit + k) / 8;
        const uint8_t held = bytes[p_.bytes.is_line() ? byte * stride : p_.bytes.offset(byte)];
        to[k] = (held >> ((bit + k) % 8) & 1) != 0 ? factor : T{0};
      }
      masks.factor = to;
    }
    return masks;
  }

  // Which of n keys from k on are hidden, of those before the diagonal.
  HWY_INLINE hn::Mask<D> hidden(const RowMasks& masks, size_t k, size_t n) const {
    const D d;
    hn::Mask<D> hidden = hn::FirstN(d, 0);
    if (masks.hidden != nullptr) hidden = hn::Lt(load_lanes(masks.hidden + k, n), hn::Zero(d));
    if (masks.shift == nullptr || !hides_by_shift()) return hidden;
    return hn::Or(hidden, hn::Eq(load_lanes(masks.shift + k, n), hn::Set(d, -kInfinity)));
  }
  // Calls visit(k, m, scores, which of them are hidden) for a row's n products.
  template <class Visit>
  HWY_INLINE void for_scores(const T* products, const RowMasks& masks, int64_t n,
                             const Visit& visit) const {
    const D d;
    const V scale = hn::Set(d, static_cast<T>(p_.scale));
    if (masks.shift == nullptr && masks.hidden == nullptr) {
      const hn::Mask<D> none = hn::FirstN(d, 0);
      return for_lanes<T>(n, [&](size_t k, auto m) HWY_ATTR {
        visit(k, m, hn::Mul(load_lanes(products + k, m), scale), none);
      });
    }
    for_lanes<T>(n, [&](size_t k, size_t count) HWY_ATTR {
      const size_t m = HWY_MIN(count, hn::MaxLanes(d));  // for compilers that fear there are more
      const V product = load_lanes(products + k, m);
      const V shift = masks.shift == nullptr ? hn::Zero(d) : load_lanes(masks.shift + k, m);
      const V z = p_.shifts_scores ? hn::Add(hn::Mul(product, scale), shift)
                                   : hn::Mul(hn::Add(product, shift), scale);
      const hn::Mask<D> unseen = this->hidden(masks, k, m);
      visit(k, m, hn::IfThenElse(unseen, hn::Set(d, -kInfinity), z), unseen);
    });
  }

  const AttentionProblem& p_;
  const Run& run_;
  const ThreadScratch<AttentionBuffers> buffers_;
  int64_t batch_ = 0, head_ = 0;
  const T* key_columns_ = nullptr;
  const T* value_columns_ = nullptr;  // for gradients
  FiniteRows keys_{}, values_{};      // the former for gradients
};

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
