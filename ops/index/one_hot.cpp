// SPDX-License-Identifier: Apache-2.0
// aclnnOneHot.
#include "aclnnop/aclnn_one_hot.h"

#include <complex>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/iterate.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::one_hot {
namespace {

enum : size_t { kSelf, kClasses, kOn, kOff, kAxis, kOut };

constexpr DtypeSet kIntegers{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};

// Of out's dimensions, that of the classes.
size_t axis(const Arguments& arguments) {
  const int64_t given = arguments.integer(kAxis);
  return given == -1 ? arguments.shape(kSelf).size() : static_cast<size_t>(given);
}

// The numbers with another one at the place of the classes.
Dims with_classes(const Arguments& arguments, const Dims& numbers, int64_t classes) {
  Dims all;
  for (size_t d = 0; d <= numbers.size(); ++d) {
    if (d == axis(arguments)) all.push_back(classes);
    if (d < numbers.size()) all.push_back(numbers[d]);
  }
  return all;
}

Dims out_shape(const Arguments& arguments) {
  return with_classes(arguments, arguments.shape(kSelf), arguments.integer(kClasses));
}

Rule axis_is_in_out() {
  return [](const Arguments& arguments) {
    const auto rank = static_cast<int64_t>(arguments.shape(kSelf).size());
    return integer_between(kAxis, -1, rank)(arguments);
  };
}

const OperatorSpec kSpec{
    "aclnnOneHot",
    {input("self"), attribute("numClasses"), input("onValue"), input("offValue"), attribute("axis"),
     output("out")},
    Rules{not_null({kSelf, kOn, kOff, kOut}), dtype_in(kSelf, kIntegers),
          dtype_in(kOut, kAllDtypes), same_dtype({kOn, kOff}, kOut), max_rank(kSelf, 7),
          max_rank({kOn, kOff}), has_one_element(kOn), has_one_element(kOff), axis_is_in_out(),
          has_shape_of(kOut, out_shape, given({kClasses, kAxis}))}};

// In a compute type.
template <class T>
Plan plan_in(const Arguments& arguments) {
  constexpr auto kGrain = static_cast<int64_t>(32 * kBlock);
  const Dims& shape = arguments.shape(kOut);
  // Self along the classes, and the number of a class, in the order of out.
  Elements self(arguments, kSelf);
  self.index = {shape, with_classes(arguments, arguments.strides(kSelf), 0)};
  const StridedIndex numbers(
      shape, with_classes(arguments, Dims::filled(arguments.shape(kSelf).size(), 0), 1));
  return {[=, out = Elements(arguments, kOut),
           dtype = arguments.dtype(kOut)](const Run& run) -> aclError {
    T on, off;
    load(run.data(kOn), dtype, 1, &on, 1);
    load(run.data(kOff), dtype, 1, &off, 1);
    parallel_pieces(out.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      int64_t chosen[kBlock];
      T block[kBlock];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        self.read(run, first, stop, chosen);
        int64_t at = 0;
        numbers.for_runs(first, stop, [&](int64_t number, int64_t step, int64_t n) {
          for (int64_t i = 0; i < n; ++i, ++at, number += step) {
            block[at] = chosen[at] == number ? on : off;
          }
        });
        out.write(run, block, first, stop);
      });
    });
    return ACL_SUCCESS;
  }};
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const aclDataType dtype = arguments.dtype(kOut);
  if (is_complex(dtype)) return plan_in<std::complex<double>>(arguments);
  return is_floating(dtype) ? plan_in<double>(arguments) : plan_in<int64_t>(arguments);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnOneHot, kSpec, plan)

}  // namespace aclgrad::ops::one_hot
