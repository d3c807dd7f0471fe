// SPDX-License-Identifier: Apache-2.0
#include "tool/chains.h"

#include <map>

#include "tool/chain.h"

namespace aclgrad::gradcheck::detail {
namespace {

using contract::Arguments;
using Add = void (*)(const LibraryPointer& library, const Arguments& arguments, Subject& s);

// What they have in common: a gradient for every floating input, in DOUBLE too.
void give(Subject& s, Backward backward, bool with_matmul = false) {
  for (Input& input : s.checked.inputs) input.differentiable = true;
  s.checked.model = kRoundedOnce;
  s.checked.masks = s.checked.inputs.size() > 1;
  s.checked.backward = std::move(backward);
  s.gradient_dtypes = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
  s.calls = Chain::calls(with_matmul);
}

const aclScalar* exactly(const LibraryPointer& library, Number factor) {
  return library->scalar(factor, DType::float64);
}

// ---- Arithmetic ---------------------------------------------------------------------------------

// Sums: the gradient for self, and a factor times it for other, each summed over what was repeated.
void add_sum(const LibraryPointer& library, const Arguments& a, Subject& s, Number factor) {
  const aclScalar* scalar = exactly(library, factor);
  give(s, from_chain(library, [=](Chain& chain) {
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
  if (a.shape("self") != a.shape("other") && factor != 1) s.checked.model.terms = 1;
}

void add(const LibraryPointer& library, const Arguments& a, Subject& s) {
  add_sum(library, a, s, a.number("alpha"));
}

void sub(const LibraryPointer& library, const Arguments& a, Subject& s) {
  add_sum(library, a, s, -a.number("alpha"));
}

void mul(const LibraryPointer& library, const Arguments& a, Subject& s) {
  give(s, from_chain(library, [](Chain& chain) {
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
  if (a.shape("self") != a.shape("other")) s.checked.model.terms = 1;
}

void add_number(const LibraryPointer& library, const Arguments&, Subject& s) {
  give(s, from_chain(
              library, [](Chain& chain) { chain.copy(chain.input(0), chain.output(0)); }, false));
}

void muls(const LibraryPointer& library, const Arguments& a, Subject& s) {
  const aclScalar* factor = exactly(library, a.number("other"));
  give(s, from_chain(
              library, [=](Chain& chain) { chain.scale(chain.input(0), factor, chain.output(0)); },
              false));
}

}  // namespace

void add_chain(const LibraryPointer& library, const Arguments& arguments, Subject& s) {
  static const std::map<std::string, Add> chains = {{"add", add},         {"sub", sub},
                                                    {"mul", mul},         {"adds", add_number},
                                                    {"subs", add_number}, {"muls", muls}};
  const auto found = chains.find(arguments.op().check);
  if (found != chains.end()) found->second(library, arguments, s);
}

}  // namespace aclgrad::gradcheck::detail
