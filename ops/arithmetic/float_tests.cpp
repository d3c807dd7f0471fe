// SPDX-License-Identifier: Apache-2.0
// Tests of numbers, and others in their place: aclnnIsFinite, aclnnIsInf, aclnnIsPosInf,
// aclnnIsNegInf, aclnnSignbit, aclnnIsClose, aclnnEqual, aclnnNanToNum, aclnnInplaceNanToNum.
#include <algorithm>
#include <atomic>

#include "aclnnop/aclnn_equal.h"
#include "aclnnop/aclnn_is_inf.h"
#include "aclnnop/aclnn_isclose.h"
#include "aclnnop/aclnn_isfinite.h"
#include "aclnnop/aclnn_isneginf.h"
#include "aclnnop/aclnn_isposinf.h"
#include "aclnnop/aclnn_nan_to_num.h"
#include "aclnnop/aclnn_signbit.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/logic_kernel.h"
#include "ops/arithmetic/rounding_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::float_tests {
namespace {

using namespace operands;

// ---- Tests of elements --------------------------------------------------------------------------

OperatorSpec test_of_any(const char* name, Form form) {
  return of_one(name, form, kNumbersAndBool, Result::kTruth);
}
OperatorSpec test_of_real(const char* name, Form form) {
  return of_one(name, form, kRealNumbersAndBool, Result::kTruth);
}

template <Test kind>
Plan plan_test(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(kSelf);
  return plan_arithmetic(arguments, out, {kSelf}, dtype, test(kind, dtype));
}

enum : size_t { kRelative = 2, kAbsolute, kEqualNan };

OperatorSpec closeness_of_two(const char* name, Form form) {
  return of_two(name, form, kRealNumbersAndBool, nullptr,
                {attribute("rtol"), attribute("atol"), attribute("equalNan")});
}

Plan plan_closeness(const Arguments& arguments, size_t out) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  const Tolerance tolerance{.relative = arguments.real(kRelative),
                            .absolute = arguments.real(kAbsolute),
                            .equal_nan = arguments.flag(kEqualNan)};
  return plan_arithmetic(arguments, out, {kSelf, kOther}, dtype, closeness(tolerance, dtype), true);
}

// ---- One test of two tensors --------------------------------------------------------------------

OperatorSpec equality(const char* name, Form) {
  const size_t out = kOther + 1;
  return {name,
          {input("self"), input("other"), output("out")},
          Rules{not_null({kSelf, kOther, out}), dtype_in({kSelf, kOther}, kAllDtypes),
                dtype_in(out, {ACL_BOOL}), promotable(kSelf, kOther),
                max_rank({kSelf, kOther, out}), has_one_element(out)}};
}

// Whether two views of one shape have equal elements, in a compute type. Threads stop at blocks
// behind one that differs.
template <class T>
bool are_equal(const Run& run, const Elements& a, const Elements& b, aclDataType dtype) {
  constexpr int64_t kGrain = 32 * kBlock;
  std::atomic<bool> equal{true};
  parallel_pieces(a.index.count(), kGrain, [&](int64_t begin, int64_t end) {
    alignas(64) T x[kBlock], y[kBlock];
    for_blocks(begin, end, [&](int64_t first, int64_t last) {
      if (!equal.load(std::memory_order_relaxed)) return;
      a.read_through(run, first, last, x, dtype);
      b.read_through(run, first, last, y, dtype);
      if (!std::equal(x, x + (last - first), y)) equal.store(false, std::memory_order_relaxed);
    });
  });
  return equal;
}

Plan plan_equality(const Arguments& arguments, size_t out) {
  const Elements result(arguments, out);
  const auto write = [result](const Run& run, bool equal) {
    const int64_t value = equal ? 1 : 0;
    result.write(run, &value, 0, 1);
    return ACL_SUCCESS;
  };
  if (arguments.shape(kSelf) != arguments.shape(kOther)) {
    return {.body = [write](const Run& run) { return write(run, false); }};
  }
  const Elements a(arguments, kSelf), b(arguments, kOther);
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  const auto compare = [=](auto tag) -> Plan {
    return {.body = [=](const Run& run) {
      return write(run, are_equal<decltype(tag)>(run, a, b, dtype));
    }};
  };
  if (computes_in_integers(dtype)) return compare(int64_t{});
  return is_complex(dtype) ? compare(std::complex<double>{}) : compare(double{});
}

// ---- Other numbers ------------------------------------------------------------------------------

enum : size_t { kNan = 1, kPositive, kNegative };

OperatorSpec replacement(const char* name, Form form) {
  return of_one(name, form, kRealNumbersAndBool, Result::kConverted,
                {attribute("nan"), attribute("posinf"), attribute("neginf")});
}

Plan plan_replacement(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(kSelf);
  const auto number = [&](size_t i) { return static_cast<float>(arguments.real(i)); };
  return plan_arithmetic(arguments, out, {kSelf}, dtype,
                         computes_in_integers(dtype)
                             ? rounding(Rounding::kTrunc, dtype)  // as they are
                             : replacing(number(kNan), number(kPositive), number(kNegative)));
}

}  // namespace

ACLGRAD_OUT_OF_PLACE(IsFinite, test_of_any, plan_test<Test::kFinite>)
ACLGRAD_OUT_OF_PLACE(IsInf, test_of_any, plan_test<Test::kInfinite>)
ACLGRAD_OUT_OF_PLACE(IsPosInf, test_of_real, plan_test<Test::kPositiveInfinity>)
ACLGRAD_OUT_OF_PLACE(IsNegInf, test_of_real, plan_test<Test::kNegativeInfinity>)
ACLGRAD_OUT_OF_PLACE(Signbit, test_of_real, plan_test<Test::kSignBit>)
ACLGRAD_OUT_OF_PLACE(IsClose, closeness_of_two, plan_closeness)
ACLGRAD_OUT_OF_PLACE(Equal, equality, plan_equality)
ACLGRAD_BOTH_FORMS(NanToNum, replacement, plan_replacement)

}  // namespace aclgrad::ops::float_tests
