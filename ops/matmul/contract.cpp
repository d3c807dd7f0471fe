// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include <array>
#include <cmath>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_baddbmm.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"
#include "ops/matmul/products_contract.h"

namespace aclgrad::contract {
namespace {

constexpr int64_t kColumns = 10;
Parameter result() { return any_dtype(shaped(out("out"), {2, kColumns})); }

// A domain whose first factor is `first`.
Domain factors(const char* first, size_t max_rank, Shape base_shape, void (*arrange)(Arguments&),
               std::vector<Sample> samples, std::vector<Sample> value_samples) {
  return {.everywhere = kFloats,
          .also_refuses = lacks_float,
          .max_rank = max_rank,
          .base = first,
          .base_shape = std::move(base_shape),
          .arrange = arrange,
          .samples = std::move(samples),
          .value_samples = std::move(value_samples)};
}

// ---- Of two tensors -----------------------------------------------------------------------------

Array product_of(const Arguments& a, const Arrays& in, bool magnitudes) {
  if (magnitudes) return dense::matmul(in[0], in[1], true);
  return dense::matmul(input_of_product(a, in[0]), input_of_product(a, in[1]));
}

void arrange_product(Arguments& a) {
  if (!a.is_set("mat2") && !a.shape("self").empty()) {
    a.shape("mat2") = {a.shape("self").back(), kColumns};
  }
  a.shape("out") = dense::product_shape(a.shape("self"), a.shape("mat2"));
}

void arrange_matrices(Arguments& a) {
  arrange_product(a);
  if (a.shape("self").size() != 2 || a.shape("mat2").size() != 2) {
    throw std::invalid_argument("mm multiplies matrices");
  }
}

void arrange_batches(Arguments& a) {
  const Shape& self = a.shape("self");
  if (self.size() != 3) throw std::invalid_argument("bmm multiplies batches of matrices");
  if (!a.is_set("mat2")) a.shape("mat2") = {self[0], self[2], kColumns};
  a.shape("out") = dense::product_shape(self, a.shape("mat2"));
}

Parameter second_factor(Shape shape) {
  return option(factor("mat2", std::move(shape)), "other", Sets::kShape);
}

Sample times(Shape self, Shape mat2, double cube_math_type = 0) {
  return with_type(cube_math_type, {{{"self", std::move(self)}, {"mat2", std::move(mat2)}}});
}

// Of all ranks, and with each dimension on both sides of a block's.
std::vector<Sample> large_products() {
  std::vector<Sample> samples = {times({5}, {5}),
                                 times({5}, {5, 4}),
                                 times({2, 3, 5}, {5}),
                                 times({5}, {2, 5, 4}),
                                 times({3, 5}, {2, 5, 4}),
                                 times({1, 2, 1, 2, 3, 5}, {2, 1, 3, 1, 5, 4}),
                                 times({3, 40, 30}, {3, 30, 50}),
                                 times({1, 1}, {1, 1}),
                                 times({65, 33}, {33, 129}),
                                 times({130, 520}, {520, 140}),
                                 times({3, 700}, {700, 300}),
                                 times({1, 800}, {800, 300}),
                                 times({300, 800}, {800, 1}),
                                 times({400, 2}, {2, 30}),
                                 times({70, 40}, {40, 90}, kRoundsInputs)};
  // Of different dtypes they are products in FLOAT.
  for (const auto& [self, mat2, out] :
       {std::array{ACL_FLOAT, ACL_FLOAT16, ACL_FLOAT}, std::array{ACL_BF16, ACL_FLOAT, ACL_FLOAT16},
        std::array{ACL_FLOAT16, ACL_BF16, ACL_FLOAT},
        std::array{ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT},
        std::array{ACL_BF16, ACL_BF16, ACL_FLOAT}}) {
    samples.push_back(times({70, 40}, {40, 90}));
    for (const auto& [name, dtype] :
         {std::pair{"self", self}, std::pair{"mat2", mat2}, std::pair{"out", out}}) {
      samples.back().settings.emplace_back(name, dtype);
    }
  }
  return samples;
}

void add_matmul(std::vector<Operator>& all) {
  const ErrorInput other_batch{
      .what = "of another batch",
      .changes = {{"self", TensorSpec{{2, 2, 4}}}, {"mat2", TensorSpec{{3, 4, kColumns}}}},
      .words = {"[2, 2, 4]"}};
  const std::vector<Sample> samples = {
      with_type(0),
      with_type(0, {{{"mat2", Shape{7}}}}),
      with_type(0, {{{"mat2", Shape{2, 7, kColumns}}}}),
      with_type(0, {{{"self", Shape{2, kN, 7}}}}),
      with_type(0, {{{"self", Shape{2, 1, kN, 7}}, {"mat2", Shape{3, 7, kColumns}}}}),
      with_type(1),
      with_type(2),
      with_type(3),
      with_type(4)};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMatmul, factor("self", {2, 4}, 5), second_factor({4, kColumns}),
                           result(), cube_math_type()),
      .domain = factors("self", 6, {kN, 7}, arrange_product, samples, large_products()),
      .results = products("self", product_of, 2),
      .error_inputs = kBadTypes + std::vector{other_batch},
      .words = {"matrix product of ranks 1 to 6, batches broadcast",
                "1 到 6 维的矩阵乘，批次维广播", "matmul(a, b)", "matmul"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMm, factor("self", {2, 4}, 5), second_factor({4, kColumns}),
                           result(), cube_math_type()),
      .domain = factors("self", 2, {kN, 7}, arrange_matrices, {with_type(0), with_type(2)},
                        {times({70, 40}, {40, 90})}),
      .results = products("self", product_of, 2),
      .error_inputs = kBadTypes,
      .words = {"matrix product of two matrices", "两个矩阵相乘", "", "mm"},
  });
  const std::vector<Sample> batches = {
      with_type(0), with_type(0, {{{"mat2", Shape{1, 7, kColumns}}}}),
      with_type(0, {{{"self", Shape{1, kN, 7}}, {"mat2", Shape{3, 7, kColumns}}}}), with_type(2)};
  const std::vector<Sample> large_batches = {
      times({300, 8, 8}, {300, 8, 8}), times({3, 70, 65}, {3, 65, 90}),
      times({1, 40, 33}, {7, 33, 17}), times({7, 40, 33}, {1, 33, 17}),
      times({5, 1, 64}, {5, 64, 40}),  times({5, 40, 64}, {5, 64, 1})};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnBatchMatMul, factor("self", {2, 2, 4}, 5),
                           second_factor({2, 4, kColumns}), shaped(result(), {2, 2, kColumns}),
                           cube_math_type()),
      .domain = factors("self", 3, {3, kN, 7}, arrange_batches, batches, large_batches),
      .results = products("self", product_of, 2),
      .error_inputs = kBadTypes + std::vector{refused("self", "of another batch",
                                                      TensorSpec{{3, 2, 4}}, "[3, 2, 4]")},
      .words = {"products of two batches of matrices; a batch of 1 serves all",
                "两批矩阵逐个相乘；批大小为 1 时广播", "bmm(a, b)", "bmm"},
  });
}

// ---- With an addend -----------------------------------------------------------------------------

Array addmm_of(const Arguments& a, const Arrays& in, bool magnitudes) {
  const Number beta = a.number("beta");
  const Number alpha = a.number("alpha");
  const Array sums =
      dense::matmul(input_of_product(a, in[1]), input_of_product(a, in[2]), magnitudes);
  return dense::zip(sums, in[0], [&](Number p, Number x) {
    if (magnitudes) return std::abs(alpha) * p + std::abs(beta * x);
    return alpha * p + beta * x;
  });
}

Sample addmm_sample(double alpha, double beta, const std::optional<Shape>& self = std::nullopt,
                    double cube = 0) {
  Sample sample = with_type(cube, {{{"alpha", alpha}, {"beta", beta}}});
  if (self) sample.settings.emplace_back("self", *self);
  return sample;
}

void shape_addend_and_result(Arguments& a, const Shape& shape) {
  for (const char* name : {"self", "selfRef", "out"}) {
    if (a.has(name) && !a.is_set(name)) a.shape(name) = shape;
  }
}

void arrange_addmm(Arguments& a) {
  const Shape& mat1 = a.shape("mat1");
  if (mat1.size() != 2) throw std::invalid_argument("addmm multiplies matrices");
  if (!a.is_set("mat2")) a.shape("mat2") = {mat1[1], kColumns};
  shape_addend_and_result(a, dense::product_shape(mat1, a.shape("mat2")));
}

void arrange_baddbmm(Arguments& a) {
  const Shape& batch1 = a.shape("batch1");
  if (batch1.size() != 3) throw std::invalid_argument("baddbmm multiplies batches of matrices");
  if (!a.is_set("batch2")) a.shape("batch2") = {batch1[0], batch1[2], kColumns};
  shape_addend_and_result(a, {batch1[0], batch1[1], a.shape("batch2").back()});
}

Operator addmm_in_place(const Operator& op, Signature call, std::vector<ErrorInput> error_inputs) {
  Operator form = as_const(in_place_of(op, std::move(call), std::move(error_inputs)));
  auto& self = std::get<TensorSpec>(form.call.parameters.front().spec);
  self.any_dtype = true;
  self.any_shape = false;
  return form;
}

void add_addmm(std::vector<Operator>& all) {
  std::vector<Sample> large;
  for (const Shape& self : {Shape{65, 300}, Shape{300}, Shape{1}, Shape{65, 1}, Shape{1, 300}}) {
    large.push_back(addmm_sample(-2.5, 0.25, self));
    large.back().settings.emplace_back("mat1", Shape{65, 70});
    large.back().settings.emplace_back("mat2", Shape{70, 300});
  }
  large.push_back(addmm_sample(1, 0));
  const Operator addmm{
      .call = ACLGRAD_CALL(aclnnAddmm, option(factor("self", {2, kColumns}), "other", Sets::kShape),
                           factor("mat1", {2, 4}, 5), factor("mat2", {4, kColumns}),
                           scalar("beta", 2), scalar("alpha", 2), result(), cube_math_type()),
      .domain = factors(
          "mat1", 2, {kN, 7}, arrange_addmm,
          {addmm_sample(-2, 0.5), addmm_sample(1, 1), addmm_sample(-2, 0.5, Shape{kColumns}),
           addmm_sample(0.75, 0.5, Shape{1, kColumns}), addmm_sample(-2, 0.5, std::nullopt, 2)},
          large),
      .results = products("mat1", addmm_of, 3),
      .error_inputs = kBadTypes,
      .words = {"beta·self + alpha·(mat1 @ mat2)", "beta·self + alpha·(mat1 @ mat2)",
                "addmm(c, a, b, beta, alpha), linear(x, w, b)", "addmm"}};
  all.insert(all.end(),
             {addmm, addmm_in_place(addmm, ACLGRAD_CALL(aclnnInplaceAddmm), addmm.error_inputs)});
}

void add_baddbmm(std::vector<Operator>& all) {
  std::vector<Sample> samples = {addmm_sample(-2, 0.5),
                                 addmm_sample(1, 1),
                                 addmm_sample(-2, 0.5, Shape{kColumns}),
                                 addmm_sample(0.75, 0.5, Shape{3, 1, 1}),
                                 addmm_sample(-2, 0.5, std::nullopt, 2),
                                 addmm_sample(1, 1)};
  samples.back().settings.emplace_back("batch2", Shape{1, 7, kColumns});
  std::vector<Sample> large = {addmm_sample(1, 0), addmm_sample(-2.5, 0.25, Shape{50})};
  large.back().settings.emplace_back("batch1", Shape{3, 40, 30});
  large.back().settings.emplace_back("batch2", Shape{1, 30, 50});
  const auto error_inputs = [](const char* self) {
    return kBadTypes +
           std::vector{refused("batch2", "of a batch that is neither", TensorSpec{{3, 4, kColumns}},
                               "batch"),
                       refused(self, "that is empty", TensorSpec{{0, 2, kColumns}}, "empty")};
  };
  const Operator baddbmm{
      .call = ACLGRAD_CALL(
          aclnnBaddbmm, option(factor("self", {2, 2, kColumns}), "other", Sets::kShape),
          factor("batch1", {2, 2, 4}, 5), factor("batch2", {2, 4, kColumns}), scalar("beta", 2),
          scalar("alpha", 2), shaped(result(), {2, 2, kColumns}), cube_math_type()),
      .domain = factors("batch1", 3, {3, kN, 7}, arrange_baddbmm, samples, large),
      .results = products("batch1", addmm_of, 3),
      .error_inputs = error_inputs("self"),
      .words = {"beta·self + alpha·(batch1 @ batch2)", "beta·self + alpha·(batch1 @ batch2)",
                "baddbmm(c, a, b, beta, alpha)", "baddbmm"}};
  all.insert(all.end(), {baddbmm, addmm_in_place(baddbmm, ACLGRAD_CALL(aclnnInplaceBaddbmm),
                                                 error_inputs("selfRef"))});
}

}  // namespace

Array input_of_product(const Arguments& a, const Array& input) {
  if (a.number("cubeMathType") != kRoundsInputs || a.dtype() != ACL_FLOAT) return input;
  return dense::map(input, [](Number x) { return rounded(x, ACL_FLOAT16); });
}

FamilyContracts matmul_contracts() {
  FamilyContracts family{{"Matrix products", "矩阵乘"}, {}};
  add_matmul(family.operators);
  add_addmm(family.operators);
  add_baddbmm(family.operators);
  add_vector_products(family.operators);
  return family;
}

}  // namespace aclgrad::contract
