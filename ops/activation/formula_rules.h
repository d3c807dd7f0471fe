// SPDX-License-Identifier: Apache-2.0
// Operators that are one formula, as rows: what they take, and the kernel that their numbers make.
//
//   ACLGRAD_FORMULA(aclnnHardshrink, hardshrink_formula, forward({"lambd"}))
//   ACLGRAD_FORMULA(aclnnHardshrinkBackward, hardshrink_slope, backward({"lambd"}))
#pragma once

#include <vector>

#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {

// How an operator's tensors belong together.
enum class Tensors {
  kAlike,      // one dtype and one shape
  kConverted,  // one shape; the result is of the dtype that the inputs promote to, and converted
  kBroadcast   // as kConverted, and the inputs broadcast to the result's shape
};

struct FormulaRow {
  std::vector<Parameter> parameters;
  DtypeSet dtypes;
  Tensors tensors;
  std::vector<Rule> more = {};  // on attributes
  bool has_scalars = true;      // for its numbers, and not doubles
};

using Names = std::initializer_list<const char*>;

// self, numbers, out; selfRef, numbers; gradOutput, self, numbers, gradInput.
FormulaRow forward(Names numbers = {}, const DtypeSet& dtypes = kRealFloats,
                   std::vector<Rule> more = {}, Tensors tensors = Tensors::kAlike);
FormulaRow in_place(Names numbers = {}, const DtypeSet& dtypes = kRealFloats,
                    std::vector<Rule> more = {});
FormulaRow backward(Names numbers = {}, Tensors tensors = Tensors::kAlike);

// The checks of a row in the usual order: nulls, dtypes, ranks, shapes, attributes.
OperatorSpec formula_spec(const char* name, const FormulaRow& row);

// Every tensor and scalar is given.
Rule all_given();

// An operator's scalars and doubles in their order. Scalars are rounded to FLOAT, unless the dtype
// is DOUBLE; beside integers they are cut off and held within the dtype's range.
struct Numbers {
  aclDataType dtype;  // of the computation
  std::vector<double> values = {};

  double operator[](size_t i) const { return values[i]; }
};

// The inputs go through the kernel that `make` gives for the numbers.
Plan plan_formula(const Arguments& arguments, Kernel (*make)(const Numbers& numbers));

// Integers one by one.
template <class Function>
Kernel of_integers(Function function) {
  return IntegerKernel([function](const int64_t* const* in, int64_t* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = function(in[0][i]);
  });
}

// Two results of the same inputs, each by a kernel; no output may be an input.
FloatKernel both(const FloatKernel& first, const FloatKernel& second);

}  // namespace aclgrad::ops

// Both phases of an operator by its row, with the kernels that `make` gives, or a function of that
// kind which HWY_EXPORT has exported.
#define ACLGRAD_FORMULA_OF(name, make, ...)                                           \
  static const ::aclgrad::ops::OperatorSpec name##Spec =                              \
      ::aclgrad::ops::formula_spec(#name, __VA_ARGS__);                               \
  ACLGRAD_OPERATOR(name, name##Spec, [](const ::aclgrad::ops::Arguments& arguments) { \
    return ::aclgrad::ops::plan_formula(arguments, make);                             \
  })
#define ACLGRAD_FORMULA(name, exported, ...)                                 \
  ACLGRAD_FORMULA_OF(                                                        \
      name,                                                                  \
      [](const ::aclgrad::ops::Numbers& numbers) -> ::aclgrad::ops::Kernel { \
        return HWY_DYNAMIC_DISPATCH(exported)(numbers);                      \
      },                                                                     \
      __VA_ARGS__)
