// SPDX-License-Identifier: Apache-2.0
// What tests of elementwise functions share.
#pragma once

#include "tests/ops/support/fixture.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::testing {

using Plan = aclnnStatus (*)(const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
using Start = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

// For functions of one tensor.
class ElementwiseTest : public AclTest {
 protected:
  Values results(Plan phase_one, Start phase_two, aclDataType from, const Values& x,
                 aclDataType to) {
    const auto count = static_cast<int64_t>(x.size());
    const Array self(from, {count}, {}, x), out(to, {count});
    EXPECT_TRUE(runs(phase_one, phase_two, self, out));
    return out.values();
  }
};

inline void expect_near(const Values& actual, const Values& expected, aclDataType dtype,
                        double ulp) {
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LE(ulp_error(actual[i], expected[i], dtype), ulp) << i << ": " << actual[i];
  }
}

}  // namespace aclgrad::testing
