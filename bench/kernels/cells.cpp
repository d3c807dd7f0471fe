// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad_ext.h"
#include "bench/kernels/operation.h"

namespace aclgrad::bench {
namespace {

// Squares: 1K, 64K, 1M and 16M elements.
constexpr int64_t kSides[] = {32, 256, 1024, 4096};
constexpr int64_t kDataSide = 256;

void add_elementwise(const Operation& operation, aclDataType dtype, int threads,
                     const Selection& selection, std::vector<Cell>& cells) {
  const auto wanted = [&](int64_t side) {
    return selection.elements.empty() || std::ranges::count(selection.elements, side * side) > 0;
  };
  for (const Layout layout :
       {Layout::contiguous, Layout::strided, Layout::transposed, Layout::row_broadcast}) {
    if (layout == Layout::row_broadcast && !operation.broadcast) continue;
    for (const int64_t side : kSides) {
      if (wanted(side)) {
        cells.push_back({&operation, dtype, {side, side}, layout, threads});
      }
    }
  }
}

void keep_selected(const Selection& selection, std::vector<Cell>& cells) {
  std::erase_if(cells, [&](const Cell& cell) {
    const std::string name = cell.name();
    return !selection.words.empty() &&
           std::ranges::none_of(selection.words, [&](const std::string& word) {
             return name.find(word) != std::string::npos;
           });
  });
}

}  // namespace

const char* name_of(Group group) {
  static constexpr const char* kNames[] = {"elu",       "gelu",     "geglu",   "other",
                                           "optimizer", "training", "network", "matmul"};
  return kNames[static_cast<size_t>(group)];
}

const char* name_of(aclDataType dtype) {
  if (dtype == ACL_FLOAT) return "FLOAT";
  if (dtype == ACL_FLOAT16) return "FLOAT16";
  return dtype == ACL_BF16 ? "BFLOAT16" : "INT64";
}

const char* name_of(Layout layout) {
  static constexpr const char* kNames[] = {"contiguous", "strided", "transposed", "row-broadcast"};
  return kNames[static_cast<size_t>(layout)];
}

const char* name_of(Data data) {
  static constexpr const char* kNames[] = {
      "normal",    "[-20, 20]", "3 N(0,1)",     "10 N(0,1)",     "100 N(0,1)",
      "[-40, -3]", "outside",   "huge",         "tiny",          "subnormal",
      "zeros",     "1 % NaN",   "1 % infinity", "gradient 1e-3", "gradient 1e-5"};
  return kNames[static_cast<size_t>(data)];
}

int64_t Cell::elements() const {
  int64_t product = 1;
  for (const int64_t extent : size) product *= extent;
  return product;
}

std::string Cell::size_name() const {
  if (operation->sizes.empty()) {
    const int64_t count = elements();
    return count >= 1 << 20 ? fmt::format("{}M", count >> 20) : fmt::format("{}K", count >> 10);
  }
  // Of a matrix product: rows x inner x columns.
  if (size.size() == 3) return fmt::format("{}x{}x{}", size[0], size[2], size[1]);
  return fmt::format("{}x{}", size[0], size[1]);
}

std::string Cell::name() const {
  return fmt::format("{} {} {} {} threads={}", operation->name, name_of(dtype), size_name(),
                     name_of(layout), threads);
}

std::vector<Cell> select_cells(const Selection& selection) {
  std::vector<int> threads = selection.threads;
  if (threads.empty()) {
    threads = {1};
    if (aclgradGetNumThreads() > 1) threads.push_back(aclgradGetNumThreads());
  }
  std::vector<Cell> cells;
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16, ACL_FLOAT16}) {
    for (const Operation& operation : operations()) {
      if (std::ranges::count(operation.dtypes, dtype) == 0) continue;
      for (const int count : threads) {
        if (operation.elementwise()) {
          add_elementwise(operation, dtype, count, selection, cells);
        } else {
          for (const std::vector<int64_t>& size : operation.sizes) {
            cells.push_back({&operation, dtype, size, Layout::contiguous, count});
            if (selection.smallest) break;
          }
        }
      }
    }
  }
  keep_selected(selection, cells);
  return cells;
}

std::vector<Cell> data_cells(const Selection& selection) {
  std::vector<Cell> cells;
  for (const Operation& operation : operations()) {
    const bool is_wanted = operation.elementwise() || operation.group == Group::optimizer;
    if (!is_wanted && !operation.on_all_data) continue;
    for (const aclDataType dtype : operation.dtypes) {
      cells.push_back({&operation, dtype, {kDataSide, kDataSide}, Layout::contiguous, 1});
    }
  }
  keep_selected(selection, cells);
  return cells;
}

}  // namespace aclgrad::bench
