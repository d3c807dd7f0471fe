// SPDX-License-Identifier: Apache-2.0
// aclnnLinalgCross.
#include <fmt/format.h>

#include <complex>

#include "aclnnop/aclnn_linalg_cross.h"
#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::cross {
namespace {

enum : size_t { kSelf, kOther, kDim, kOut };

constexpr int64_t kElements = 3;  // of a vector

Rule has_a_dimension() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.shape(kOut).empty()) return std::nullopt;
    return fmt::format("tensor {} must have at least 1 dimension, but is [].",
                       arguments.name(kOut));
  });
}

// Along dim of the result.
Rule has_three_elements(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = arguments.shape(kOut).size();
    const Dims& shape = arguments.shape(tensor);
    const size_t from_last = rank - normalize_axis(arguments.integer(kDim), rank);
    if (from_last <= shape.size() && shape[shape.size() - from_last] == kElements) {
      return std::nullopt;
    }
    return fmt::format("tensor {} {} must have 3 elements along {} {}.", arguments.name(tensor),
                       to_string(shape), arguments.name(kDim), arguments.integer(kDim));
  });
}

aclDataType promoted(const Arguments& arguments) {
  return *promote_types(arguments.dtype(kSelf), arguments.dtype(kOther));
}

Rule out_takes_product() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (can_cast(promoted(arguments), arguments.dtype(kOut))) return std::nullopt;
    return fmt::format(
        "{} cannot be converted to the {} of {}, expected a dtype that it converts to.",
        dtype_name(promoted(arguments)), dtype_name(arguments.dtype(kOut)), arguments.name(kOut));
  });
}

const OperatorSpec kSpec{
    "aclnnLinalgCross",
    {input("self"), input("other"), attribute("dim"), output("out")},
    Rules{not_null({kSelf, kOther, kOut}), dtype_in({kSelf, kOther, kOut}, kNumbers),
          out_takes_product(), max_rank({kSelf, kOther, kOut}), broadcastable(kSelf, kOther),
          shape_is_broadcast(kOut, kSelf, kOther), has_a_dimension(), axis_of(kDim, kOut),
          has_three_elements(kSelf), has_three_elements(kOther)}};

template <class T>
T difference(T a, T b) {
  return a - b;
}
template <class T>
T times(T a, T b) {
  return a * b;
}
template <>
int64_t difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <>
int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <>
std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Inputs: the three elements of one vector, then those of the other.
template <class T>
BlockKernel<T> cross_kernel() {
  return [](const T* const* in, T* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const T a[] = {in[0][i], in[1][i], in[2][i]}, b[] = {in[3][i], in[4][i], in[5][i]};
      out[0][i] = difference(times(a[1], b[2]), times(a[2], b[1]));
      out[1][i] = difference(times(a[2], b[0]), times(a[0], b[2]));
      out[2][i] = difference(times(a[0], b[1]), times(a[1], b[0]));
    }
  };
}

Kernel kernel_of(aclDataType dtype) {
  if (is_complex(dtype)) return cross_kernel<std::complex<double>>();
  if (computes_in_integers(dtype)) return cross_kernel<int64_t>();
  return cross_kernel<double>();
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Dims& whole = arguments.shape(kOut);
  const size_t axis = normalize_axis(arguments.integer(kDim), whole.size());
  DimSet along{};
  along[axis] = true;
  const aclDataType dtype = promoted(arguments);
  const auto elements_of = [&](size_t tensor, std::vector<Operand>& all) {
    const Operand all_of = operand(arguments, tensor, whole);
    for (int64_t i = 0; i < kElements; ++i) {
      Operand each = all_of;
      each.strides = selected(all_of.strides, along, false);
      each.offset = i * all_of.strides[axis];
      each.intermediate_dtype = dtype;
      all.push_back(each);
    }
  };
  std::vector<Operand> inputs, outputs;
  elements_of(kSelf, inputs);
  elements_of(kOther, inputs);
  elements_of(kOut, outputs);
  return Elementwise(selected(whole, along, false), outputs, inputs, kernel_of(dtype)).plan();
}

}  // namespace

ACLGRAD_OPERATOR(aclnnLinalgCross, kSpec, plan)

}  // namespace aclgrad::ops::cross
