// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ops/engine/iterate.h"
#include "ops/engine/thread_scratch.h"
#include "ops/matmul/matmul_kernel_direct.h"
#include "ops/matmul/product_fetch.h"
#include "ops/matmul/product_kernel_pairs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/matmul/product_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/dtype/doubles-inl.h"
#include "ops/matmul/product_output-inl.h"
#include "ops/matmul/product_pack-inl.h"
#include "ops/matmul/product_rows-inl.h"
#include "ops/matmul/product_tile-inl.h"

#ifndef ACLGRAD_OPS_MATMUL_PRODUCT_BUFFER
#define ACLGRAD_OPS_MATMUL_PRODUCT_BUFFER
namespace aclgrad::ops {

// For panels that do not fit the stack.
struct PanelBuffer {
  GrowingMemory memory;
};

}  // namespace aclgrad::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Bytes of packed panels that stay in a second-level cache beside all else, and on the stack.
constexpr int64_t kPanelBytes = 1 << 20;
constexpr int64_t kPanelBytesOnStack = 1 << 14;
// Most columns whose sums wait in a buffer.
constexpr int64_t kMaxColumns = 512;

// b is packed where so many rows make use of it; sooner if its vectors lie across cache lines, or
// its rows pages apart.
constexpr int64_t kMinForPackingB = 384;
constexpr int64_t kMinForPackingUnaligned = 192;
constexpr int64_t kMinForPackingPages = 96;

template <class T>
bool reads_in_place(const ProductOperand& b, int64_t rows, int64_t columns) {
  if (!has_compute_type<T>(b) || (b.column_stride != 1 && columns != 1)) return false;
  const bool whole = columns % static_cast<int64_t>(kLanesOf<T>) == 0;
  const bool pages = b.row_stride % kHarmlessStride == 0;
  const bool aligned = b.row_stride % static_cast<int64_t>(kLanesOf<T>) == 0;
  const int64_t most = pages     ? kMinForPackingPages
                       : aligned ? kMinForPackingB
                                 : kMinForPackingUnaligned;
  return rows < most && (whole || kReadsPartOfVector);
}

// Groups of rows of a that are copied together: where its columns are dense, a group alone would
// use a part of each cache line and page that it touches.
constexpr int64_t kGroupsAtOnce = HWY_TARGET <= HWY_AVX3 ? 4 : 8;
// Groups that go through a tile's columns of b together. Tiles of shorter vectors read b more
// often, so it had better stay in the first-level cache than a.
constexpr int64_t kGroupsTogether = HWY_TARGET <= HWY_AVX3 ? 1 : kGroupsAtOnce;

// b as tiles read it: packed in panels, or in place.
template <class T>
struct ReadyB {
  const T* data;
  int64_t row;        // from term to term
  int64_t panel;      // from panel to panel
  int64_t first = 0;  // the term that data begins with

  const T* at(int64_t term, int64_t column) const {
    return data + (term - first) * row + column / kPanel<T> * panel + column % kPanel<T>;
  }
};

template <class T>
class PartProduct {
 public:
  explicit PartProduct(const ProductPart& part) : part_(part), out_(part), terms_(part.problem.k) {
    choose_tiles();
  }

  void run() {
    if (!reads_in_place<T>(part_.b, part_.rows, part_.columns)) return run_packed();
    const int64_t most = std::min(columns_at_once(terms_), part_.columns);
    // Panel by panel where that costs nothing: then it stays near while all rows need it.
    const bool by_panels = out_.is_possible() && !is_worth_copying<T>(part_.a, terms_, most);
    const int64_t step = by_panels ? std::max(kPanel<T>, tile_columns_) : most;
    for (int64_t j = 0; j < part_.columns; j += step) {
      // The stride counts even where the part has one column.
      const int64_t first = (part_.column + j) * part_.b.column_stride;
      const T* data = static_cast<const T*>(part_.b.data) + first;
      if (by_panels && j + step < part_.columns) {
        fetch_panels(data + step, std::min(step, part_.columns - j - step));
      }
      run_columns({data, part_.b.row_stride, kPanel<T>}, {0, terms_}, j,
                  std::min(step, part_.columns - j));
    }
  }

 private:
  static constexpr auto kMaxRows = static_cast<int64_t>(kTileRows<T>);
  static_assert(kWideRows <= kTileRows<T> &&
                kNarrowRows<T> * kLanesOf<T> <= kMaxRows * kMaxColumns);
  static constexpr int64_t kTermsCopied = 16;

  struct Terms {
    int64_t begin;
    int64_t end;
  };

  // While the panels before them are read: another core may have written them last.
  void fetch_panels(const T* next, int64_t columns) {
    if (part_.b.column_stride != 1) return;
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    fetches_.set_next(next, columns * kSize, terms_, part_.b.row_stride * kSize);
  }

  void choose_tiles() {
    constexpr auto kOneVector = static_cast<int64_t>(kLanesOf<T>);
    constexpr auto kTwoVectors = static_cast<int64_t>(kTileColumns<T>);
    tile_columns_ = kTwoVectors;
    if (part_.columns <= kOneVector) {
      group_rows<kNarrowRows<T>>();
    } else if (kWideVectors<T> > kTileVectors && part_.columns > kTwoVectors &&
               !copies_columns_of_a() && columns_at_once(terms_) > kTwoVectors) {
      // Low tiles would use a part of each cache line that is copied.
      tile_columns_ = static_cast<int64_t>(kWideColumns<T>);
      group_rows<kWideRows>();
    } else {
      group_rows<kTileRows<T>>();
    }
  }

  bool copies_columns_of_a() const {
    return RowsOfA<T>::is_by_columns(part_.a) &&
           is_worth_copying<T>(part_.a, terms_, part_.columns);
  }

  // Groups of at most so many rows, as equal as can be. Small products notice every division.
  template <size_t kMax>
  void group_rows() {
    groups_ = static_cast<int64_t>((static_cast<size_t>(part_.rows) + kMax - 1) / kMax);
    group_ = groups_ <= 1 ? part_.rows : part_.rows / groups_;
    larger_groups_ = part_.rows - groups_ * group_;
  }

  // Columns of b whose panels of so many terms stay in the cache: equal parts of all of them, as
  // each part goes through all of a.
  int64_t columns_at_once(int64_t terms) const {
    constexpr int64_t kWidth = kPanel<T>;
    if (part_.columns <= kWidth) return kWidth;
    const int64_t fitting =
        std::max<int64_t>(1, kPanelBytes / static_cast<int64_t>(sizeof(T)) / terms / kWidth);
    const int64_t panels = (part_.columns + kWidth - 1) / kWidth;
    // A quarter more than fits costs less than going through a once more.
    const int64_t most =
        out_.is_possible() ? fitting + fitting / 4 : std::min(kMaxColumns / kWidth, fitting);
    const int64_t parts = (panels + most - 1) / most;
    return (panels + parts - 1) / parts * kWidth;
  }

  // Terms whose panels are packed together. Sums that are collected in the output itself can be
  // left and come back to: the wider the panels, the more often a copy of a's rows is used.
  int64_t terms_at_once() const {
    constexpr int64_t kFitting = kPanelBytes / static_cast<int64_t>(sizeof(T));
    const int64_t width = (part_.columns + kPanel<T> - 1) / kPanel<T> * kPanel<T>;
    if (!out_.is_possible() || terms_ <= kFitting / width) return terms_;
    const int64_t fitting = kFitting / width;
    return std::clamp(fitting / kKc * kKc, std::min(terms_, kKc), terms_);
  }

  HWY_NOINLINE void run_packed() {
    const int64_t deep = terms_at_once();
    const int64_t most = columns_at_once(deep);
    const int64_t panels = (std::min(most, part_.columns) + kPanel<T> - 1) / kPanel<T>;
    constexpr auto kOnStack = kPanelBytesOnStack / static_cast<int64_t>(sizeof(T));
    const int64_t elements = panels * kPanel<T> * deep;
    if (elements <= kOnStack) {
      alignas(64) T buffer[kOnStack];
      return pack_and_run(deep, most, buffer);
    }
    const ThreadScratch<PanelBuffer> buffer;
    pack_and_run(deep, most, buffer->memory.of<T>(elements));
  }

  void pack_and_run(int64_t deep, int64_t most, T* buffer) {
    for (int64_t j = 0; j < part_.columns; j += most) {
      const int64_t columns = std::min(most, part_.columns - j);
      for (int64_t term = 0; term < terms_; term += deep) {
        const Terms terms{term, std::min(terms_, term + deep)};
        const int64_t count = terms.end - terms.begin;
        pack_panels(part_.b, term, count, part_.column + j, columns, buffer);
        run_columns({buffer, kPanel<T>, kPanel<T> * count, term}, terms, j, columns);
      }
    }
  }

  // Some terms of the part's columns [column, column + columns), for all its rows.
  void run_columns(const ReadyB<T>& b, Terms terms, int64_t column, int64_t columns) {
    const bool copies = is_worth_copying<T>(part_.a, terms_, columns);
    for (int64_t group = 0; group < groups_; group += kGroupsAtOnce) {
      const Groups groups{group, std::min(groups_, group + kGroupsAtOnce)};
      const int64_t row = part_.row + row_of(group);
      if (out_.is_possible()) {
        const Target all{out_.data(), out_.row_stride(), out_.added(), out_.added_row_stride()};
        run_groups(b, terms, groups, columns, all.from(row, part_.column + column), copies);
      } else {
        run_by_way_of_sums(b, terms, groups, column, columns, copies);
      }
    }
  }

  struct Groups {
    int64_t begin;
    int64_t end;
  };

  // The first row of a group.
  int64_t row_of(int64_t group) const { return group * group_ + std::min(group, larger_groups_); }

  // Where sums go, and what is added to them at last; rows of each are that far apart.
  struct Target {
    T* c;
    int64_t c_row;
    const T* added = nullptr;
    int64_t added_row = 0;

    Target from(int64_t row, int64_t column = 0) const {
      return {c + row * c_row + column, c_row,
              added == nullptr ? nullptr : added + row * added_row + column, added_row};
    }
  };

  HWY_NOINLINE void run_by_way_of_sums(const ReadyB<T>& b, Terms terms, Groups groups,
                                       int64_t column, int64_t columns, bool copies) {
    alignas(64) T sums[kGroupsAtOnce * kMaxRows * kMaxColumns];
    run_groups(b, terms, groups, columns, {sums, columns}, copies);
    const int64_t row = row_of(groups.begin);
    finish(part_, part_.row + row, row_of(groups.end) - row, part_.column + column, columns, sums,
           columns);
  }

  // Sums of groups of rows.
  void run_groups(const ReadyB<T>& b, Terms terms, Groups groups, int64_t columns,
                  const Target& target, bool copies) {
    if (copies) return run_groups_of_copy(b, terms, groups, columns, target);
    const ProductOperand& a = part_.a;
    const auto group_of_a = [&](int64_t group, int64_t term) HWY_ATTR -> StridedA {
      const T* data = static_cast<const T*>(a.data);
      return {data + (part_.row + row_of(group)) * a.row_stride + term * a.column_stride,
              a.row_stride, a.column_stride};
    };
    for_groups_together(groups, [&](Groups together) HWY_ATTR {
      const Target part = target.from(row_of(together.begin) - row_of(groups.begin));
      for (int64_t term = terms.begin; term < terms.end; term += kKc) {
        run_tiles(group_of_a, b, term, together, columns, part);
      }
    });
  }

  HWY_NOINLINE void run_groups_of_copy(const ReadyB<T>& b, Terms terms, Groups groups,
                                       int64_t columns, const Target& target) {
    RowsOfA<T> copies[kGroupsAtOnce];
    const bool by_columns = RowsOfA<T>::is_by_columns(part_.a);
    for (int64_t term = terms.begin; term < terms.end; term += kKc) {
      copy_groups(groups, term, std::min(kKc, terms.end - term), by_columns, copies);
      if (term + kKc < terms.end) {
        fetch_groups(groups, term + kKc);
      } else {
        fetch_groups({groups.end, std::min(groups_, groups.end + kGroupsAtOnce)}, terms.begin);
      }
      const auto group_of_a = [&](int64_t group, int64_t) HWY_ATTR -> StridedA {
        const T* data = copies[group - groups.begin].values;
        if (by_columns) return {data, 1, RowsOfA<T>::kColumn};
        return {data, RowsOfA<T>::kLine, 1};
      };
      for_groups_together(groups, [&](Groups together) HWY_ATTR {
        run_tiles(group_of_a, b, term, together, columns,
                  target.from(row_of(together.begin) - row_of(groups.begin)));
      });
    }
  }

  template <class Body>
  HWY_INLINE static void for_groups_together(Groups groups, const Body& body) {
    for (int64_t group = groups.begin; group < groups.end; group += kGroupsTogether) {
      body(Groups{group, std::min(groups.end, group + kGroupsTogether)});
    }
  }

  void copy_groups(Groups groups, int64_t first, int64_t terms, bool by_columns,
                   RowsOfA<T>* copies) const {
    const int64_t step = by_columns ? kTermsCopied : terms;
    for (int64_t l = 0; l < terms; l += step) {
      for (int64_t group = groups.begin; group < groups.end; ++group) {
        RowsOfA<T>& copy = copies[group - groups.begin];
        const int64_t row = part_.row + row_of(group);
        const int64_t rows = row_of(group + 1) - row_of(group);
        if (by_columns) {
          copy.copy_columns(part_.a, row, rows, first, l, std::min(step, terms - l));
        } else {
          copy.copy(part_.a, row, rows, first, terms);
        }
      }
    }
  }

  void fetch_groups(Groups groups, int64_t first) {
    if (groups.begin >= groups.end) return;
    const int64_t row = row_of(groups.begin);
    fetch_rows(part_.a, part_.row + row, row_of(groups.end) - row, first,
               std::min(kKc, terms_ - first), fetches_);
  }

  struct StridedA {
    const T* data;
    int64_t row;
    int64_t term;
  };

  // The terms from one on, of at most kKc.
  template <class GroupOfA>
  HWY_INLINE void run_tiles(const GroupOfA& group_of_a, const ReadyB<T>& b, int64_t term,
                            Groups groups, int64_t columns, const Target& all) {
    const int64_t terms = std::min(kKc, terms_ - term);
    const bool adds_addend = all.added != nullptr && term + terms == terms_;
    for (int64_t j = 0; j < columns; j += tile_columns_) {
      for (int64_t group = groups.begin; group < groups.end; ++group) {
        const StridedA a = group_of_a(group, term);
        const Target target = all.from(row_of(group) - row_of(groups.begin), j);
        multiply_tile(static_cast<size_t>(row_of(group + 1) - row_of(group)),
                      Tile<T>{a.data, a.row, a.term, b.at(term, j), b.row, b.panel, target.c,
                              target.c_row, static_cast<size_t>(terms),
                              static_cast<size_t>(std::min(tile_columns_, columns - j)), term > 0,
                              adds_addend ? target.added : nullptr, target.added_row,
                              fetches_.take(terms, a.data)});
      }
    }
  }

  const ProductPart& part_;
  const DirectOutput<T> out_;  // where sums are collected if that is possible
  Fetches fetches_;
  int64_t terms_;
  int64_t tile_columns_;
  int64_t groups_;         // of rows, one for each row of tiles
  int64_t group_;          // rows of one
  int64_t larger_groups_;  // the first so many have one more
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

void finish_floats(const ProductPart& part, int64_t row, int64_t rows, int64_t column,
                   int64_t columns, const float* sums, int64_t sums_row) {
  finish(part, row, rows, column, columns, sums, sums_row);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(reads_float_in_place);
HWY_EXPORT(multiply_part);
HWY_EXPORT(finish_floats);

bool reads_b_in_place(const ProductOperand& b, int64_t rows, int64_t columns) {
  return HWY_DYNAMIC_DISPATCH(reads_float_in_place)(b, rows, columns);
}

void multiply(const ProductPart& part) {
  if (part.problem.adds_pairs) return multiply_in_pairs(part);
  HWY_DYNAMIC_DISPATCH(multiply_part)(part);
}

void finish_sums(const ProductPart& part, int64_t row, int64_t rows, int64_t column,
                 int64_t columns, const float* sums, int64_t sums_row) {
  HWY_DYNAMIC_DISPATCH(finish_floats)(part, row, rows, column, columns, sums, sums_row);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
