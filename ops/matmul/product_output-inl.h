// SPDX-License-Identifier: Apache-2.0
// Per-target: the output of a matrix product that tiles write themselves, without a buffer for its
// sums. Included by kernel files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_MATMUL_PRODUCT_OUTPUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_MATMUL_PRODUCT_OUTPUT_INL_H_
#undef ACLGRAD_OPS_MATMUL_PRODUCT_OUTPUT_INL_H_
#else
#define ACLGRAD_OPS_MATMUL_PRODUCT_OUTPUT_INL_H_
#endif

#include <functional>

#include "ops/engine/iterate.h"
#include "ops/matmul/matmul_kernel_direct.h"
#include "ops/matmul/product_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// Sums of type T are results already: nothing scales or converts them.
template <class T>
class DirectOutput {
 public:
  explicit DirectOutput(const ProductPart& part) : part_(part) {
    const MatrixView& out = part.problem.out;
    if (out.dtype != kDtype || part.problem.alpha != 1) return;
    if (!part.problem.has_dense_rows(out)) return;
    data_ = at(out);
    is_possible_ = takes_addend();
  }

  bool is_possible() const { return is_possible_; }
  T* data() const { return data_; }
  int64_t row_stride() const { return part_.problem.out.row_stride; }
  // What tiles add to the sums at last; null for nothing.
  const T* added() const { return added_; }
  int64_t added_row_stride() const { return added_row_stride_; }

 private:
  static constexpr aclDataType kDtype = sizeof(T) == 8 ? ACL_DOUBLE : ACL_FLOAT;

  T* at(const MatrixView& view) const {
    T* const data = part_.run.data<T>(view.parameter);
    return part_.problem.batch.empty() ? data
                                       : data + batch_offset(part_.problem, view, part_.batch);
  }

  // It may lie where the output lies, and be needed after that is written.
  bool takes_addend() {
    const MatmulProblem& problem = part_.problem;
    const auto& view = problem.addend;
    if (!view) return true;
    if (view->dtype != kDtype || problem.beta != 1) return false;
    if (!problem.has_dense_rows(*view)) return false;
    if (view->row_stride < 0 || problem.out.row_stride < 0) return false;
    const auto length = [&](const MatrixView& of) {
      return (problem.m - 1) * of.row_stride + problem.n;
    };
    const T* const begin = at(*view);
    const std::less_equal<> before;
    if (!before(begin + length(*view), data_) && !before(data_ + length(problem.out), begin)) {
      return false;
    }
    added_ = begin;
    added_row_stride_ = view->row_stride;
    return true;
  }

  const ProductPart& part_;
  T* data_ = nullptr;
  const T* added_ = nullptr;
  int64_t added_row_stride_ = 0;
  bool is_possible_ = false;
};

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
