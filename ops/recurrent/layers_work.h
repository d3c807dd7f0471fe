// SPDX-License-Identifier: Apache-2.0
// What layers and their gradients work with: dense products, parts of sequences and states, and
// rows of the batch by threads.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "ops/engine/extent.h"
#include "ops/engine/function_ref.h"
#include "ops/matmul/product_kernel.h"
#include "ops/recurrent/layers.h"
#include "ops/recurrent/recurrent_kernel.h"

namespace aclgrad::ops {

// Of dense matrices, at addresses that each run brings.
inline MatmulProblem dense_problem(aclDataType dtype, int64_t m, int64_t n, int64_t k,
                                   bool transposes_a, bool transposes_b) {
  const auto view = [&](size_t parameter, int64_t columns, bool transposes, int64_t rows) {
    return transposes ? MatrixView{parameter, dtype, 1, rows, {}}
                      : MatrixView{parameter, dtype, columns, 1, {}};
  };
  return {.batch = {},
          .m = m,
          .n = n,
          .k = k,
          .a = view(0, k, transposes_a, m),
          .b = view(1, n, transposes_b, k),
          .out = view(2, n, false, m),
          .addend = {},
          .dtype = dtype};
}

class DenseProduct {
 public:
  explicit DenseProduct(const MatmulProblem& problem) : body_(plan_matmul(problem).body) {}

  template <class T>
  void operator()(const T* a, const T* b, T* out) const {
    void* const addresses[] = {const_cast<T*>(a), const_cast<T*>(b), out};
    if (body_) body_(Run(addresses, nullptr));
  }

 private:
  Body body_;
};

// A matrix as it lies in memory: its rows, or its columns, behind each other.
struct StagedMatrix {
  size_t array;
  bool by_columns;
};

inline bool lies_by_columns(const Arguments& arguments, size_t tensor) {
  return arguments.strides(tensor)[0] == 1 && arguments.shape(tensor)[1] > 1;
}

// What both directions of time share.
class Layers {
 protected:
  explicit Layers(const LayerSizes& sizes) : s_(sizes), staging_(sizes.compute) {}

  StagedMatrix matrix(const Arguments& arguments, size_t tensor) {
    const bool by_columns = lies_by_columns(arguments, tensor);
    return {staging_.input(by_columns ? exchanged(arguments, tensor) : Elements(arguments, tensor)),
            by_columns};
  }
  size_t scratch(int64_t rows, int64_t columns) {
    return staging_.scratch(saturating_product({rows, columns}), s_.compute);
  }
  std::vector<size_t> inputs(const Arguments& arguments, const std::vector<size_t>& lists,
                             int64_t number) {
    std::vector<size_t> arrays;
    for (const size_t first : lists) {
      arrays.push_back(staging_.input(arguments, first + static_cast<size_t>(number)));
    }
    return arrays;
  }
  std::array<size_t, 2> scratch_between() {
    if (s_.layers == 1) return {};
    return {scratch(s_.rows(), s_.width()), scratch(s_.rows(), s_.width())};
  }

  // A part of what a run has: states [directed_layers, batch, size], or a step of a sequence.
  template <class T>
  CellRows<T> state(T* data, int64_t number) const {
    return {data == nullptr ? nullptr : data + number * s_.batch * s_.size, s_.size};
  }
  template <class T>
  CellRows<T> step(T* data, int64_t t, int64_t columns, int64_t first = 0) const {
    return {data == nullptr ? nullptr : data + t * s_.batch * columns + first, columns};
  }

  template <class T>
  ProductOperand operand(const CellRows<T>& rows) const {
    return {rows.data, s_.compute, s_.compute, rows.stride, 1};
  }
  // Rows [begin, end) of out = a b.
  template <class T>
  void multiply_rows(const MatmulProblem& problem, const CellRows<const T>& a,
                     const CellRows<const T>& b, T* out, int64_t begin, int64_t end) const {
    void* const addresses[] = {nullptr, nullptr, out};
    const Run run(addresses, nullptr);
    multiply({problem, run, 0, operand(a), operand(b), begin, end - begin, 0, problem.n});
  }
  template <class T>
  void copy_rows(const CellRows<const T>& from, const CellRows<T>& to, int64_t begin,
                 int64_t end) const {
    for (int64_t row = begin; row < end; ++row) {
      if (from.data == nullptr) {
        std::fill_n(to[row], s_.size, T{0});
      } else if (from[row] != to[row]) {
        std::copy_n(from[row], s_.size, to[row]);
      }
    }
  }

  // Calls body(begin, end) for rows of the batch.
  void share_batch(FunctionRef<void(int64_t begin, int64_t end)> body) const {
    constexpr int64_t kMinForThreads = 1 << 20;  // as for other products
    if (saturating_product({s_.rows(), s_.gates(), s_.size}) < kMinForThreads) {
      return body(0, s_.batch);
    }
    parallel_shares(s_.batch, body);
  }

  template <class Work>
  static Plan plan_of(std::shared_ptr<const Work> work) {
    return {[work](const Run& run) -> aclError {
              work->staging_.load(run);
              if (work->s_.compute == ACL_DOUBLE) {
                work->template run<double>(run);
              } else {
                work->template run<float>(run);
              }
              work->staging_.store(run);
              return ACL_SUCCESS;
            },
            work->staging_.workspace_size()};
  }

  LayerSizes s_;
  Staging staging_;
};

}  // namespace aclgrad::ops
