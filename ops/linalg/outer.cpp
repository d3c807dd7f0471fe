// SPDX-License-Identifier: Apache-2.0
// aclnnGer, aclnnAddr, aclnnInplaceAddr.
#include "aclnnop/aclnn_addr.h"
#include "aclnnop/aclnn_ger.h"
#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/tree_sum.h"
#include "ops/matmul/product_rules.h"

namespace aclgrad::ops::outer {
namespace {

// A vector as a column, or as a row, of the product.
enum class VectorIs { kColumn, kRow };
Operand vector_operand(const Arguments& arguments, size_t vector, VectorIs is) {
  const aclDataType dtype = arguments.dtype(vector);
  const int64_t stride = arguments.strides(vector)[0];
  return {vector, dtype, is == VectorIs::kColumn ? Dims{stride, 0} : Dims{0, stride}, 0, dtype};
}

Rule castable_to(aclDataType (*from)(const Arguments&), size_t to) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType computed = from(arguments);
    if (can_cast(computed, arguments.dtype(to))) return std::nullopt;
    return dtype_name(computed) + " cannot be converted to the " + dtype_name(arguments.dtype(to)) +
           " of " + arguments.name(to) + ", expected a dtype that it converts to.";
  });
}

namespace ger {

enum : size_t { kSelf, kVec2, kOut };

Dims product_shape(const Arguments& arguments) {
  return {arguments.shape(kSelf)[0], arguments.shape(kVec2)[0]};
}
aclDataType promoted(const Arguments& arguments) {
  return *promote_types(arguments.dtype(kSelf), arguments.dtype(kVec2));
}

const OperatorSpec kSpec{
    "aclnnGer",
    {input("self"), input("vec2"), output("out")},
    Rules{not_null({kSelf, kVec2, kOut}), dtype_in({kSelf, kVec2, kOut}, kRealNumbersAndBool),
          castable_to(promoted, kOut), rank_is(kSelf, 1), rank_is(kVec2, 1),
          has_product_shape(kOut, product_shape)}};

// By way of the dtype of the product.
Operand by_way_of(Operand operand, aclDataType dtype) {
  operand.intermediate_dtype = dtype;
  return operand;
}

Plan plan(const Arguments& arguments) {
  const Dims shape = product_shape(arguments);
  if (count_elements(shape) == 0) return {};
  const aclDataType dtype = promoted(arguments);
  return Elementwise(shape, {by_way_of(operand(arguments, kOut, shape), dtype)},
                     {by_way_of(vector_operand(arguments, kSelf, VectorIs::kColumn), dtype),
                      by_way_of(vector_operand(arguments, kVec2, VectorIs::kRow), dtype)},
                     product(dtype))
      .plan();
}

}  // namespace ger

namespace addr {

// In place, self is overwritten.
enum : size_t { kSelf, kVec1, kVec2, kBeta, kAlpha, kOut };

Dims product_shape(const Arguments& arguments) {
  return {arguments.shape(kVec1)[0], arguments.shape(kVec2)[0]};
}

Rules rules(size_t out) {
  const bool in_place = out == kSelf;
  return {in_place ? not_null({kSelf, kVec1, kVec2, kBeta, kAlpha})
                   : not_null({kSelf, kVec1, kVec2, kBeta, kAlpha, out}),
          dtype_in(kSelf, kRealNumbersAndBool),
          same_dtype(
              in_place ? std::vector<size_t>{kVec1, kVec2} : std::vector<size_t>{kVec1, kVec2, out},
              kSelf),
          scalar_castable_to_float(kBeta),
          scalar_castable_to_float(kAlpha),
          rank_is(kVec1, 1),
          rank_is(kVec2, 1),
          max_rank(kSelf, 2),
          broadcasts_to_product(kSelf, product_shape),
          has_product_shape(out, product_shape)};
}

const OperatorSpec kAddr{"aclnnAddr",
                         {input("self"), input("vec1"), input("vec2"), attribute("beta"),
                          attribute("alpha"), output("out")},
                         rules(kOut)};
const OperatorSpec kInplaceAddr{
    "aclnnInplaceAddr",
    {in_out("selfRef"), input("vec1"), input("vec2"), attribute("beta"), attribute("alpha")},
    rules(kSelf)};

template <class T>
T times(T a, T b) {
  return a * b;
}
template <>
int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Two vectors and, where it counts, what is added to their product.
template <class T>
BlockKernel<T> sum_kernel(T alpha, T beta, bool adds) {
  return [=](const T* const* in, T* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const T value = times(alpha, times(in[0][i], in[1][i]));
      out[0][i] = adds ? wrapping_sum(times(beta, in[2][i]), value) : value;
    }
  };
}

Plan plan(const Arguments& arguments, size_t out) {
  const Dims shape = product_shape(arguments);
  if (count_elements(shape) == 0) return {};
  const aclDataType dtype = arguments.dtype(kSelf);
  const auto alpha = KernelScalar::of(arguments.scalar(kAlpha), dtype);
  const auto beta = KernelScalar::of(arguments.scalar(kBeta), dtype);
  const bool is_whole = computes_in_integers(dtype);
  const bool adds = is_whole ? beta.integer != 0 : beta.real != 0;
  std::vector<Operand> inputs = {vector_operand(arguments, kVec1, VectorIs::kColumn),
                                 vector_operand(arguments, kVec2, VectorIs::kRow)};
  if (adds) inputs.push_back(operand(arguments, kSelf, shape));
  const Kernel kernel = is_whole ? Kernel(sum_kernel(alpha.integer, beta.integer, adds))
                                 : Kernel(sum_kernel(alpha.real, beta.real, adds));
  return Elementwise(shape, {operand(arguments, out, shape)}, inputs, kernel).plan();
}

}  // namespace addr
}  // namespace

ACLGRAD_OPERATOR(aclnnGer, ger::kSpec, ger::plan)
ACLGRAD_OPERATOR(aclnnAddr, addr::kAddr,
                 [](const Arguments& arguments) { return addr::plan(arguments, addr::kOut); })
ACLGRAD_OPERATOR(aclnnInplaceAddr, addr::kInplaceAddr,
                 [](const Arguments& arguments) { return addr::plan(arguments, addr::kSelf); })

}  // namespace aclgrad::ops::outer
