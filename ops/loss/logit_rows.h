// SPDX-License-Identifier: Apache-2.0
// Rows of logits and the logarithms of their softmax, in double.
#pragma once

#include <algorithm>
#include <limits>

#include "ops/arithmetic/functions_kernel.h"
#include "ops/loss/class_scores.h"

namespace aclgrad::ops {

struct LogitRows {
  // log(sum(e^x)) = largest + rest, apart as their sum would round.
  struct Norm {
    double largest, rest;
  };

  Slices rows;
  int64_t classes;
  BlockFunction exponentiate{Function::kExp}, log{Function::kLog};

  LogitRows(const Arguments& arguments, size_t tensor)
      : rows(rows_of_scores(arguments, tensor)), classes(rows.index.count()) {}

  Norm norm_of(const Run& run, int64_t row) const {
    alignas(64) double block[kBlock] = {};
    const int64_t start = rows.starts.offset(row);
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for_blocks(0, classes, [&](int64_t begin, int64_t end) {
      rows.read(run, begin, end, block, start);
      for (int64_t i = 0; i < end - begin; ++i) largest = std::max(largest, block[i]);
    });
    for_blocks(0, classes, [&](int64_t begin, int64_t end) {
      rows.read(run, begin, end, block, start);
      for (int64_t i = 0; i < end - begin; ++i) block[i] -= largest;
      exponentiate(block, end - begin);
      for (int64_t i = 0; i < end - begin; ++i) total += block[i];
    });
    block[0] = total;
    log(block, 1);
    return {largest, block[0]};
  }

  // x - log(sum(e^x)) of elements [begin, end) of a row.
  void read_logs(const Run& run, int64_t row, const Norm& norm, int64_t begin, int64_t end,
                 double* block) const {
    rows.read(run, begin, end, block, rows.starts.offset(row));
    for (int64_t i = 0; i < end - begin; ++i) block[i] = block[i] - norm.largest - norm.rest;
  }
};

}  // namespace aclgrad::ops
