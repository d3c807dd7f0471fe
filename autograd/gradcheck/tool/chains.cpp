// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/chains.h"

#include <algorithm>
#include <map>
#include <set>

#include "gradcheck/core/checkable.h"
#include "gradcheck/tool/chain.h"

namespace aclgrad::gradcheck::detail {
namespace {

using contract::Arguments;
using Add = void (*)(const LibraryPointer& library, const Arguments& arguments, Target& target);

// What they have in common: a gradient for every floating input, in DOUBLE too.
void give(Target& t, Backward backward) {
  t.candidate.bound = {.of_float = 0.5, .of_16_bits = 0.5, .inner = 0.05};  // rounded once
  t.candidate.masks = t.candidate.inputs().size() > 1;
  t.candidate.function = std::move(backward);
  t.gradient_dtypes = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
  t.calls = Chain::calls();
}

// The same of products of matrices, which know no DOUBLE.
void give_products(Target& t, Backward backward) {
  give(t, std::move(backward));
  t.gradient_dtypes = kFloats;
  t.calls = Chain::calls(true);
}

const aclScalar* exactly(const LibraryPointer& library, Number factor) {
  return library->scalar(factor, DType::float64);
}

// ---- Arithmetic ---------------------------------------------------------------------------------

// Sums: the gradient for self, and a factor times it for other, each summed over what was repeated.
void add_sum(const LibraryPointer& library, const Arguments& a, Target& t, Number factor) {
  const aclScalar* scalar = exactly(library, factor);
  give(t, from_chain(library, [=](Chain& chain) {
         const View g = chain.input(0);
         if (chain.wants(0)) chain.sum_to(g, chain.output(0));
         if (!chain.wants(1)) return;
         const View to = chain.output(1);
         if (factor == 1) return chain.sum_to(g, to);
         const bool whole = to.shape == g.shape;
         const View product = whole ? to : chain.temporary(g.dtype, g.shape);
         chain.scale(g, scalar, product);
         if (!whole) chain.sum_to(product, to);
       }));
  // What is summed was rounded before, unless it was the gradient itself.
  if (a.shape("self") != a.shape("other") && factor != 1) t.candidate.bound.terms = 1;
}

void add(const LibraryPointer& library, const Arguments& a, Target& t) {
  add_sum(library, a, t, a.number("alpha"));
}

void sub(const LibraryPointer& library, const Arguments& a, Target& t) {
  add_sum(library, a, t, -a.number("alpha"));
}

void mul(const LibraryPointer& library, const Arguments& a, Target& t) {
  give(t, from_chain(library, [](Chain& chain) {
         const View g = chain.input(0);
         for (std::size_t k = 0; k < 2; ++k) {
           if (!chain.wants(k)) continue;
           const View to = chain.output(k);
           const bool whole = to.shape == g.shape;
           const View product = whole ? to : chain.temporary(g.dtype, g.shape);
           chain.multiply(g, chain.input(2 - k), product);
           if (!whole) chain.sum_to(product, to);
         }
       }));
  if (a.shape("self") != a.shape("other")) t.candidate.bound.terms = 1;
}

void add_number(const LibraryPointer& library, const Arguments&, Target& t) {
  give(t, from_chain(
              library, [](Chain& chain) { chain.copy(chain.input(0), chain.output(0)); }, false));
}

void muls(const LibraryPointer& library, const Arguments& a, Target& t) {
  const aclScalar* factor = exactly(library, a.number("other"));
  give(t, from_chain(
              library, [=](Chain& chain) { chain.scale(chain.input(0), factor, chain.output(0)); },
              false));
}

// ---- Movement and reductions --------------------------------------------------------------------

// The dtype of the gradient where it is not the one under test.
std::optional<DType> dtype_named(const Arguments& a, const char* name) {
  const auto dtype = a.dtype_of(name);
  return dtype ? std::optional(static_cast<DType>(*dtype)) : std::nullopt;
}

bool is_differentiable(std::optional<DType> into) { return !into || is_float(*into); }

void add_conversion(const LibraryPointer& library, Target& t, std::optional<DType> into) {
  if (!is_differentiable(into)) return;
  give(t, from_chain(library, [](Chain& chain) { chain.sum_to(chain.input(0), chain.output(0)); }));
}

void cast(const LibraryPointer& library, const Arguments& a, Target& t) {
  add_conversion(library, t, dtype_named(a, "dtype"));
}

void copy(const LibraryPointer& library, const Arguments& a, Target& t) {
  add_conversion(library, t, dtype_named(a, "selfRef"));
}

// The gradient of every sum for all of its terms; a mean's divided by their number.
void add_reduction(const LibraryPointer& library, const Arguments& a, Target& t, const char* list,
                   const char* keep, bool is_mean) {
  const std::optional<DType> into = dtype_named(a, "dtype");
  if (!is_differentiable(into)) return;
  const Dims shape = a.shape("self");
  const bool keeps = a.number(keep) != 0;
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::set<std::int64_t> dims;
  for (const std::int64_t dim : a.array(list)) dims.insert(dim < 0 ? dim + rank : dim);
  for (std::int64_t d = 0; a.array(list).empty() && d < rank; ++d) dims.insert(d);
  const auto terms = static_cast<Number>(count_of(shape)) /
                     static_cast<Number>(std::max<std::int64_t>(count_of(a.shape("out")), 1));
  const aclScalar* share = exactly(library, 1 / std::max<Number>(terms, 1));
  give(t, from_chain(library, [=](Chain& chain) {
         View g = chain.input(0);
         if (is_mean) {
           if (g.dtype != chain.output(0).dtype) {
             // Divided in the input's type, whatever that of the result is.
             const View same = chain.temporary(chain.output(0).dtype, g.shape);
             chain.copy(g, same);
             g = same;
           }
           const View scaled = chain.temporary(g.dtype, g.shape);
           chain.scale(g, share, scaled);
           g = scaled;
         }
         for (const std::int64_t d : dims) {
           if (!keeps && !shape.empty()) g = with_axis(g, static_cast<std::size_t>(d));
         }
         chain.copy(expanded(g, shape), chain.output(0));
       }));
  t.candidate.bound.inner = 1;
  if (is_mean) t.candidate.bound.terms = 1;  // the factor is rounded as the scaled gradient is
}

void reduce_sum(const LibraryPointer& library, const Arguments& a, Target& t) {
  add_reduction(library, a, t, "dims", "keepDims", false);
}

void mean(const LibraryPointer& library, const Arguments& a, Target& t) {
  add_reduction(library, a, t, "dim", "keepDim", true);
}

// ---- Products of matrices -----------------------------------------------------------------------

constexpr int kRoundsInputs = 2;  // the cubeMathType that takes FLOAT as FLOAT16

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

void matmul(const LibraryPointer& library, const Arguments& a, Target& t) {
  const Dims& self = a.shape("self");
  const Dims& mat2 = a.shape("mat2");
  const Dims& out = a.shape("out");
  require_checkable("the product", out);  // two small operands may have a huge one
  // The derivative of a rounding is nothing to ask for.
  if (a.number("cubeMathType") == kRoundsInputs) return;
  give_products(t, from_chain(library, matmul_gradients));
  const std::int64_t columns = mat2.size() < 2 ? 1 : mat2.back();
  const std::int64_t rows = self.size() < 2 ? 1 : self[self.size() - 2];
  const std::int64_t matrices = count_of(out) / std::max<std::int64_t>(rows * columns, 1);
  t.candidate.bound.inner = static_cast<double>(std::max(rows, columns) * matrices) + 2;
  t.candidate.bound.terms = std::max(self.size(), mat2.size()) > 2 ? 1 : 0;  // sums of products
}

void addmm(const LibraryPointer& library, const Arguments& a, Target& t) {
  if (a.number("cubeMathType") == kRoundsInputs) return;
  const aclScalar* beta = library->scalar(static_cast<float>(a.number("beta")));
  const aclScalar* alpha = library->scalar(static_cast<float>(a.number("alpha")));
  give_products(t, from_chain(library, [=](Chain& chain) { addmm_gradients(chain, beta, alpha); }));
  const Dims& out = a.shape("out");
  t.candidate.bound.inner = static_cast<double>(std::max(out[0], out[1])) + 3;
  t.candidate.bound.terms = 1;
}

}  // namespace

void add_chain(const LibraryPointer& library, Target& target) {
  static const std::map<std::string, Add> chains = {
      {"add", add},         {"sub", sub},         {"mul", mul},
      {"adds", add_number}, {"subs", add_number}, {"muls", muls},
      {"cast", cast},       {"copy", copy},       {"reduce_sum", reduce_sum},
      {"mean", mean},       {"matmul", matmul},   {"mm", matmul},
      {"addmm", addmm}};
  const auto found = chains.find(target.contract().words.check);
  if (found != chains.end()) found->second(library, target.candidate.forward, target);
}

}  // namespace aclgrad::gradcheck::detail
