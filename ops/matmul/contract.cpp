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

namespace aclgrad::contract {
namespace {

constexpr int64_t kColumns = 10;
constexpr int kKeepsDtype = 0;  // values of cubeMathType
constexpr int kUsesHf32 = 3;

// Two products have no unit for products in FLOAT.
bool lacks_float(const Arguments& a, std::string_view product, aclDataType dtype) {
  const bool is_old = product == "Ascend910" || product == "Ascend310P";
  const Number type = a.number("cubeMathType");
  return is_old && dtype == ACL_FLOAT && (type == kKeepsDtype || type == kUsesHf32);
}

Parameter factor(std::string name, Shape shape, double value = 1) {
  return any_dtype(filled(shaped(in(std::move(name)), std::move(shape)), value));
}
Parameter result() { return any_dtype(shaped(out("out"), {2, kColumns})); }

// What they have in common. Any order of a sum of K products in FLOAT stays within K + 2 roundings
// of the terms.
Operator product(Operator op, const char* first) {
  op.domain.base = first;
  op.domain.base_shape = {kN, 7};
  op.results.bound = {.of_float = 2, .of_16_bits = 0.51};
  op.results.roundings = [first](const Arguments& a) {
    return static_cast<double>(a.shape(first).back());
  };
  op.domain.also_refuses = lacks_float;
  op.error_inputs = {refused("cubeMathType", "= 5", int64_t{5}, "[0, 4]"),
                     refused("cubeMathType", "= -1", int64_t{-1}, "[0, 4]"),
                     refused("cubeMathType", "= 0", int64_t{0}, "DT_FLOAT", "Ascend910")};
  return op;
}

Sample with_type(double cube_math_type, Sample sample = {}) {
  sample.settings.emplace_back("cubeMathType", cube_math_type);
  return sample;
}

// The one of the right call, which every product takes.
Parameter cube_math_type() { return declared(integer("cubeMathType", 1), "int8_t"); }

// ---- Of two tensors -----------------------------------------------------------------------------

template <class PhaseOne>
Operator of_two(std::string name) {
  Operator op =
      product(contract_of<PhaseOne>(std::move(name),
                                    {factor("self", {2, 4}, 5),
                                     option(factor("mat2", {4, kColumns}), "other", Sets::kShape),
                                     result(), cube_math_type()},
                                    kFloats),
              "self");
  op.domain.arrange = [](Arguments& a) {
    if (!a.is_set("mat2") && !a.shape("self").empty()) {
      a.shape("mat2") = {a.shape("self").back(), kColumns};
    }
    a.shape("out") = dense::product_shape(a.shape("self"), a.shape("mat2"));
  };
  op.results.reference = [](const Arguments& a, const Arrays& in) {
    return Arrays{dense::matmul(input_of_product(a, in[0]), input_of_product(a, in[1]))};
  };
  op.results.magnitude = [](const Arguments&, const Arrays& in) {
    return Arrays{dense::matmul(in[0], in[1], true)};
  };
  return op;
}

Sample times(Shape self, Shape mat2, double cube_math_type = 0) {
  return with_type(cube_math_type, {{{"self", std::move(self)}, {"mat2", std::move(mat2)}}});
}

void add_matmul(std::vector<Operator>& all) {
  Operator matmul = of_two<decltype(aclnnMatmulGetWorkspaceSize)>("aclnnMatmul");
  matmul.domain.max_rank = 6;
  matmul.domain.samples = {
      with_type(0),
      with_type(0, {{{"mat2", Shape{7}}}}),
      with_type(0, {{{"mat2", Shape{2, 7, kColumns}}}}),
      with_type(0, {{{"self", Shape{2, kN, 7}}}}),
      with_type(0, {{{"self", Shape{2, 1, kN, 7}}, {"mat2", Shape{3, 7, kColumns}}}}),
      with_type(1),
      with_type(2),
      with_type(3),
      with_type(4)};
  // Of all ranks, and with each dimension on both sides of a block's.
  matmul.domain.value_samples = {times({5}, {5}),
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
    matmul.domain.value_samples.push_back(times({70, 40}, {40, 90}));
    for (const auto& [name, dtype] :
         {std::pair{"self", self}, std::pair{"mat2", mat2}, std::pair{"out", out}}) {
      matmul.domain.value_samples.back().settings.emplace_back(name, dtype);
    }
  }
  matmul.error_inputs.push_back(
      {.what = "of another batch",
       .changes = {{"self", TensorSpec{{2, 2, 4}}}, {"mat2", TensorSpec{{3, 4, kColumns}}}},
       .words = {"[2, 2, 4]"}});
  matmul.words.check = "matmul";
  matmul.words.computes = {"matrix product of ranks 1 to 6, batches broadcast",
                           "1 到 6 维的矩阵乘，批次维广播"};
  matmul.words.in_graph = "matmul(a, b)";

  Operator mm = of_two<decltype(aclnnMmGetWorkspaceSize)>("aclnnMm");
  mm.domain.max_rank = 2;
  mm.domain.arrange = [arrange = mm.domain.arrange](Arguments& a) {
    arrange(a);
    if (a.shape("self").size() != 2 || a.shape("mat2").size() != 2) {
      throw std::invalid_argument("mm multiplies matrices");
    }
  };
  mm.domain.samples = {with_type(0), with_type(2)};
  mm.domain.value_samples = {times({70, 40}, {40, 90})};
  mm.words.check = "mm";
  mm.words.computes = {"matrix product of two matrices", "两个矩阵相乘"};

  Operator bmm = of_two<decltype(aclnnBatchMatMulGetWorkspaceSize)>("aclnnBatchMatMul");
  bmm.domain.max_rank = 3;
  bmm.domain.base_shape = {3, kN, 7};
  const Shape shapes[] = {{2, 2, 4}, {2, 4, kColumns}, {2, 2, kColumns}};
  for (size_t i = 0; i < 3; ++i) {
    std::get<TensorSpec>(bmm.call.parameters[i].spec).shape = shapes[i];
  }
  bmm.domain.arrange = [](Arguments& a) {
    const Shape& self = a.shape("self");
    if (self.size() != 3) throw std::invalid_argument("bmm multiplies batches of matrices");
    if (!a.is_set("mat2")) a.shape("mat2") = {self[0], self[2], kColumns};
    a.shape("out") = dense::product_shape(self, a.shape("mat2"));
  };
  bmm.domain.samples = {
      with_type(0), with_type(0, {{{"mat2", Shape{1, 7, kColumns}}}}),
      with_type(0, {{{"self", Shape{1, kN, 7}}, {"mat2", Shape{3, 7, kColumns}}}}), with_type(2)};
  bmm.domain.value_samples = {times({300, 8, 8}, {300, 8, 8}), times({3, 70, 65}, {3, 65, 90}),
                              times({1, 40, 33}, {7, 33, 17}), times({7, 40, 33}, {1, 33, 17}),
                              times({5, 1, 64}, {5, 64, 40}),  times({5, 40, 64}, {5, 64, 1})};
  bmm.error_inputs.push_back(
      refused("self", "of another batch", TensorSpec{{3, 2, 4}}, "[3, 2, 4]"));
  bmm.words.check = "bmm";
  bmm.words.computes = {"products of two batches of matrices; a batch of 1 serves all",
                        "两批矩阵逐个相乘；批大小为 1 时广播"};
  bmm.words.in_graph = "bmm(a, b)";
  all.insert(all.end(), {matmul, mm, bmm});
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

void add_addmm(std::vector<Operator>& all) {
  Operator addmm = product(contract_of<decltype(aclnnAddmmGetWorkspaceSize)>(
                               "aclnnAddmm",
                               {option(factor("self", {2, kColumns}), "other", Sets::kShape),
                                factor("mat1", {2, 4}, 5), factor("mat2", {4, kColumns}),
                                scalar("beta", 2), scalar("alpha", 2), result(), cube_math_type()},
                               kFloats),
                           "mat1");
  addmm.results.bound.of_float = 3;  // the addend is one more term
  addmm.domain.max_rank = 2;
  addmm.domain.arrange = [](Arguments& a) {
    const Shape& mat1 = a.shape("mat1");
    if (mat1.size() != 2) throw std::invalid_argument("addmm multiplies matrices");
    if (!a.is_set("mat2")) a.shape("mat2") = {mat1[1], kColumns};
    for (const char* name : {"self", "selfRef", "out"}) {
      if (a.has(name) && !a.is_set(name))
        a.shape(name) = dense::product_shape(mat1, a.shape("mat2"));
    }
  };
  addmm.results.reference = [](const Arguments& a, const Arrays& in) {
    return Arrays{addmm_of(a, in, false)};
  };
  addmm.results.magnitude = [](const Arguments& a, const Arrays& in) {
    return Arrays{addmm_of(a, in, true)};
  };
  addmm.domain.samples = {
      addmm_sample(-2, 0.5), addmm_sample(1, 1), addmm_sample(-2, 0.5, Shape{kColumns}),
      addmm_sample(0.75, 0.5, Shape{1, kColumns}), addmm_sample(-2, 0.5, std::nullopt, 2)};
  for (const Shape& self : {Shape{65, 300}, Shape{300}, Shape{1}, Shape{65, 1}, Shape{1, 300}}) {
    addmm.domain.value_samples.push_back(addmm_sample(-2.5, 0.25, self));
    addmm.domain.value_samples.back().settings.emplace_back("mat1", Shape{65, 70});
    addmm.domain.value_samples.back().settings.emplace_back("mat2", Shape{70, 300});
  }
  addmm.domain.value_samples.push_back(addmm_sample(1, 0));
  addmm.words.check = "addmm";
  addmm.words.computes = {"beta·self + alpha·(mat1 @ mat2)", "beta·self + alpha·(mat1 @ mat2)"};
  addmm.words.in_graph = "addmm(c, a, b, beta, alpha), linear(x, w, b)";
  Operator form = in_place_of<decltype(aclnnInplaceAddmmGetWorkspaceSize)>(addmm);
  form.call.parameters.front() = as_const(form.call.parameters.front());
  auto& self = std::get<TensorSpec>(form.call.parameters.front().spec);
  self.any_dtype = true;
  self.any_shape = false;
  form.error_inputs = addmm.error_inputs;
  all.insert(all.end(), {addmm, form});
}

void add_baddbmm(std::vector<Operator>& all) {
  Operator op = product(
      contract_of<decltype(aclnnBaddbmmGetWorkspaceSize)>(
          "aclnnBaddbmm",
          {option(factor("self", {2, 2, kColumns}), "other", Sets::kShape),
           factor("batch1", {2, 2, 4}, 5), factor("batch2", {2, 4, kColumns}), scalar("beta", 2),
           scalar("alpha", 2), any_dtype(shaped(out("out"), {2, 2, kColumns})), cube_math_type()},
          kFloats),
      "batch1");
  op.results.bound.of_float = 3;  // the addend is one more term
  op.domain.max_rank = 3;
  op.domain.base_shape = {3, kN, 7};
  op.domain.arrange = [](Arguments& a) {
    const Shape& batch1 = a.shape("batch1");
    if (batch1.size() != 3) throw std::invalid_argument("baddbmm multiplies batches of matrices");
    if (!a.is_set("batch2")) a.shape("batch2") = {batch1[0], batch1[2], kColumns};
    for (const char* name : {"self", "selfRef", "out"}) {
      if (a.has(name) && !a.is_set(name)) {
        a.shape(name) = {batch1[0], batch1[1], a.shape("batch2").back()};
      }
    }
  };
  op.results.reference = [](const Arguments& a, const Arrays& in) {
    return Arrays{addmm_of(a, in, false)};
  };
  op.results.magnitude = [](const Arguments& a, const Arrays& in) {
    return Arrays{addmm_of(a, in, true)};
  };
  op.domain.samples = {
      addmm_sample(-2, 0.5), addmm_sample(1, 1), addmm_sample(-2, 0.5, Shape{kColumns}),
      addmm_sample(0.75, 0.5, Shape{3, 1, 1}), addmm_sample(-2, 0.5, std::nullopt, 2)};
  op.domain.samples.push_back(op.domain.samples[1]);
  op.domain.samples.back().settings.emplace_back("batch2", Shape{1, 7, kColumns});
  const auto refuse = [&](const char* what, const char* tensor, Shape shape, const char* word) {
    op.error_inputs.push_back(refused(tensor, what, TensorSpec{std::move(shape)}, word));
  };
  refuse("of a batch that is neither", "batch2", {3, 4, kColumns}, "batch");
  refuse("that is empty", "self", {0, 2, kColumns}, "empty");
  op.domain.value_samples = {addmm_sample(1, 0), addmm_sample(-2.5, 0.25, Shape{50})};
  op.domain.value_samples.back().settings.emplace_back("batch1", Shape{3, 40, 30});
  op.domain.value_samples.back().settings.emplace_back("batch2", Shape{1, 30, 50});
  op.words.check = "baddbmm";
  op.words.computes = {"beta·self + alpha·(batch1 @ batch2)",
                       "beta·self + alpha·(batch1 @ batch2)"};
  op.words.in_graph = "baddbmm(c, a, b, beta, alpha)";
  Operator form = in_place_of<decltype(aclnnInplaceBaddbmmGetWorkspaceSize)>(op);
  form.call.parameters.front() = as_const(form.call.parameters.front());
  auto& self = std::get<TensorSpec>(form.call.parameters.front().spec);
  self.any_dtype = true;
  self.any_shape = false;
  form.error_inputs = op.error_inputs;
  form.error_inputs.back().changes.front().first = "selfRef";
  all.insert(all.end(), {op, form});
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
  return family;
}

}  // namespace aclgrad::contract
