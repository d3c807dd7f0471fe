// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/product_kernel.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

#include "ops/kernels/matmul_direct.h"
#include "ops/kernels/strided.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/product_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/lanes-inl.h"
#include "ops/kernels/product_pack-inl.h"
#include "ops/kernels/product_tile-inl.h"

#ifndef ACLGRAD_OPS_KERNELS_PRODUCT_BUFFER
#define ACLGRAD_OPS_KERNELS_PRODUCT_BUFFER
namespace aclgrad::ops {

// Memory of a thread, for panels that do not fit the stack.
inline void* panel_buffer(size_t bytes) {
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  thread_local std::vector<Line> lines;
  if (lines.size() * sizeof(Line) < bytes) lines.resize((bytes + sizeof(Line) - 1) / sizeof(Line));
  return lines.data();
}

}  // namespace aclgrad::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Bytes of packed panels that stay in a second-level cache beside all else, and on the stack.
constexpr int64_t kPanelBytes = 1 << 20;
constexpr int64_t kPanelBytesOnStack = 1 << 14;
// Most columns whose sums wait in a buffer.
constexpr int64_t kMostColumns = 512;

// Rows of a are copied together where so many columns make use of the copy. In place, rows a
// multiple of a page apart would chase each other out of the cache.
constexpr int64_t kWorthCopyingA = 256;
constexpr int64_t kHarmlessStride = 512;
// b is packed where so many rows make use of it; sooner if its rows lie pages apart.
constexpr int64_t kWorthPackingB = 384;
constexpr int64_t kWorthPackingPages = 96;

template <class T>
bool reads_in_place(const ProductOperand& b, int64_t rows, int64_t columns) {
  if (!holds<T>(b) || (b.column_stride != 1 && columns != 1)) return false;
  const bool whole = columns % static_cast<int64_t>(kLanesOf<T>) == 0;
  const bool pages = b.row_stride % kHarmlessStride == 0;
  return rows < (pages ? kWorthPackingPages : kWorthPackingB) && (whole || kReadsPartOfVector);
}

// Groups of rows of a that are copied together: where its columns are dense, a group alone would
// use a part of each cache line and page that it touches.
constexpr int64_t kGroupsAtOnce = 4;

// A group of rows of a, copied.
template <class T>
struct RowsOfA {
  // By rows: they lie so far apart, which is not a power of two.
  static constexpr int64_t kLine = kTermsAtOnce + 128 / sizeof(T);
  // By columns.
  static constexpr int64_t kColumn = 16;
  static_assert(kTileRows <= kColumn);
  alignas(64) T values[kColumn * kLine];
};

// b as tiles read it: packed in panels, or in place.
template <class T>
struct ReadyB {
  const T* data;
  int64_t row;    // from term to term
  int64_t panel;  // from panel to panel

  const T* at(int64_t term, int64_t column) const {
    return data + term * row + column / kPanel<T> * panel + column % kPanel<T>;
  }
};

// Goes through memory line by line, a few lines at a time.
class Fetched {
 public:
  explicit Fetched(std::span<const aclgradMemory> memory) : memory_(memory) {}

  // The next `lines` lines (a few more at an end); null behind the last one.
  const std::byte* next(int64_t lines) {
    if (index_ == memory_.size()) return nullptr;
    const aclgradMemory& here = memory_[index_];
    const std::byte* const at = static_cast<const std::byte*>(here.address) + done_;
    done_ += lines * kLine;
    if (done_ >= here.length) {
      done_ = 0;
      ++index_;
    }
    return at;
  }

  static constexpr int64_t kLine = 64;

 private:
  std::span<const aclgradMemory> memory_;
  size_t index_ = 0;
  int64_t done_ = 0;
};

template <class T>
class PartProduct {
 public:
  explicit PartProduct(const ProductPart& part) : part_(part), fetched_(part.soon) {
    const MatmulProblem& problem = part.problem;
    const MatrixView& out = problem.out;
    in_place_ = out.dtype == kDtype && !problem.addend && problem.alpha == 1 &&
                (out.column_stride == 1 || problem.n == 1);
    out_ = static_cast<T*>(
        element(part.run.data(out.parameter), out.dtype, batch_offset(problem, out, part.batch)));
    terms_ = problem.k;
    groups_ = (part.rows + kRows - 1) / kRows;
  }

  void run() {
    const bool reads_b = reads_in_place<T>(part_.b, part_.rows, part_.columns);
    constexpr int64_t kWidth = kPanel<T>;
    const int64_t fitting = kPanelBytes / static_cast<int64_t>(sizeof(T)) / terms_ / kWidth;
    const int64_t most = std::min(kMostColumns, std::max<int64_t>(1, fitting) * kWidth);
    for (int64_t j = 0; j < part_.columns; j += most) {
      const int64_t columns = std::min(most, part_.columns - j);
      if (reads_b) {
        const ProductOperand& b = part_.b;
        const T* data = static_cast<const T*>(b.data) + part_.column + j;
        run_columns({data, b.row_stride, kWidth}, j, columns);
      } else {
        run_packed(j, columns);
      }
    }
  }

 private:
  static constexpr aclDataType kDtype = sizeof(T) == 8 ? ACL_DOUBLE : ACL_FLOAT;
  static constexpr int64_t kRows = static_cast<int64_t>(kTileRows);
  static constexpr int64_t kTermsCopied = 16;

  HWY_NOINLINE void run_packed(int64_t column, int64_t columns) {
    const int64_t panels = (columns + kPanel<T> - 1) / kPanel<T>;
    const int64_t size = panels * kPanel<T> * terms_;
    if (size * static_cast<int64_t>(sizeof(T)) <= kPanelBytesOnStack) {
      alignas(64) T buffer[kPanelBytesOnStack / sizeof(T)];
      pack_and_run(column, columns, buffer);
    } else {
      pack_and_run(column, columns,
                   static_cast<T*>(panel_buffer(static_cast<size_t>(size) * sizeof(T))));
    }
  }

  void pack_and_run(int64_t column, int64_t columns, T* buffer) {
    pack_panels(part_.b, terms_, part_.column + column, columns, buffer);
    run_columns({buffer, kPanel<T>, kPanel<T> * terms_}, column, columns);
  }

  // The part's columns [column, column + columns), for all its rows.
  void run_columns(const ReadyB<T>& b, int64_t column, int64_t columns) {
    const bool copies = !holds<T>(part_.a) || !is_harmless(part_.a, columns);
    for (int64_t group = 0; group < groups_; group += kGroupsAtOnce) {
      const int64_t end = std::min(groups_, group + kGroupsAtOnce);
      if (in_place_) {
        const int64_t c_row = part_.problem.out.row_stride;
        T* to = out_ + (part_.row + row_of(group)) * c_row + part_.column + column;
        run_groups(b, {group, end}, columns, to, c_row, copies);
      } else {
        run_by_way_of_sums(b, {group, end}, column, columns, copies);
      }
    }
  }

  struct Groups {
    int64_t begin;
    int64_t end;
  };

  // The first row of a group; groups are as equal as can be.
  int64_t row_of(int64_t group) const { return part_.rows * group / groups_; }

  HWY_NOINLINE void run_by_way_of_sums(const ReadyB<T>& b, Groups groups, int64_t column,
                                       int64_t columns, bool copies) {
    alignas(64) T sums[kGroupsAtOnce * kRows * kMostColumns];
    run_groups(b, groups, columns, sums, columns, copies);
    const int64_t row = row_of(groups.begin);
    finish(part_.row + row, row_of(groups.end) - row, part_.column + column, columns, sums);
  }

  // Sums of groups of rows, rows `c_row` apart.
  void run_groups(const ReadyB<T>& b, Groups groups, int64_t columns, T* c, int64_t c_row,
                  bool copies) {
    if (copies) return run_groups_of_copy(b, groups, columns, c, c_row);
    const ProductOperand& a = part_.a;
    for (int64_t group = groups.begin; group < groups.end; ++group) {
      const int64_t row = row_of(group);
      const T* data = static_cast<const T*>(a.data) + (part_.row + row) * a.row_stride;
      T* to = c + (row - row_of(groups.begin)) * c_row;
      for (int64_t term = 0; term < terms_; term += kTermsAtOnce) {
        run_tiles({data + term * a.column_stride, a.row_stride, a.column_stride}, b, term,
                  row_of(group + 1) - row, columns, to, c_row);
      }
    }
  }

  HWY_NOINLINE void run_groups_of_copy(const ReadyB<T>& b, Groups groups, int64_t columns, T* c,
                                       int64_t c_row) {
    RowsOfA<T> copies[kGroupsAtOnce];
    const bool by_columns = part_.a.row_stride == 1 && part_.a.column_stride != 1;
    for (int64_t term = 0; term < terms_; term += kTermsAtOnce) {
      const int64_t terms = std::min(kTermsAtOnce, terms_ - term);
      copy_groups(groups, term, terms, by_columns, copies);
      for (int64_t group = groups.begin; group < groups.end; ++group) {
        const T* a = copies[group - groups.begin].values;
        T* to = c + (row_of(group) - row_of(groups.begin)) * c_row;
        const auto [a_row, a_term] = by_columns ? std::pair(int64_t{1}, RowsOfA<T>::kColumn)
                                                : std::pair(RowsOfA<T>::kLine, int64_t{1});
        run_tiles({a, a_row, a_term}, b, term, row_of(group + 1) - row_of(group), columns, to,
                  c_row);
      }
    }
  }

  void copy_groups(Groups groups, int64_t first, int64_t terms, bool by_columns,
                   RowsOfA<T>* copies) const {
    const int64_t step = by_columns ? kTermsCopied : terms;
    for (int64_t l = 0; l < terms; l += step) {
      const int64_t deep = std::min(step, terms - l);
      for (int64_t group = groups.begin; group < groups.end; ++group) {
        T* to = copies[group - groups.begin].values;
        const int64_t row = part_.row + row_of(group);
        const int64_t rows = row_of(group + 1) - row_of(group);
        if (by_columns) {
          constexpr int64_t kColumn = RowsOfA<T>::kColumn;
          read_rows(part_.a.transposed(), first + l, deep, row, rows, to + l * kColumn, kColumn);
        } else {
          read_rows(part_.a, row, rows, first, terms, to, RowsOfA<T>::kLine);
        }
      }
    }
  }

  static bool is_harmless(const ProductOperand& a, int64_t columns) {
    if (columns < kWorthCopyingA) return true;
    return a.column_stride == 1 && std::abs(a.row_stride) % kHarmlessStride != 0;
  }

  struct StridedA {
    const T* data;
    int64_t row;
    int64_t term;
  };

  HWY_INLINE void run_tiles(const StridedA& a, const ReadyB<T>& b, int64_t term, int64_t rows,
                            int64_t columns, T* c, int64_t c_row) {
    constexpr auto kStep = static_cast<int64_t>(kTileColumns<T>);
    const int64_t terms = std::min(kTermsAtOnce, terms_ - term);
    for (int64_t j = 0; j < columns; j += kStep) {
      const std::byte* const fetched = fetched_.next(terms);
      // Something that is at hand, where nothing is to be fetched.
      const auto* const at_hand = reinterpret_cast<const std::byte*>(a.data);
      multiply_tile(
          static_cast<size_t>(rows),
          Tile<T>{a.data, a.row, a.term, b.at(term, j), b.row, c + j, c_row,
                  static_cast<size_t>(terms), static_cast<size_t>(std::min(kStep, columns - j)),
                  term > 0, fetched != nullptr ? fetched : at_hand,
                  fetched != nullptr ? Fetched::kLine : 0});
    }
  }

  // Turns sums into results: scales, adds the addend, rounds once.
  void finish(int64_t row, int64_t rows, int64_t column, int64_t columns, const T* sums) const {
    const MatmulProblem& problem = part_.problem;
    const auto is_dense = [&](const MatrixView& view) {
      return view.column_stride == 1 || columns == 1;
    };
    const bool dense = is_dense(problem.out) &&
                       (!problem.addend ||
                        (problem.addend->dtype == problem.out.dtype && is_dense(*problem.addend)));
    if (dense) {
      visit_real(problem.out.dtype, [&](auto tag) HWY_ATTR {
        for (int64_t i = 0; i < rows; ++i) {
          finish_dense(tag, row + i, column, columns, sums + i * columns);
        }
      });
      return;
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; j += kRowPiece) {
        const int64_t size = std::min(kRowPiece, columns - j);
        alignas(64) double values[kRowPiece];
        for (int64_t l = 0; l < size; ++l) {
          values[l] = static_cast<double>(sums[i * columns + j + l]);
        }
        finish_row(problem, part_.run, part_.batch, row + i, column + j, values, size);
      }
    }
  }

  static HWY_INLINE void add_rows(const float* a, const float* b, float* to, size_t count) {
    const hn::ScalableTag<float> d;
    size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
    }
    for (; i < count; ++i) to[i] = a[i] + b[i];
  }

  template <class Stored>
  HWY_INLINE void finish_dense(TypeTag<Stored>, int64_t row, int64_t column, int64_t columns,
                               const T* sums) const {
    const MatmulProblem& problem = part_.problem;
    const auto at = [&](const MatrixView& view) HWY_ATTR {
      return part_.run.data<Stored>(view.parameter) + batch_offset(problem, view, part_.batch) +
             row * view.row_stride + column * view.column_stride;
    };
    Stored* to = at(problem.out);
    const Stored* added = problem.addend ? at(*problem.addend) : nullptr;
    if constexpr (std::is_same_v<Stored, float> && std::is_same_v<T, float>) {
      // The sum of two floats, rounded through double or not, is the same.
      if (added != nullptr && problem.alpha == 1 && problem.beta == 1) {
        return add_rows(sums, added, to, static_cast<size_t>(columns));
      }
    }
    const Wide d;
    const WideVec alpha = hn::Set(d, problem.alpha);
    const WideVec beta = hn::Set(d, problem.beta);
    for_vectors(static_cast<size_t>(columns), [&](size_t i, auto n) HWY_ATTR {
      WideVec value = hn::Mul(load_wide(sums + i, n), alpha);
      if (added != nullptr) value = hn::Add(value, hn::Mul(beta, load_wide(added + i, n)));
      store_wide(value, to + i, n);
    });
  }

  const ProductPart& part_;
  Fetched fetched_;
  bool in_place_;
  T* out_;
  int64_t terms_;
  int64_t groups_;
};

bool reads_float_in_place(const ProductOperand& b, int64_t rows, int64_t columns) {
  return reads_in_place<float>(b, rows, columns);
}

void multiply_part(const ProductPart& part) {
  if (part.problem.dtype == ACL_DOUBLE) {
    PartProduct<double>(part).run();
  } else {
    PartProduct<float>(part).run();
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(reads_float_in_place);
HWY_EXPORT(multiply_part);

bool reads_b_in_place(const ProductOperand& b, int64_t rows, int64_t columns) {
  return HWY_DYNAMIC_DISPATCH(reads_float_in_place)(b, rows, columns);
}

void multiply(const ProductPart& part) { HWY_DYNAMIC_DISPATCH(multiply_part)(part); }

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
