// SPDX-License-Identifier: Apache-2.0
// Inverses, determinants, triangular systems, QR decompositions. Errors count on the scale to which
// a rounding of the matrix changes the result.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_inverse.h"
#include "aclnnop/aclnn_linalg_qr.h"
#include "aclnnop/aclnn_slogdet.h"
#include "aclnnop/aclnn_triangular_solve.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {
namespace matrices {

const DTypes kFloatAndDouble = {ACL_FLOAT, ACL_DOUBLE};

// ---- Single matrices ----------------------------------------------------------------------------

Array magnitudes_of(const Array& a) {
  return dense::map(a, [](Number x) { return std::abs(x); });
}

Array matrix(int64_t rows, int64_t columns, const std::function<Number(int64_t, int64_t)>& f) {
  return dense::generate({rows, columns}, [&](const Shape& at) { return f(at[0], at[1]); });
}
Number& element(Array& a, int64_t i, int64_t j) {
  return a.values[static_cast<size_t>(i * a.shape[1] + j)];
}
Array transposed(const Array& a) {
  return matrix(a.shape[1], a.shape[0], [&](int64_t i, int64_t j) { return dense::at(a, {j, i}); });
}
Array identity(int64_t n) {
  return matrix(n, n, [](int64_t i, int64_t j) { return i == j ? 1 : 0; });
}

// By Gauss and Jordan, with the largest element of a column as pivot; the pivots' product is the
// determinant, up to the sign.
struct Elimination {
  Array inverse;
  std::vector<Number> pivots;
  int sign = 1;
};
Elimination eliminate(Array a) {
  const int64_t n = a.shape[0];
  Elimination result{identity(n), {}};
  Array& inverse = result.inverse;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::abs(element(a, i, k)) > std::abs(element(a, pivot, k))) pivot = i;
    }
    if (pivot != k) result.sign = -result.sign;
    const Number by = element(a, pivot, k);
    result.pivots.push_back(by);
    for (int64_t j = 0; j < n; ++j) {
      std::swap(element(a, k, j), element(a, pivot, j));
      std::swap(element(inverse, k, j), element(inverse, pivot, j));
      element(a, k, j) /= by;
      element(inverse, k, j) /= by;
    }
    for (int64_t i = 0; i < n; ++i) {
      const Number factor = element(a, i, k);
      if (i == k) continue;
      for (int64_t j = 0; j < n; ++j) {
        element(a, i, j) -= factor * element(a, k, j);
        element(inverse, i, j) -= factor * element(inverse, k, j);
      }
    }
  }
  return result;
}
Array inverse_of(const Array& a) { return eliminate(a).inverse; }

// |inverse| |a|: by how much roundings of a grow.
Array growth_of(const Array& a) {
  return dense::matmul(magnitudes_of(inverse_of(a)), magnitudes_of(a));
}

// ---- Tensors of them ----------------------------------------------------------------------------

constexpr size_t kMatrix = 2;  // dimensions

Shape sizes_of(const Shape& shape) {
  if (shape.size() < kMatrix) throw std::invalid_argument("the tensor has no matrices");
  return {shape.end() - kMatrix, shape.end()};
}
Shape batch_of(const Shape& shape) { return {shape.begin(), shape.end() - kMatrix}; }
Shape with_sizes(Shape batch, std::initializer_list<int64_t> sizes) {
  batch.insert(batch.end(), sizes);
  return batch;
}

void require_squares(const Shape& shape) {
  const Shape sizes = sizes_of(shape);
  if (sizes[0] != sizes[1]) throw std::invalid_argument("the matrices are not square");
}

Array nth_matrix(const Array& all, int64_t number) {
  const Shape sizes = sizes_of(all.shape);
  const auto begin = all.values.begin() + number * count_of(sizes);
  return {sizes, {begin, begin + count_of(sizes)}};
}

// What f gives for each matrix, or pair of them, in tensors of these shapes.
using OfMatrices = std::function<Arrays(const Arrays& matrices)>;
Arrays for_each_matrix(const Arrays& in, const std::vector<Shape>& shapes, const OfMatrices& f) {
  Arrays results;
  for (const Shape& shape : shapes) results.push_back({shape, {}});
  for (int64_t i = 0; i < count_of(batch_of(in[0].shape)); ++i) {
    Arrays matrices;
    for (const Array& each : in) matrices.push_back(nth_matrix(each, i));
    const Arrays given = f(matrices);
    for (size_t k = 0; k < results.size(); ++k) {
      results[k].values.insert(results[k].values.end(), given[k].values.begin(),
                               given[k].values.end());
    }
  }
  return results;
}

ErrorInput not_square(const char* name) {
  return refused(name, "of more columns than rows", of_shape({2, 1, 3}), "as many rows");
}

constexpr Bound kConditioned{.of_float = 0.51, .of_16_bits = 0.501, .of_double = 64};

// ---- Inverses and determinants ------------------------------------------------------------------

// Numbers without an order, so that no matrix of them is singular: views that repeat elements are,
// and tests give none to a tensor with elements of its own.
Parameter regular(Parameter self) {
  constexpr uint32_t kCount = 997;
  std::vector<Number>& elements = std::get<TensorSpec>(self.spec).elements;
  uint32_t state = 1;
  for (uint32_t i = 0; i < kCount; ++i) {
    state = state * 1664525U + 1013904223U;
    elements.push_back(static_cast<Number>(state >> 8) / (1 << 21) - 4);
  }
  return self;
}

void add_inverse(std::vector<Operator>& all) {
  const auto results = [](bool magnitudes) {
    return [=](const Arguments&, const Arrays& in) {
      return for_each_matrix(in, {in[0].shape}, [=](const Arrays& matrices) {
        const Array inverse = inverse_of(matrices[0]);
        if (!magnitudes) return Arrays{inverse};
        return Arrays{dense::matmul(growth_of(matrices[0]), magnitudes_of(inverse))};
      });
    };
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInverse, regular(shaped(in("self"), {2, 1, 1})),
                           shaped(out("out"), {2, 1, 1})),
      .domain = {.everywhere = kFloatsAndDouble,
                 .grows = false,
                 .base_shape = {kN, 3, 3},
                 .arrange =
                     [](Arguments& a) {
                       require_squares(a.shape("self"));
                       a.shape("out") = a.shape("self");
                     },
                 .value_samples = {{{{"self", Shape{1, 1}}}},
                                   {{{"self", Shape{0, 0}}}},
                                   {{{"self", Shape{2, 0, 3, 3}}}},
                                   {{{"self", Shape{3, 17, 17}}}},
                                   {{{"self", Shape{70, 70}}}}}},
      .results = {.reference = results(false), .bound = kConditioned, .magnitude = results(true)},
      .error_inputs = {not_square("self"), refused("self", "of rank 1", of_shape({4}), "[4]")},
      .words = {"inverse matrices", "逆矩阵", "inverse(matrix)", "inverse"},
  });
}

// The logarithm and the sign, the other way round.
Arrays determinant(const Array& a, bool magnitudes) {
  const Elimination of = eliminate(a);
  Number sign = of.sign, log = 0, scale = 0;
  for (const Number pivot : of.pivots) {
    if (pivot < 0) sign = -sign;
    log += std::log(std::abs(pivot));
    scale += std::abs(std::log(std::abs(pivot)));
  }
  if (magnitudes) {
    for (const Number each : growth_of(a).values) scale += each;
  }
  return {dense::full({}, sign), dense::full({}, magnitudes ? scale : log)};
}

void add_slogdet(std::vector<Operator>& all) {
  const auto results = [](bool magnitudes) {
    return [=](const Arguments& a, const Arrays& in) {
      return for_each_matrix(
          in, {a.shape("signOut"), a.shape("logOut")},
          [=](const Arrays& matrices) { return determinant(matrices[0], magnitudes); });
    };
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSlogdet, shaped(in("self"), {2, 1, 1}), shaped(out("signOut"), {2}),
                           shaped(out("logOut"), {2})),
      .domain = {.everywhere = kFloatAndDouble,
                 .from_a2_on = {},
                 .grows = false,
                 .base_shape = {kN, 3, 3},
                 .arrange =
                     [](Arguments& a) {
                       require_squares(a.shape("self"));
                       const Shape batch = batch_of(a.shape("self"));
                       if (!a.is_set("signOut")) a.shape("signOut") = batch;
                       if (!a.is_set("logOut")) a.shape("logOut") = batch;
                     },
                 .value_samples = {{{{"self", Shape{1, 1}}}},
                                   {{{"self", Shape{4, 4}}, {"signOut", Shape{1}}}},
                                   {{{"self", Shape{0, 3, 3}}}},
                                   {{{"self", Shape{3, 17, 17}}}},
                                   {{{"self", Shape{70, 70}}}}}},
      .results = {.reference = results(false), .bound = kConditioned, .magnitude = results(true)},
      .error_inputs = {not_square("self"),
                       refused("self", "of rank 1", of_shape({4}), "[4]"),
                       {.what = "without rows",
                        .changes = {{"self", of_shape({2, 0, 0})}},
                        .words = {"[2, 0, 0]"}},
                       refused("signOut", "of another batch", of_shape({3}), "[3]")},
      .words = {"sign and logarithm of determinants", "行列式的符号与对数", "slogdet(matrix)",
                "slogdet"},
  });
}

// ---- Triangles ----------------------------------------------------------------------------------

// op(A) as it is read.
Array triangle_of(const Arguments& a, const Array& matrix_a) {
  const bool upper = a.number("upper") != 0, unit = a.number("unitriangular") != 0;
  const Array read =
      matrix(matrix_a.shape[0], matrix_a.shape[1], [&](int64_t i, int64_t j) -> Number {
        if (i == j) return unit ? 1 : dense::at(matrix_a, {i, j});
        return (i < j) == upper ? dense::at(matrix_a, {i, j}) : 0;
      });
  return a.number("transpose") != 0 ? transposed(read) : read;
}

void add_triangular_solve(std::vector<Operator>& all) {
  const auto results = [](bool magnitudes) {
    return [=](const Arguments& a, const Arrays& in) {
      return for_each_matrix(in, {in[0].shape, in[1].shape}, [&](const Arrays& matrices) {
        const Array triangle = triangle_of(a, matrices[1]);
        const Array x = dense::matmul(inverse_of(triangle), matrices[0]);
        if (!magnitudes) return Arrays{x, matrices[1]};
        return Arrays{dense::matmul(growth_of(triangle), magnitudes_of(x)), matrices[1]};
      });
    };
  };
  const auto arrange = [](Arguments& a) {
    const Shape left = a.shape("A");
    require_squares(left);
    const int64_t columns = a.is_set("self") ? a.shape("self").back() : 2;
    a.shape("self") = with_sizes(batch_of(left), {left.back(), columns});
    a.shape("xOut") = a.shape("self");
    a.shape("mOut") = left;
  };
  const auto sample = [](double upper, double transpose, double unit) {
    return Sample{{{"upper", upper}, {"transpose", transpose}, {"unitriangular", unit}}};
  };
  std::vector<Sample> large = {sample(0, 0, 0), sample(1, 0, 1), sample(1, 1, 0), sample(0, 1, 1)};
  for (Sample& each : large) each.settings.emplace_back("A", Shape{2, 30, 30});
  large.front().settings.emplace_back("self", Shape{2, 30, 600});
  large.push_back({{{"A", Shape{3, 3}}, {"self", Shape{3, 0}}}});
  large.push_back({{{"A", Shape{2, 0, 0}}}});
  all.push_back({
      .call = ACLGRAD_CALL(aclnnTriangularSolve, shaped(in("self"), {2, 3, 2}),
                           shaped(in("A", 1, 4), {2, 3, 3}), flag("upper"), flag("transpose"),
                           flag("unitriangular"), shaped(out("xOut"), {2, 3, 2}),
                           shaped(out("mOut"), {2, 3, 3})),
      .domain = {.everywhere = kFloatAndDouble,
                 .from_a2_on = {},
                 .base = "A",
                 .base_shape = {kN, 3, 3},
                 .arrange = arrange,
                 .samples = {sample(0, 0, 0), sample(1, 0, 0), sample(0, 1, 0), sample(1, 1, 0),
                             sample(0, 0, 1), sample(1, 0, 1), sample(0, 1, 1), sample(1, 1, 1)},
                 .value_samples = large},
      .results = {.reference = results(false), .bound = kConditioned, .magnitude = results(true)},
      .error_inputs = {not_square("A"), refused("self", "of rank 1", of_shape({3}), "[3]"),
                       refused("self", "of other rows", of_shape({2, 4, 2}), "[2, 4, 2]"),
                       refused("self", "of another batch", of_shape({3, 3, 2}), "[3, 3, 2]")},
      .words = {"solutions of systems with triangular matrices", "三角方程组的解",
                "solve_triangular(matrix, b, options)", "triangular_solve"},
  });
}

// ---- QR -----------------------------------------------------------------------------------------

struct Factors {
  Array q, r;
};

// With whole reflections.
Factors qr_of(const Array& a) {
  const int64_t rows = a.shape[0], columns = a.shape[1];
  Factors result{identity(rows), a};
  for (int64_t k = 0; k < std::min(rows, columns); ++k) {
    Array v = matrix(rows, 1, [&](int64_t i, int64_t) -> Number {
      return i < k ? 0 : dense::at(result.r, {i, k});
    });
    Number below = 0, all_squares = 0;
    for (int64_t i = k; i < rows; ++i) {
      const Number square = element(v, i, 0) * element(v, i, 0);
      all_squares += square;
      if (i > k) below += square;
    }
    if (below == 0) continue;
    Number& first = element(v, k, 0);
    first += std::copysign(std::sqrt(all_squares), first);
    Number of_v = 0;
    for (const Number each : v.values) of_v += each * each;
    const Array reflection = matrix(rows, rows, [&](int64_t i, int64_t j) {
      return (i == j ? 1 : 0) - 2 * element(v, i, 0) * element(v, j, 0) / of_v;
    });
    result.q = dense::matmul(result.q, reflection);
    result.r = dense::matmul(reflection, result.r);
    for (int64_t i = k + 1; i < rows; ++i) element(result.r, i, k) = 0;
  }
  return result;
}

Number length_of(const Array& a) { return norm_of(a.values, 2); }

// The condition of the first columns, by which roundings of a may grow.
Number condition_of(const Factors& factors) {
  const int64_t size = std::min(factors.r.shape[0], factors.r.shape[1]);
  const Array block = matrix(size, size, [&](int64_t i, int64_t j) {
    return dense::at(factors.r, {i, j});
  });
  return length_of(block) * length_of(inverse_of(block));
}

struct QrSizes {
  int64_t rows, columns, between;
};
QrSizes qr_sizes(const Arguments& a) {
  const Shape sizes = sizes_of(a.shape("self"));
  return {sizes[0], sizes[1], a.number("mode") == 1 ? sizes[0] : std::min(sizes[0], sizes[1])};
}

void add_qr(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const QrSizes sizes = qr_sizes(a);
    const Shape batch = batch_of(a.shape("self"));
    a.shape("R") = with_sizes(batch, {sizes.between, sizes.columns});
    a.shape("Q") =
        a.number("mode") == 2 ? Shape{0} : with_sizes(batch, {sizes.rows, sizes.between});
  };
  const auto results = [](bool magnitudes) {
    return [=](const Arguments& a, const Arrays& in) {
      const QrSizes sizes = qr_sizes(a);
      const bool has_q = a.number("mode") != 2;
      return for_each_matrix(in, {a.shape("Q"), a.shape("R")}, [&](const Arrays& matrices) {
        const Factors factors = qr_of(matrices[0]);
        const Number condition = magnitudes ? condition_of(factors) : 0;
        const Number size = condition * length_of(matrices[0]);
        const Array q = matrix(sizes.rows, has_q ? sizes.between : 0, [&](int64_t i, int64_t j) {
          return magnitudes ? condition : dense::at(factors.q, {i, j});
        });
        const Array r = matrix(sizes.between, sizes.columns, [&](int64_t i, int64_t j) -> Number {
          if (i > j) return 0;
          return magnitudes ? size : dense::at(factors.r, {i, j});
        });
        return Arrays{q, r};
      });
    };
  };
  const auto sample = [](double mode, std::optional<Shape> self = std::nullopt) {
    Sample one{{{"mode", mode}}};
    if (self) one.settings.emplace_back("self", *self);
    return one;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnLinalgQr, shaped(in("self"), {2, 3, 4}), integer("mode", 0),
                           shaped(out("Q"), {2, 3, 3}), shaped(out("R"), {2, 3, 4})),
      .domain = {.everywhere = kFloatAndDouble,
                 .from_a2_on = {},
                 .base_shape = {kN, 3, 4},
                 .arrange = arrange,
                 .samples = {sample(0), sample(1), sample(2), sample(0, Shape{2, 5, 3}),
                             sample(1, Shape{2, 5, 3}), sample(2, Shape{5, 3})},
                 .value_samples = {sample(0, Shape{1, 1}), sample(0, Shape{60, 60}),
                                   sample(0, Shape{90, 20}), sample(1, Shape{40, 9}),
                                   sample(0, Shape{9, 40}), sample(0, Shape{5, 1})}},
      .results = {.reference = results(false), .bound = kConditioned, .magnitude = results(true)},
      .error_inputs = {wrong_number("mode", 3, "[0, 2]"),
                       wrong_number("mode", -1, "[0, 2]"),
                       refused("self", "of rank 1", of_shape({4}), "[4]"),
                       {.what = "without elements",
                        .changes = {{"self", of_shape({2, 0, 4})}},
                        .words = {"[2, 0, 4]"}}},
      .words = {"QR decomposition by reflections", "QR 分解（Householder）", "qr(matrix)",
                "linalg_qr"},
  });
}

}  // namespace matrices
}  // namespace

void add_matrix_decompositions(std::vector<Operator>& all) {
  matrices::add_inverse(all);
  matrices::add_slogdet(all);
  matrices::add_triangular_solve(all);
  matrices::add_qr(all);
}

}  // namespace aclgrad::contract
