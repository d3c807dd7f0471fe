// SPDX-License-Identifier: Apache-2.0
// The product of two small matrices in memory that oneDNN or Eigen can read as it is, on the
// calling thread alone. matmul.h cuts large products into such pieces.
#ifndef ACLGRAD_OPS_KERNELS_GEMM_H_
#define ACLGRAD_OPS_KERNELS_GEMM_H_

#include <cstdint>
#include <memory>

#include "acl/acl_base.h"

namespace aclgrad::ops {

// Strides in elements. One of them is 1 and the other at least as large as the matrix is long in
// the direction of the first, so rows or columns are dense and do not overlap.
struct GemmStrides {
  int64_t row;
  int64_t column;
};

// Whether a matrix can be read in place; strides of directions with one element are made fit.
bool make_gemm_strides(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                       GemmStrides& strides);

// Whether this machine multiplies BF16 matrices as they are.
bool has_bfloat16_gemm();

class Gemm {
 public:
  // c[m,n] = a[m,k] b[k,n]. dtype: FLOAT (c too, oneDNN), BF16 (c is FLOAT, oneDNN) or DOUBLE (c
  // too, Eigen). c's columns have stride 1, its rows `c_row`.
  struct Shape {
    aclDataType dtype;
    int64_t m, n, k;
    GemmStrides a, b;
    int64_t c_row;
  };

  Gemm() = default;
  explicit Gemm(const Shape& shape);

  // May be called from several threads at once.
  void operator()(const void* a, const void* b, void* c) const { product_->run(a, b, c); }

  class Product {
   public:
    virtual ~Product() = default;
    virtual void run(const void* a, const void* b, void* c) const = 0;
  };

 private:
  std::shared_ptr<const Product> product_;
};

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_GEMM_H_
