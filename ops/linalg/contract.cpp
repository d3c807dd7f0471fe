// SPDX-License-Identifier: Apache-2.0
// Outer and cross products, diagonals, Einstein's sums.
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_addr.h"
#include "aclnnop/aclnn_diag.h"
#include "aclnnop/aclnn_einsum.h"
#include "aclnnop/aclnn_ger.h"
#include "aclnnop/aclnn_linalg_cross.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {
namespace products_of_linalg {

const DTypes kWhole = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};

Number held(const Arguments& a, Number x) {
  if (a.dtype() == ACL_BOOL) return x != 0 ? 1 : 0;
  return a.dtype() != ACL_DT_UNDEFINED && is_whole(a.dtype()) ? wrapped(x, a.dtype()) : x;
}

// ---- Outer products -----------------------------------------------------------------------------

Parameter vector(std::string name, int64_t size) { return shaped(in(std::move(name)), {size}); }

void add_ger(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape& self = a.shape("self");
    if (self.size() != 1) throw std::invalid_argument("ger multiplies vectors");
    a.shape("out") = {self[0], a.shape("vec2").at(0)};
  };
  const auto outer = [](const Arguments& a, const Arrays& in) {
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& at) {
      return held(a, dense::at(in[0], {at[0]}) * dense::at(in[1], {at[1]}));
    })};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnGer, promotes(vector("self", 3)), promotes(vector("vec2", 5)),
                           any_dtype(promotes(shaped(out("out"), {3, 5})))),
      .domain = {.everywhere = kFloatsAndDouble + kWhole + DTypes{ACL_BOOL},
                 .max_rank = 1,
                 .base_shape = {kN},
                 .arrange = arrange,
                 .samples = {{}, {{{"vec2", Shape{1}}}}},
                 .value_samples = {{{{"self", Shape{70}}, {"vec2", Shape{600}}}}}},
      .results = {.reference = outer, .bound = {.of_float = 0.501, .of_16_bits = 0.5001}},
      .error_inputs = {refused("self", "that is a matrix", of_shape({3, 1}), "[3, 1]"),
                       refused("out", "of another size", of_shape({5, 3}), "[3, 5]")},
      .words = {"outer product of two vectors", "两个向量的外积", "outer(vec1, vec2)", "ger"},
  });
}

void add_addr(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape& vec1 = a.shape("vec1");
    if (vec1.size() != 1) throw std::invalid_argument("addr multiplies vectors");
    const Shape product = {vec1[0], a.shape("vec2").at(0)};
    for (const char* name : {"self", "selfRef", "out"}) {
      if (a.has(name) && !a.is_set(name)) a.shape(name) = product;
    }
  };
  const auto results = [](bool magnitudes) {
    return [=](const Arguments& a, const Arrays& in) {
      const Number beta = a.number("beta"), alpha = a.number("alpha");
      const Shape product = {in[1].shape[0], in[2].shape[0]};
      const Array added = beta == 0 ? dense::full(product) : dense::expand(in[0], product);
      return Arrays{dense::generate(product, [&](const Shape& at) {
        const Number x = beta * dense::at(added, at);
        const Number y = alpha * dense::at(in[1], {at[0]}) * dense::at(in[2], {at[1]});
        return magnitudes ? std::abs(x) + std::abs(y) : held(a, x + y);
      })};
    };
  };
  const auto sample = [](double beta, double alpha, std::optional<Shape> self = std::nullopt) {
    Sample one{{{"beta", beta}, {"alpha", alpha}}};
    if (self) one.settings.emplace_back("self", *self);
    return one;
  };
  const Operator addr{
      .call =
          ACLGRAD_CALL(aclnnAddr, shaped(in("self"), {3, 5}), vector("vec1", 3), vector("vec2", 5),
                       number("beta", 1), number("alpha", 1), shaped(out("out"), {3, 5})),
      .domain = {.everywhere = kFloatsAndDouble + kWhole + DTypes{ACL_BOOL},
                 .max_rank = 1,
                 .base = "vec1",
                 .base_shape = {kN},
                 .arrange = arrange,
                 .samples = {sample(1, 1), sample(3, -2), sample(1, 2, Shape{5})},
                 .value_samples = {sample(0, 2), sample(2, 1, Shape{1})}},
      .results = {.reference = results(false),
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 3},
                  .magnitude = results(true)},
      .error_inputs = {refused("vec1", "that is a matrix", of_shape({3, 1}), "[3, 1]"),
                       refused("self", "that does not broadcast", of_shape({2, 5}), "[2, 5]")},
      .words = {"beta·self + alpha·(vec1 ⊗ vec2)", "beta·self + alpha·(vec1 ⊗ vec2)",
                "addr(c, vec1, vec2, beta, alpha)", "addr"}};
  Operator in_place = in_place_of(addr, ACLGRAD_CALL(aclnnInplaceAddr));
  std::get<TensorSpec>(in_place.call.parameters.front().spec).any_shape = false;
  all.insert(all.end(), {addr, in_place});
}

// ---- Cross products -----------------------------------------------------------------------------

template <bool kMagnitudes>
Arrays cross(const Arguments& a, const Arrays& in) {
  const Shape& shape = a.shape("out");
  const size_t axis = axis_of(a, shape);
  const Array left = dense::expand(in[0], shape), right = dense::expand(in[1], shape);
  return {dense::generate(shape, [&](const Shape& at) {
    const auto element = [&](const Array& of, int64_t step) {
      Shape place = at;
      place[axis] = (at[axis] + step) % 3;
      return dense::at(of, place);
    };
    const Number x = element(left, 1) * element(right, 2);
    const Number y = element(left, 2) * element(right, 1);
    return kMagnitudes ? std::abs(x) + std::abs(y) : held(a, x - y);
  })};
}

void add_cross(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape& self = a.shape("self");
    if (self.empty() || self[axis_of(a, self)] != 3) {
      throw std::invalid_argument("vectors of cross products have three elements");
    }
    if (!a.is_set("other")) a.shape("other") = self;
    a.shape("out") = dense::broadcast_shape(self, a.shape("other"));
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnLinalgCross, promotes(shaped(in("self"), {2, 3})),
                           promotes(shaped(in("other"), {2, 3})), integer("dim", -1),
                           any_dtype(promotes(shaped(out("out"), {2, 3})))),
      .domain = {.everywhere = kFloatsAndDouble + kWhole + DTypes{ACL_COMPLEX64, ACL_COMPLEX128},
                 .grows = false,
                 .base_shape = {kN, 3, 4},
                 .arrange = arrange,
                 .samples = {{{{"dim", 1.0}}},
                             {{{"dim", -1.0}, {"self", Shape{kN, 3}}}},
                             {{{"dim", -2.0}, {"other", Shape{3, 1}}}}},
                 .value_samples = {{{{"dim", 0.0}, {"self", Shape{3, 700}}}},
                                   {{{"dim", 0.0}, {"self", Shape{3}}}}}},
      .results = {.reference = cross<false>,
                  .complex = Complex::kBilinear,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 3},
                  .magnitude = cross<true>},
      .error_inputs =
          {bad_dim(2),
           bad_dim(-3),
           {.what = "without dimensions",
            .changes = {{"out", of_shape({})}, {"self", of_shape({})}, {"other", of_shape({})}},
            .words = {"at least 1"}},
           {.what = "of two elements",
            .changes = {{"self", of_shape({3, 2})},
                        {"other", of_shape({3, 2})},
                        {"out", of_shape({3, 2})}},
            .words = {"3 elements"}}},
      .words = {"cross products of vectors of three elements along dim", "沿 dim 的三维向量叉积",
                "cross(vec1, vec2, dim)", "linalg_cross"},
  });
}

// ---- Diagonals ----------------------------------------------------------------------------------

void add_diag(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape& self = a.shape("self");
    const auto diagonal = static_cast<int64_t>(a.number("diagonal"));
    const int64_t above = std::max<int64_t>(diagonal, 0), below = std::max<int64_t>(-diagonal, 0);
    if (self.size() == 1) {
      a.shape("out") = {self[0] + above + below, self[0] + above + below};
    } else if (self.size() == 2) {
      a.shape("out") = {std::max<int64_t>(0, std::min(self[0] - below, self[1] - above))};
    } else {
      throw std::invalid_argument("diagonals are of matrices");
    }
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const auto diagonal = static_cast<int64_t>(a.number("diagonal"));
    const int64_t above = std::max<int64_t>(diagonal, 0), below = std::max<int64_t>(-diagonal, 0);
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& at) -> Number {
      if (at.size() == 1) return dense::at(in[0], {at[0] + below, at[0] + above});
      return at[1] - at[0] == diagonal ? dense::at(in[0], {at[0] - below}) : 0;
    })};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnDiag, shaped(in("self"), {4}), integer("diagonal", 0),
                           shaped(out("out"), {4, 4})),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .max_rank = 2,
                 .base_shape = {kN},
                 .arrange = arrange,
                 .samples = {{},
                             {{{"diagonal", 2.0}}},
                             {{{"diagonal", -3.0}}},
                             {{{"self", Shape{kN, 5}}}},
                             {{{"self", Shape{kN, 5}}, {"diagonal", -2.0}}},
                             {{{"self", Shape{4, kN}}, {"diagonal", 1.0}}}},
                 .value_samples = {{{{"self", Shape{3, 5}}, {"diagonal", 9.0}}},
                                   {{{"self", Shape{0}}, {"diagonal", 2.0}}},
                                   {{{"self", Shape{300}}, {"diagonal", -1.0}}}}},
      .results = {.reference = reference, .complex = Complex::kParts, .bound = kExact},
      .error_inputs = {refused("self", "of rank 3", of_shape({2, 2, 2}), "has 3"),
                       refused("self", "of rank 0", of_shape({}), "at least 1"),
                       wrong_number("diagonal", 1, "[5, 5]"),
                       wrong_number("diagonal", INT64_MIN, "must have")},
      .words = {"a matrix of a diagonal, or the diagonal of a matrix",
                "由向量作对角矩阵，或取对角线", "diag(x, diagonal)", "diag"},
  });
}

// ---- Einstein's sums ----------------------------------------------------------------------------

struct Einsum {
  const char* equation;
  Shape first, second;
};
const std::vector<Einsum> kEinsums = {{"ij,jk->ik", {kN, 4}, {4, 3}},
                                      {"a,b->ab", {kN}, {5}},
                                      {"abcd,abced->abce", {2, 3, 2, 4}, {2, 3, 2, 5, 4}},
                                      {"ij, ij -> ", {kN, 4}, {kN, 4}},
                                      {"bij,bkj->bik", {2, kN, 3}, {2, 4, 3}},
                                      {"ijk,jil->kl", {3, 4, 5}, {4, 3, 2}},
                                      {"ij,k->kj", {3, 4}, {5}},
                                      {"xyZ,yx->Z", {3, 4, 2}, {4, 3}},
                                      {",a->a", {}, {kN}},
                                      {"abi,cdi->acbd", {2, 3, 4}, {3, 2, 4}}};

WordSpec equations() {
  WordSpec words;
  for (const Einsum& each : kEinsums) words.words.push_back(each.equation);
  return words;
}

// Letters of the operands and of the result.
std::vector<std::string> letters_of(const Arguments& a) {
  const auto which = static_cast<size_t>(a.number("equation"));
  std::vector<std::string> parts(1);
  for (const char c : std::string(kEinsums[which].equation)) {
    if (c == ',' || c == '>') parts.emplace_back();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) parts.back() += c;
  }
  return parts;
}

void arrange_einsum(Arguments& a) {
  const std::vector<std::string> letters = letters_of(a);
  std::map<char, int64_t> sizes;
  for (size_t k = 0; k < 2; ++k) {
    const Shape& shape = a.shape(k == 0 ? "tensors[0]" : "tensors[1]");
    if (shape.size() != letters[k].size()) throw std::invalid_argument("not of that equation");
    for (size_t i = 0; i < shape.size(); ++i) {
      if (!sizes.emplace(letters[k][i], shape[i]).second && sizes[letters[k][i]] != shape[i]) {
        throw std::invalid_argument("of another size than that letter");
      }
    }
  }
  Shape out;
  for (const char c : letters[2]) out.push_back(sizes[c]);
  a.shape("out") = out;
}

template <bool kMagnitudes>
Arrays einsum(const Arguments& a, const Arrays& in) {
  const std::vector<std::string> letters = letters_of(a);
  std::string summed;
  Shape sizes;
  for (size_t k = 0; k < 2; ++k) {
    for (size_t i = 0; i < letters[k].size(); ++i) {
      const char c = letters[k][i];
      if ((summed + letters[2]).find(c) != std::string::npos) continue;
      summed += c;
      sizes.push_back(in[k].shape[i]);
    }
  }
  return {dense::generate(a.shape("out"), [&](const Shape& at) {
    Number sum = 0;
    dense::generate(sizes, [&](const Shape& over) {
      Number product = 1;
      for (size_t k = 0; k < 2; ++k) {
        Shape place;
        for (const char c : letters[k]) {
          const size_t kept = letters[2].find(c);
          place.push_back(kept != std::string::npos ? at[kept] : over[summed.find(c)]);
        }
        product *= dense::at(in[k], place);
      }
      return sum += dense::term<kMagnitudes>(product);
    });
    return kMagnitudes ? sum : held(a, sum);
  })};
}

void add_einsum(std::vector<Operator>& all) {
  std::vector<Sample> samples;
  for (size_t i = 0; i < kEinsums.size(); ++i) {
    samples.push_back({{{"equation", static_cast<double>(i)},
                        {"tensors[0]", kEinsums[i].first},
                        {"tensors[1]", kEinsums[i].second}}});
  }
  const auto of = [](double equation, Shape first, Shape second) {
    return Sample{{{"equation", equation},
                   {"tensors[0]", std::move(first)},
                   {"tensors[1]", std::move(second)}}};
  };
  const auto equation = [](const char* text) {
    return refused("equation", std::string("\"") + text + "\"", WordSpec{{text}}, text);
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnEinsum, member(shaped(in("tensors[0]"), {2, 4}), "tensors"),
                           member(shaped(in("tensors[1]"), {4, 3}), "tensors"),
                           no_option(declared({"equation", equations()}, "const char*")),
                           shaped(out("out"), {2, 3})),
      .domain = {.everywhere = kFloatsAndDouble + kWhole,
                 .base_shape = {kN, 4},
                 .arrange = arrange_einsum,
                 .samples = samples,
                 .value_samples = {of(0, {3, 0}, {0, 2}), of(0, {70, 300}, {300, 40}),
                                   of(5, {30, 40, 5}, {40, 30, 7}), of(5, {3, 0, 5}, {0, 3, 7})}},
      .results = {.reference = einsum<false>,
                  .bound = {.of_float = 3, .of_16_bits = 0.51},
                  .roundings =
                      [](const Arguments& a) {
                        return static_cast<double>(count_of(a.shape("tensors[0]")));
                      },
                  .magnitude = einsum<true>},
      .error_inputs = {equation("ij,jk"), equation("ii,jk->ik"), equation("ij,jk->il"),
                       equation("...j,jk->...k"), equation("ij->ji"), equation("ij,jk,kl->il"),
                       refused("tensors[1]", "of another size", of_shape({3, 3}), "[3, 3]"),
                       refused("equation", "of other ranks", WordSpec{{"ijk,kl->ijl"}}, "ijk")},
      .words = {"products of two tensors, summed over what the equation leaves out",
                "按方程对两个张量的乘积求和", "", "einsum"},
  });
}

}  // namespace products_of_linalg
}  // namespace

FamilyContracts linalg_contracts() {
  FamilyContracts family{{"Linear algebra", "线性代数"}, {}};
  products_of_linalg::add_ger(family.operators);
  products_of_linalg::add_addr(family.operators);
  products_of_linalg::add_cross(family.operators);
  products_of_linalg::add_diag(family.operators);
  products_of_linalg::add_einsum(family.operators);
  add_matrix_decompositions(family.operators);
  return family;
}

}  // namespace aclgrad::contract
