// SPDX-License-Identifier: Apache-2.0
// Fills: one value, the identity, a diagonal.
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_eye.h"
#include "aclnnop/aclnn_fill_diagonal.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_fill_tensor.h"
#include "aclnnop/aclnn_ones.h"
#include "aclnnop/aclnn_zero.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace filling_in {

// The tensor that is filled is all that these operators take.
Results filling(std::function<Number(const Arguments&)> value) {
  const auto reference = [value = std::move(value)](const Arguments& a, const Arrays&) {
    const Shape& shape = a.shape("selfRef");
    const Number held = converted(value(a), ACL_DOUBLE, a.dtype());
    return Arrays{{shape, std::vector<Number>(static_cast<size_t>(count_of(shape)), held)}};
  };
  return {.reference = reference, .complex = Complex::kParts, .bound = {.of_float = 0.5001}};
}

void add_constants(std::vector<Operator>& all) {
  const Parameter self = any_shape(out("selfRef"));
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceZero, self),
      .domain = {.everywhere = kNumbers + DTypes{ACL_UINT16, ACL_BF16},
                 .from_a2_on = {},
                 .max_rank = kAnyRank},
      .results = filling([](const Arguments&) { return Number{0}; }),
      .words = {"zeros", "填充 0", "zeros(graph, shape)", "zero"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceOne, self),
      .domain = {.everywhere = kNumbers + kUnsigned + DTypes{ACL_BF16}, .from_a2_on = {}},
      .results = filling([](const Arguments&) { return Number{1}; }),
      .words = {"ones", "填充 1", "", "one"},
  });
  // Unsigned tensors promote with no number of another dtype.
  const auto also_refuses = [](const Arguments&, std::string_view, aclDataType dtype) {
    return dtype == ACL_UINT16 || dtype == ACL_UINT32 || dtype == ACL_UINT64;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceFillScalar, self, {"value", ScalarSpec{7, std::nullopt}}),
      .domain = {.everywhere = kNumbers,
                 .from_a2_on = kUnsigned + DTypes{ACL_BF16},
                 .also_refuses = also_refuses,
                 .samples = samples_of("value", {7, -2.75})},
      .results = filling([](const Arguments& a) { return a.number("value"); }),
      .words = {"a constant", "填充常数", "full(graph, shape, value)", "fill_scalar"},
  });

  const auto reference = [](const Arguments& a, const Arrays& in) {
    const aclDataType to = a.dtype_of("selfRef").value_or(a.dtype());
    const Shape& shape = a.shape("selfRef");
    return Arrays{dense::full(shape, converted(in[0].values.at(0), a.dtype(), to))};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceFillTensor,
                           option(any_dtype(any_shape(out("selfRef"))), "into", Sets::kDtype),
                           shaped(any_dtype(filled(in("value", -300, 300), 5)), {1})),
      .domain = {.everywhere = kNumbers,
                 .from_a2_on = kUnsigned + DTypes{ACL_BF16},
                 .base = "selfRef",
                 .samples = {{},
                             {{{"value", Shape{}}}},
                             {{{"value", Shape{1, 1, 1, 1}}}},
                             {{{"selfRef", ACL_FLOAT16}}},
                             {{{"selfRef", ACL_INT8}}},
                             {{{"selfRef", ACL_COMPLEX64}}}}},
      .results = {.reference = reference,
                  .complex = Complex::kParts,
                  .bound = {.of_float = 0.5001}},
      .error_inputs = {refused("value", "of two elements", of_shape({2}), "[2]")},
      .words = {"the value of a tensor of one element", "填充单元素张量的值", "", "fill_tensor"},
  });
}

// ---- Diagonals ----------------------------------------------------------------------------------

void add_eye(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    a.shape("out") = {static_cast<int64_t>(a.number("n")), static_cast<int64_t>(a.number("m"))};
  };
  const auto reference = [](const Arguments& a, const Arrays&) {
    return Arrays{dense::generate(
        a.shape("out"), [](const Shape& at) -> Number { return at[0] == at[1] ? 1 : 0; })};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnEye, integer("n", 2), integer("m", 4), out("out")),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .grows = false,
                 .base = "out",
                 .base_shape = {kN, 4},
                 .arrange = arrange,
                 .samples = {{}, {{{"n", 5.0}, {"m", 3.0}}}, {{{"n", 3.0}, {"m", 7.0}}}},
                 .value_samples = {{{{"n", 700.0}, {"m", 90.0}}}, {{{"n", 5.0}, {"m", 9000.0}}}}},
      .results = {.reference = reference, .complex = Complex::kParts, .bound = kExact},
      .error_inputs = {refused("out", "of another size", of_shape({4, 2}), "[2, 4]"),
                       wrong_number("n", -2, "[-2, 4]")},
      .words = {"1 on the diagonal, 0 elsewhere", "单位矩阵", "eye(graph, rows, columns, dtype)",
                "eye"},
  });
}

// In the order of rows, places on the diagonal lie at one distance; a matrix that is higher than
// wide has its last one in the last row of the upper square, unless it wraps.
Arrays fill_diagonal(const Arguments& a, const Arrays& in) {
  const Shape& shape = in[0].shape;
  if (shape.size() < 2) throw std::invalid_argument("a diagonal needs two dimensions");
  int64_t step = 0, stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    if (shape.size() > 2 && shape[d] != shape[0]) throw std::invalid_argument("sizes differ");
    step += stride;
  }
  const bool stops = a.number("wrap") == 0 && shape[0] > shape[1];
  const int64_t end = stops ? shape[1] * shape[1] : count_of(shape);
  Array out = in[0];
  const Number value = converted(a.number("fillValue"), ACL_DOUBLE, a.dtype());
  for (int64_t i = 0; i < end; i += step) out.values[static_cast<size_t>(i)] = value;
  return {out};
}

void add_fill_diagonal(std::vector<Operator>& all) {
  Parameter overwritten = any_shape(in("selfRef"));
  std::get<TensorSpec>(overwritten.spec).role = Role::kInPlace;
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnInplaceFillDiagonal, overwritten, number("fillValue", 3), flag("wrap")),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .grows = false,
                 .base_shape = {kN, 3},
                 .samples = {{{{"wrap", 0.0}}},
                             {{{"wrap", 1.0}}},
                             {{{"selfRef", Shape{3, 7}}, {"wrap", 1.0}}},
                             {{{"selfRef", Shape{4, 4, 4}}, {"fillValue", -2.75}}}},
                 .value_samples = {{{{"selfRef", Shape{5, 2}}, {"wrap", 1.0}}},
                                   {{{"selfRef", Shape{70, 3}}, {"wrap", 0.0}}},
                                   {{{"selfRef", Shape{700, 300}}, {"wrap", 1.0}}}}},
      .results = {.reference = fill_diagonal,
                  .complex = Complex::kParts,
                  .bound = {.of_float = 0.5001},
                  .nan_goes_through = false},
      .error_inputs = {refused("selfRef", "of rank 1", of_shape({4}), "[4]"),
                       refused("selfRef", "of rank 3 and different sizes", of_shape({2, 2, 4}),
                               "[2, 2, 4]")},
      .words = {"a value on the diagonal", "填充主对角线", "", "fill_diagonal"},
  });
}

}  // namespace filling_in
}  // namespace

void add_fills(std::vector<Operator>& all) {
  filling_in::add_constants(all);
  filling_in::add_eye(all);
  filling_in::add_fill_diagonal(all);
}

}  // namespace aclgrad::contract
