// SPDX-License-Identifier: Apache-2.0
// Products of vectors and matrices, and of matrices that may be transposed.
#include <cmath>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_addmv.h"
#include "aclnnop/aclnn_dot.h"
#include "aclnnop/aclnn_gemm.h"
#include "aclnnop/aclnn_mv.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "ops/contract/dense.h"
#include "ops/matmul/products_contract.h"

namespace aclgrad::contract {
namespace {
namespace vectors {

const DTypes kWhole = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};

Parameter vector(std::string name, int64_t size) { return shaped(in(std::move(name)), {size}); }

// Integers wrap.
Array held(const Arguments& a, const Array& exact) {
  return dense::map(exact, [&](Number x) {
    return a.dtype() != ACL_DT_UNDEFINED && is_whole(a.dtype()) ? wrapped(x, a.dtype()) : x;
  });
}

// The last number of roundings of a sum of `terms` products, and of what is added to it.
Results sums(Array (*of)(const Arguments&, const Arrays&, bool magnitudes), double roundings,
             std::function<int64_t(const Arguments&)> terms) {
  Results results = products("", of, roundings);
  results.reference = [of](const Arguments& a, const Arrays& in) {
    return Arrays{held(a, of(a, in, false))};
  };
  results.roundings = [terms](const Arguments& a) { return static_cast<double>(terms(a)); };
  return results;
}

void add_dot(std::vector<Operator>& all) {
  const auto dot = [](const Arrays& in, bool magnitudes) {
    Number sum = 0;
    for (size_t i = 0; i < in[0].values.size(); ++i) {
      const Number product = in[0].values[i] * in[1].values[i];
      sum += magnitudes ? std::abs(product) : product;
    }
    return sum;
  };
  const auto arrange = [](Arguments& a) {
    if (a.shape("self").size() != 1) throw std::invalid_argument("dot multiplies vectors");
    a.shape("tensor") = a.shape("self");
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnDot, vector("self", 1), vector("tensor", 1), shaped(out("out"), {1})),
      .domain = {.everywhere = kFloatsAndDouble + kWhole,
                 .max_rank = 1,
                 .base_shape = {kN},
                 .arrange = arrange,
                 .samples = {{}, {{{"out", Shape{}}}}},
                 .value_samples = {{{{"self", Shape{0}}}},
                                   {{{"self", Shape{1}}}},
                                   {{{"self", Shape{4097}}}},
                                   {{{"self", Shape{70000}}}}}},
      .results = {.reference =
                      [=](const Arguments& a, const Arrays& in) {
                        return Arrays{held(a, dense::full(a.shape("out"), dot(in, false)))};
                      },
                  .bound = {.of_float = 0.51, .of_16_bits = 0.501, .of_double = 4},
                  .magnitude =
                      [=](const Arguments& a, const Arrays& in) {
                        return Arrays{dense::full(a.shape("out"), dot(in, true))};
                      }},
      .error_inputs = {refused("tensor", "of another length", of_shape({5}), "[5]"),
                       refused("self", "that is a matrix", of_shape({4, 1}), "[4, 1]"),
                       refused("out", "of two elements", of_shape({2}), "[2]")},
      .words = {"sum of the products of two vectors", "两个向量的点积", "dot(vec1, vec2)", "dot"},
  });
}

// ---- A matrix and a vector ----------------------------------------------------------------------

// Values of integers stay small: those of products in INT8 wrap, but their factors are drawn.
Array matrix_vector(const Arguments& a, const Array& matrix, const Array& vector, bool magnitudes) {
  if (magnitudes) return dense::matmul(matrix, vector, true);
  return dense::matmul(input_of_product(a, matrix), input_of_product(a, vector));
}

Sample sizes(int64_t rows, int64_t columns, double cube_math_type = 0) {
  return with_type(cube_math_type, {{{"self", Shape{rows, columns}}}});
}

std::vector<ErrorInput> wrong_sizes(const char* matrix) {
  return kBadTypes + std::vector{refused("vec", "of another length", of_shape({5}), "[5]"),
                                 refused(matrix, "that is a vector", of_shape({4}), "[4]")};
}

void add_mv(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape& self = a.shape("self");
    if (self.size() != 2) throw std::invalid_argument("mv multiplies a matrix");
    a.shape("out") = {self[0]};
    a.shape("vec") = {self[1]};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMv, shaped(in("self"), {2, 4}), vector("vec", 4),
                           shaped(out("out"), {2}), cube_math_type()),
      .domain = {.everywhere = kFloatsAndDouble + kWhole,
                 .also_refuses = lacks_float,
                 .max_rank = 2,
                 .base_shape = {kN, 7},
                 .arrange = arrange,
                 .samples = {with_type(0), with_type(2)},
                 .value_samples = {sizes(3, 0), sizes(1, 900), sizes(300, 800), sizes(70, 3)}},
      .results = sums([](const Arguments& a, const Arrays& in,
                         bool magnitudes) { return matrix_vector(a, in[0], in[1], magnitudes); },
                      2, [](const Arguments& a) { return a.shape("self").back(); }),
      .error_inputs = wrong_sizes("self"),
      .words = {"product of a matrix and a vector", "矩阵与向量相乘", "mv(matrix, vector)", "mv"},
  });
}

Array addmv_of(const Arguments& a, const Arrays& in, bool magnitudes) {
  const Number alpha = a.number("alpha"), beta = a.number("beta");
  return dense::zip(matrix_vector(a, in[1], in[2], magnitudes), in[0], [&](Number p, Number x) {
    return magnitudes ? std::abs(alpha) * p + std::abs(beta * x) : alpha * p + beta * x;
  });
}

void add_addmv(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape& mat = a.shape("mat");
    if (mat.size() != 2) throw std::invalid_argument("addmv multiplies a matrix");
    a.shape("vec") = {mat[1]};
    a.shape("out") = {mat[0]};
    if (!a.is_set("self")) a.shape("self") = a.shape("out");
    a.tensor("self").any_shape = a.shape("self") != a.shape("out");
  };
  const auto sample = [](double alpha, double beta, std::optional<Shape> self = std::nullopt,
                         std::optional<Shape> mat = std::nullopt, double cube = 0) {
    Sample one = with_type(cube, {{{"alpha", alpha}, {"beta", beta}}});
    if (self) one.settings.emplace_back("self", *self);
    if (mat) one.settings.emplace_back("mat", *mat);
    return one;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAddmv, vector("self", 2), shaped(in("mat"), {2, 4}),
                           vector("vec", 4), number("alpha", 2), number("beta", 3),
                           shaped(out("out"), {2}), cube_math_type()),
      .domain = {.everywhere = kFloatsAndDouble + kWhole,
                 .also_refuses = lacks_float,
                 .max_rank = 2,
                 .base = "mat",
                 .base_shape = {kN, 7},
                 .arrange = arrange,
                 .samples = {sample(-2, 3), sample(1, 1, Shape{1}), sample(2, -1, Shape{}),
                             sample(1, 2, {}, {}, 2)},
                 .value_samples = {sample(1, 0), sample(0, 2), sample(2, 3, {}, Shape{4, 0}),
                                   sample(2, 3, {}, Shape{300, 500})}},
      .results = sums(addmv_of, 3, [](const Arguments& a) { return a.shape("mat").back(); }),
      .error_inputs = wrong_sizes("mat") +
                      std::vector{refused("self", "that does not broadcast", of_shape({3}), "[3]")},
      .words = {"beta·self + alpha·(mat @ vec)", "beta·self + alpha·(mat @ vec)",
                "addmv(c, matrix, vector, beta, alpha)", "addmv"},
  });
}

// ---- Two matrices -------------------------------------------------------------------------------

Array transposed(const Array& matrix) {
  return dense::generate({matrix.shape[1], matrix.shape[0]}, [&](const Shape& at) {
    return dense::at(matrix, {at[1], at[0]});
  });
}

Array gemm_of(const Arguments& a, const Arrays& in, bool magnitudes) {
  const Number alpha = a.number("alpha"), beta = a.number("beta");
  const Array left = a.number("transA") != 0 ? transposed(in[0]) : in[0];
  const Array right = a.number("transB") != 0 ? transposed(in[1]) : in[1];
  const Array product = matrix_vector(a, left, right, magnitudes);
  const Array added = beta == 0 ? dense::full({1}) : in[2];
  return dense::zip(product, added, [&](Number p, Number x) {
    return magnitudes ? std::abs(alpha) * p + std::abs(beta * x) : alpha * p + beta * x;
  });
}

int64_t terms_of_gemm(const Arguments& a) { return a.shape("A")[a.number("transA") != 0 ? 0 : 1]; }

void arrange_gemm(Arguments& a) {
  constexpr int64_t kWide = 10;
  const Shape& left = a.shape("A");
  if (left.size() != 2) throw std::invalid_argument("gemm multiplies matrices");
  const bool of_a = a.number("transA") != 0, of_b = a.number("transB") != 0;
  const int64_t rows = left[of_a ? 1 : 0], between = left[of_a ? 0 : 1];
  if (!a.is_set("B")) a.shape("B") = of_b ? Shape{kWide, between} : Shape{between, kWide};
  a.shape("out") = {rows, a.shape("B")[of_b ? 0 : 1]};
  if (!a.is_set("C")) a.shape("C") = a.shape("out");
}

void add_gemm(std::vector<Operator>& all) {
  const auto sample = [](double trans_a, double trans_b, double alpha = 1, double beta = 0.5,
                         std::optional<Shape> c = std::nullopt, double cube = 0) {
    Sample one = with_type(
        cube, {{{"transA", trans_a}, {"transB", trans_b}, {"alpha", alpha}, {"beta", beta}}});
    if (c) one.settings.emplace_back("C", *c);
    return one;
  };
  std::vector<Sample> large = {sample(0, 1, -2, 0.25, Shape{1}), sample(1, 0, 2, 0, Shape{1}),
                               sample(1, 1, 0, 2), sample(1, 1)};
  large.back().settings.emplace_back("A", Shape{300, 40});
  large.back().settings.emplace_back("B", Shape{90, 300});
  large.push_back(sample(0, 0));
  large.back().settings.emplace_back("A", Shape{3, 0});
  const auto real = [](const char* name, double value) { return declared({name, value}, "float"); };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnGemm, shaped(in("A"), {2, 4}), shaped(in("B"), {4, 10}),
                           shaped(in("C"), {2, 10}), real("alpha", 2), real("beta", 2),
                           integer("transA", 0), integer("transB", 0), shaped(out("out"), {2, 10}),
                           cube_math_type()),
      .domain = {.everywhere = kFloatsAndDouble,
                 .also_refuses = lacks_float,
                 .max_rank = 2,
                 .base_shape = {kN, 7},
                 .arrange = arrange_gemm,
                 .samples = {sample(0, 0), sample(1, 0), sample(0, 1, -2, 0.25, Shape{10}),
                             sample(1, 1, 0.75, 1, Shape{1, 10}), sample(0, 0, 1, 0.5, {}, 2)},
                 .value_samples = large},
      .results = sums(gemm_of, 3, terms_of_gemm),
      .error_inputs =
          kBadTypes + std::vector{wrong_number("transA", 2, "[0, 1]"),
                                  wrong_number("transB", -1, "[0, 1]"),
                                  refused("B", "of other rows", of_shape({5, 10}), "[5, 10]"),
                                  refused("C", "that does not broadcast", of_shape({3}), "[3]")},
      .words = {"alpha·op(A) @ op(B) + beta·C, op(X) X or its transpose",
                "alpha·op(A) @ op(B) + beta·C，op 可转置", "", "gemm"},
  });
}

void add_weights(std::vector<Operator>& all) {
  Parameter weight = any_shape(in("mmWeightRef"));
  std::get<TensorSpec>(weight.spec).role = Role::kInPlace;
  all.push_back({
      .call = ACLGRAD_CALL(aclnnTransMatmulWeight, weight),
      .domain = {.everywhere = kFloatsAndDouble + DTypes{ACL_INT8}},
      .results = {.reference = [](const Arguments&, const Arrays& in) { return Arrays{in[0]}; },
                  .bound = kExact},
      .error_inputs = {refused("mmWeightRef", "that is a vector", of_shape({4}), "[4]")},
      .words = {"a weight as products like it: unchanged", "把权重转为矩阵乘适合的排布：不变"},
  });
}

// ---- A quantized weight -------------------------------------------------------------------------

// Of INT8; INT4, which has no numbers in tests, has tests of its own.
Array expanded_weight(const Arguments& a, const Arrays& in, bool magnitudes) {
  const Array& weight = in[1];
  const Array& scale = in[2];
  const Array* const offset = find_given(a, in, "antiquantOffsetOptional");
  const auto size = static_cast<int64_t>(a.number("antiquantGroupSize"));
  const auto at_group = [&](const Array& of, const Shape& at) {
    const int64_t column = of.shape.back() == 1 ? 0 : at[1];
    return of
        .values[static_cast<size_t>((size == 0 ? 0 : at[0] / size) * of.shape.back() + column)];
  };
  return dense::generate(weight.shape, [&](const Shape& at) {
    const Number w = dense::at(weight, at), shift = offset ? at_group(*offset, at) : 0;
    const Number sum = magnitudes ? std::abs(w) + std::abs(shift) : w + shift;
    return sum * (magnitudes ? std::abs(at_group(scale, at)) : at_group(scale, at));
  });
}

Array weight_quant(const Arguments& a, const Arrays& in, bool magnitudes) {
  const Array product = dense::matmul(in[0], expanded_weight(a, in, magnitudes), magnitudes);
  const Array* const bias = find_given(a, in, "biasOptional");
  if (bias == nullptr) return product;
  return dense::zip(product, *bias,
                    [=](Number p, Number b) { return magnitudes ? p + std::abs(b) : p + b; });
}

void add_weight_quant(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape& x = a.shape("x");
    if (x.size() != 2) throw std::invalid_argument("the product is of matrices");
    if (!a.is_set("weight")) a.shape("weight") = {x[1], 10};
    const int64_t columns = a.shape("weight").back();
    const auto size = static_cast<int64_t>(a.number("antiquantGroupSize"));
    const Shape scales = size == 0 ? Shape{columns} : Shape{(x[1] + size - 1) / size, columns};
    for (const char* name : {"antiquantScale", "antiquantOffsetOptional"}) {
      if (!a.is_set(name) || size != 0) a.shape(name) = scales;
    }
    if (!a.is_set("biasOptional")) a.shape("biasOptional") = {columns};
    a.shape("y") = {x[0], columns};
  };
  const auto of = [](int64_t m, int64_t k, int64_t n, double group) {
    return Sample{{{"x", Shape{m, k}}, {"weight", Shape{k, n}}, {"antiquantGroupSize", group}}};
  };
  const auto with = [](Sample sample, const char* name, Shape shape) {
    sample.settings.emplace_back(name, std::move(shape));
    return sample;
  };
  const Sample one_scale = with({}, "antiquantScale", {1});
  all.push_back({
      .call = ACLGRAD_CALL(
          aclnnWeightQuantBatchMatmulV2, shaped(in("x"), {2, 4}),
          typed(shaped(in("weight", -127, 127), {4, 10}), ACL_INT8), vector("antiquantScale", 10),
          optional(vector("antiquantOffsetOptional", 10)),
          optional(vector("quantScaleOptional", 10)), optional(vector("quantOffsetOptional", 10)),
          optional(vector("biasOptional", 10)), declared(integer("antiquantGroupSize", 0), "int"),
          shaped(out("y"), {2, 10})),
      .domain = {.everywhere = kFloats,
                 .max_rank = 2,
                 .base_shape = {kN, 7},
                 .arrange = arrange,
                 .samples = {{},
                             one_scale,
                             with({}, "antiquantOffsetOptional", {10}),
                             with({}, "biasOptional", {10})},
                 .value_samples = {of(3, 64, 300, 32), of(1, 96, 520, 64),
                                   with(of(5, 100, 30, 32), "antiquantOffsetOptional", {4, 30}),
                                   of(3, 0, 4, 0)}},
      .results = {
          .reference = [](const Arguments& a,
                          const Arrays& in) { return Arrays{weight_quant(a, in, false)}; },
          .bound = {.of_float = 4, .of_16_bits = 0.51},
          .roundings = [](const Arguments& a) { return static_cast<double>(a.shape("x")[1]); },
          .magnitude = [](const Arguments& a,
                          const Arrays& in) { return Arrays{weight_quant(a, in, true)}; }},
      .error_inputs = {wrong_number("antiquantGroupSize", 16, "is 16"),
                       wrong_number("antiquantGroupSize", 32, "is 32"),
                       refused("quantScaleOptional", "given", of_shape({10}), "must have no"),
                       refused("antiquantScale", "of another size", of_shape({9}), "[9]")},
      .words = {"x @ ((weight + offset)·scale) + bias with a weight in INT8 or INT4",
                "x @ ((weight + offset)·scale) + bias，权重为 INT8 或 INT4"},
  });
}

}  // namespace vectors
}  // namespace

void add_vector_products(std::vector<Operator>& all) {
  vectors::add_dot(all);
  vectors::add_mv(all);
  vectors::add_addmv(all);
  vectors::add_gemm(all);
  vectors::add_weights(all);
  vectors::add_weight_quant(all);
}

}  // namespace aclgrad::contract
