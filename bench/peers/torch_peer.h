// SPDX-License-Identifier: Apache-2.0
// What libpeer_torch is made of: parameters as ATen has them.
#pragma once

// First, as clang wants it complete where the headers below make vectors of it.
#include <ATen/core/ivalue.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "bench/peers/entry_points.h"
#include "bench/peers/openblas.h"

namespace aclgrad::bench {

using at::Scalar;
using at::Tensor;
using List = std::vector<int64_t>;

struct Peer {
  static Tensor wrap(const View& view) {
    return at::from_blob(view.data, view.shape, view.strides, type(view.dtype));
  }
  static Tensor none() { return {}; }

  static Scalar number(const aclScalar& scalar) {
    const bool is_whole = !(scalar.dtype == ACL_FLOAT || scalar.dtype == ACL_DOUBLE ||
                            scalar.dtype == ACL_FLOAT16 || scalar.dtype == ACL_BF16);
    return is_whole ? Scalar(scalar.to_int64()) : Scalar(scalar.to_double());
  }

  static void use_threads(int count) {
    static const int all = at::get_num_threads();
    at::set_num_threads(count == 0 ? all : count);
    set_openblas_threads(count == 0 ? all : count);
  }

  static at::ScalarType type(aclDataType dtype) {
    static const std::vector<std::pair<aclDataType, at::ScalarType>> types = {
        {ACL_FLOAT, at::kFloat},
        {ACL_FLOAT16, at::kHalf},
        {ACL_BF16, at::kBFloat16},
        {ACL_DOUBLE, at::kDouble},
        {ACL_INT8, at::kChar},
        {ACL_UINT8, at::kByte},
        {ACL_INT16, at::kShort},
        {ACL_INT32, at::kInt},
        {ACL_INT64, at::kLong},
        {ACL_BOOL, at::kBool},
        {ACL_COMPLEX64, at::kComplexFloat},
        {ACL_COMPLEX128, at::kComplexDouble}};
    for (const auto& [from, to] : types) {
      if (from == dtype) return to;
    }
    throw std::invalid_argument("libtorch has no such dtype");
  }
};

}  // namespace aclgrad::bench
