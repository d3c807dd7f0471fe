// SPDX-License-Identifier: Apache-2.0
// Products of matrices: matmul, mm, addmm.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "tool/chain.h"
#include "tool/checkable.h"
#include "tool/dense.h"

namespace aclgrad::gradcheck::detail {
namespace {

constexpr int kRoundInputs = 2;  // the cubeMathType that takes inputs in float16

// Any order of a sum of K products in float32 stays within K + 2 roundings of the terms.
void promise(Subject& s, std::int64_t forward_terms, std::int64_t backward_terms) {
  s.forward_ulp = static_cast<double>(forward_terms) + 2;
  s.forward_ulp_16bit = 0.51;
  s.checked.model = {
      .final_ulp_16bit = 0.5, .final_ulp = 0.5, .inner = static_cast<double>(backward_terms) + 2};
}

// Two products have no unit for products in float32.
bool lacks_float32(const std::string& product, DType dtype, int cube_math_type) {
  return !has_bfloat16(product) && dtype == DType::float32 &&
         (cube_math_type == 0 || cube_math_type == 3);
}

Input operand(const char* name, const Dims& shape) { return {.name = name, .shape = shape}; }

void name(Subject& s, const Dims& other, int cube_math_type) {
  s.checked.attributes = fmt::format("other={}", dims_text(other));
  s.checked.reproduce = fmt::format("--other {}", dims_text(other));
  if (cube_math_type != 0) {
    s.checked.attributes += fmt::format(" cubeMathType={}", cube_math_type);
    s.checked.reproduce += fmt::format(" --cube-math-type {}", cube_math_type);
  }
}

// The product's inputs as a cubeMathType takes them.
Array taken(const Array& a, int cube_math_type, DType dtype) {
  if (cube_math_type != kRoundInputs || dtype != DType::float32) return a;
  return dense::map(a, [](Number x) { return round_to(x, DType::float16); });
}

// da = g b^T, db = a^T g, summed over what was broadcast; vectors stand in for matrices.
void matmul_gradients(Chain& chain) {
  View g = chain.input(0);
  View a = chain.input(1);
  View b = chain.input(2);
  View da = chain.output(0);
  View db = chain.output(1);
  const bool row = a.shape.size() == 1;
  const bool column = b.shape.size() == 1;
  if (column) {
    g = with_axis(g, g.shape.size());
    b = with_axis(b, 1);
    db = with_axis(db, 1);
  }
  if (row) {
    g = with_axis(g, g.shape.size() - 1);
    a = with_axis(a, 0);
    da = with_axis(da, 0);
  }
  const auto product = [&](const View& x, const View& y, const View& to, Dims shape) {
    if (shape == to.shape) {
      chain.matmul(x, y, to);
      return;
    }
    const View whole = chain.temporary(g.dtype, shape);
    chain.matmul(x, y, whole);
    chain.sum_to(whole, to);
  };
  const Dims batch(g.shape.begin(), g.shape.end() - 2);
  const auto shape_of = [&](std::int64_t rows, std::int64_t columns) {
    Dims shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  const std::int64_t rows = a.shape[a.shape.size() - 2];
  const std::int64_t inner = a.shape.back();
  const std::int64_t columns = b.shape.back();
  if (chain.wants(0)) product(g, transposed(b), da, shape_of(rows, inner));
  if (!chain.wants(1)) return;
  if (a.shape.size() > 2 && b.shape.size() == 2) {
    // Many matrices times one: one product over all rows.
    const View flat_a = chain.temporary(a.dtype, a.shape);
    const View flat_g = chain.temporary(g.dtype, g.shape);
    chain.copy(a, flat_a);
    chain.copy(g, flat_g);
    const std::int64_t all = count_of(batch) * rows;
    chain.matmul(transposed(reshaped(flat_a, {all, inner})), reshaped(flat_g, {all, columns}), db);
    return;
  }
  product(transposed(a), g, db, shape_of(inner, columns));
}

// Before it is worked out: two small operands may have a huge product.
void require_checkable_product(const Dims& a, const Dims& b) {
  if (a.size() < 2 || b.size() < 2) return;
  Dims out = broadcast_shape({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  out.push_back(a[a.size() - 2]);
  out.push_back(b.back());
  require_checkable("the product", out);
}

template <class Plan>
Subject product_of(const LibraryPointer& library, const std::string& api, Plan plan,
                   const Attributes& attributes, const Dims& shape, const Dims& other) {
  const int cube = attributes.cube_math_type;
  require_checkable_product(shape, other);
  const Array empty_a{shape, std::vector<Number>(static_cast<std::size_t>(count_of(shape)))};
  const Array empty_b{other, std::vector<Number>(static_cast<std::size_t>(count_of(other)))};
  const Dims out = dense::matmul(empty_a, empty_b).shape;
  const auto with = [=](int type) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[0], t[1], t[2], static_cast<std::int8_t>(type), size, executor);
    };
  };
  Subject s;
  const std::int64_t columns = other.size() < 2 ? 1 : other.back();
  const std::int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  const std::int64_t matrices = count_of(out) / std::max<std::int64_t>(rows * columns, 1);
  promise(s, shape.back(), std::max(rows, columns) * matrices);
  s.forward = {
      .api = api,
      .tensors = {{.name = "self", .shape = shape, .free_dtype = true},
                  {.name = "mat2", .shape = other, .free_dtype = true},
                  {.name = "out", .shape = out, .free_dtype = true}},
      .inputs = 2,
      .plan = with(cube),
      .highest_rank = 6,
      .refusals = {{"cubeMathType 5", 161002, with(5)}, {"cubeMathType -2", 161002, with(-2)}},
      .refuses = [cube](const std::string& product, DType dtype) {
        return lacks_float32(product, dtype, cube);
      }};
  s.bilinear = true;
  s.reference = [cube](const Arrays& in, DType dtype) {
    return Arrays{dense::matmul(taken(in[0], cube, dtype), taken(in[1], cube, dtype))};
  };
  s.magnitude = [](const Arrays& in) { return Arrays{dense::matmul(in[0], in[1], true)}; };
  s.checked.name = api;
  s.checked.inputs = {operand("self", shape), operand("mat2", other)};
  s.checked.forward = [](const Arrays& in) { return Arrays{dense::matmul(in[0], in[1])}; };
  name(s, other, cube);
  if (cube == kRoundInputs) return s;  // the derivative of a rounding is nothing to ask for
  s.checked.masks = true;
  s.checked.model.terms = std::max(shape.size(), other.size()) > 2 ? 1 : 0;  // sums of products
  s.calls = Chain::calls(true);
  s.checked.backward = from_chain(library, matmul_gradients);
  return s;
}

Subject matmul(const LibraryPointer& library, const Attributes& a,
               const std::optional<Dims>& wanted) {
  return product_of(
      library, "aclnnMatmul", ACLGRAD_LOOKUP(aclnnMatmulGetWorkspaceSize), a,
      wanted.value_or(a.other && *a.other == Dims{3, 3, 5} ? Dims{2, 1, 4, 3} : Dims{4, 3}),
      a.other.value_or(Dims{3, 5}));
}

Subject mm(const LibraryPointer& library, const Attributes& a, const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{4, 3});
  if (shape.size() != 2 || (a.other && a.other->size() != 2)) {
    throw ValueError("mm multiplies matrices");
  }
  Subject s = product_of(library, "aclnnMm", ACLGRAD_LOOKUP(aclnnMmGetWorkspaceSize), a, shape,
                         a.other.value_or(Dims{3, 5}));
  s.forward.highest_rank = 2;
  return s;
}

Array addmm_of(const Arrays& in, double beta, double alpha, bool magnitudes) {
  const Array product = dense::matmul(in[1], in[2], magnitudes);
  const Number factor = magnitudes ? std::abs(alpha) : alpha;
  return dense::zip(product, in[0], [&](Number p, Number x) {
    const Number term = beta * x;
    return factor * p + (magnitudes ? std::abs(term) : term);
  });
}

// Inputs: gradient, self, mat1, mat2.
void addmm_gradients(Chain& chain, const aclScalar* beta, const aclScalar* alpha) {
  const View g = chain.input(0);
  const auto scaled = [&](const View& x, const View& y, const View& to) {
    const View product = chain.temporary(g.dtype, to.shape);
    chain.matmul(x, y, product);
    chain.scale(product, alpha, to);
  };
  if (chain.wants(0)) {
    const View share = chain.temporary(g.dtype, g.shape);
    chain.scale(g, beta, share);
    chain.sum_to(share, chain.output(0));
  }
  if (chain.wants(1)) scaled(g, transposed(chain.input(3)), chain.output(1));
  if (chain.wants(2)) scaled(transposed(chain.input(2)), g, chain.output(2));
}

Subject addmm(const LibraryPointer& library, const Attributes& a,
              const std::optional<Dims>& wanted) {
  const Dims mat1 = wanted.value_or(Dims{4, 3});
  if (mat1.size() != 2) throw ValueError("addmm multiplies matrices");
  const Dims mat2 = {mat1[1], 5};
  const Dims out = {mat1[0], 5};
  const Dims self = a.other.value_or(out);
  const double beta = a.beta;
  const double alpha = a.alpha;
  const aclScalar* beta_scalar = library->scalar(static_cast<float>(beta));
  const aclScalar* alpha_scalar = library->scalar(static_cast<float>(alpha));
  auto* plan = ACLGRAD_LOOKUP(aclnnAddmmGetWorkspaceSize);
  auto* in_place = ACLGRAD_LOOKUP(aclnnInplaceAddmmGetWorkspaceSize);
  const auto cube = static_cast<std::int8_t>(a.cube_math_type);
  const auto with = [=](const aclScalar* b, const aclScalar* f, std::int8_t type) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[0], t[1], t[2], b, f, t[3], type, size, executor);
    };
  };
  const auto with_in_place = [=](const aclScalar* b, const aclScalar* f,
                                 std::int8_t type) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return in_place(t[0], t[1], t[2], b, f, type, size, executor);
    };
  };
  const std::vector<TensorArgument> inputs = {{.name = "self", .shape = self, .free_dtype = true},
                                              {.name = "mat1", .shape = mat1, .free_dtype = true},
                                              {.name = "mat2", .shape = mat2, .free_dtype = true}};
  Subject s;
  promise(s, mat1[1] + 1, std::max(out[0], out[1]) + 1);
  s.forward = {.api = "aclnnAddmm",
               .tensors = inputs,
               .inputs = 3,
               .plan = with(beta_scalar, alpha_scalar, cube),
               .highest_rank = 2,
               .refusals = {{"null beta", 161001, with(nullptr, alpha_scalar, cube)},
                            {"null alpha", 161001, with(beta_scalar, nullptr, cube)},
                            {"cubeMathType 5", 161002, with(beta_scalar, alpha_scalar, 5)}},
               .refuses = [type = a.cube_math_type](const std::string& product, DType dtype) {
                 return lacks_float32(product, dtype, type);
               }};
  s.forward.tensors.push_back({.name = "out", .shape = out, .free_dtype = true});
  if (self == out) {
    s.other_forms = {
        {.api = "aclnnInplaceAddmm",
         .tensors = inputs,
         .inputs = 3,
         .plan = with_in_place(beta_scalar, alpha_scalar, cube),
         .highest_rank = 2,
         .refusals = {{"null beta", 161001, with_in_place(nullptr, alpha_scalar, cube)},
                      {"null alpha", 161001, with_in_place(beta_scalar, nullptr, cube)},
                      {"cubeMathType 5", 161002, with_in_place(beta_scalar, alpha_scalar, 5)}},
         .written = {0},
         .refuses = s.forward.refuses}};
  }
  s.magnitude = [=](const Arrays& in) { return Arrays{addmm_of(in, beta, alpha, true)}; };
  s.checked.name = s.forward.api;
  s.checked.inputs = {operand("self", self), operand("mat1", mat1), operand("mat2", mat2)};
  s.checked.forward = [=](const Arrays& in) { return Arrays{addmm_of(in, beta, alpha, false)}; };
  s.checked.command_shape = mat1;
  s.checked.attributes = fmt::format("beta={} alpha={} self={}", beta, alpha, dims_text(self));
  s.checked.reproduce =
      fmt::format("--beta {} --alpha {} --other {}", beta, alpha, dims_text(self));
  if (cube != 0) {
    s.checked.attributes += fmt::format(" cubeMathType={}", a.cube_math_type);
    s.checked.reproduce += fmt::format(" --cube-math-type {}", a.cube_math_type);
  }
  if (cube == kRoundInputs) {
    s.reference = [=](const Arrays& in, DType dtype) {
      return Arrays{
          addmm_of({in[0], taken(in[1], 2, dtype), taken(in[2], 2, dtype)}, beta, alpha, false)};
    };
    return s;
  }
  s.checked.masks = true;
  s.checked.model.terms = 1;
  s.calls = Chain::calls(true);
  s.checked.backward =
      from_chain(library, [=](Chain& chain) { addmm_gradients(chain, beta_scalar, alpha_scalar); });
  return s;
}

}  // namespace

std::vector<KnownOperator> product_operators() {
  return {{"matmul",
           matmul,
           {{},
            {.other = Dims{3}},
            {.other = Dims{2, 3, 5}},
            {.other = Dims{3, 3, 5}},
            {.cube_math_type = 1},
            {.cube_math_type = 2},
            {.cube_math_type = 3},
            {.cube_math_type = 4}},
           {"--other", "--cube-math-type"}},
          {"mm", mm, {{}, {.cube_math_type = 2}}, {"--other", "--cube-math-type"}},
          {"addmm",
           addmm,
           {{.alpha = -2, .beta = 0.5},
            {},
            {.alpha = -2, .beta = 0.5, .other = Dims{5}},
            {.alpha = 0.75, .beta = 0.5, .other = Dims{1, 5}},
            {.alpha = -2, .beta = 0.5, .cube_math_type = 2}},
           {"--beta", "--alpha", "--other", "--cube-math-type"}}};
}

}  // namespace aclgrad::gradcheck::detail
