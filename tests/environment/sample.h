// SPDX-License-Identifier: Apache-2.0
// Rows of the case table as work for the tests of this folder: prepared once, run in any
// environment, and looked at as bytes.
#pragma once

#include <deque>
#include <vector>

#include "tests/cases/run_case.h"
#include "tests/environment/float_mode.h"

namespace aclgrad::test {

using Bytes = std::vector<unsigned char>;

class PreparedRow {
 public:
  // Inputs are drawn from the row's domains; some of the floating ones are subnormal.
  PreparedRow(const cases::Row& row, aclDataType dtype, int64_t size);

  // Both phases and the wait for the stream, in the mode; the bytes of all tensors then. Every call
  // of the library must succeed and leave the mode of this thread as it was.
  std::vector<Bytes> run(aclrtStream stream, const FloatMode* mode);

 private:
  const cases::Row& row_;
  std::deque<testing::Array> tensors_;
  std::vector<aclTensor*> handles_;
  std::vector<Bytes> before_;
};

// The first row of every operator: for tests of large tensors.
std::vector<const cases::Row*> a_row_of_each_operator();

// The rows' floating dtypes.
std::vector<aclDataType> floating_dtypes(const cases::Row& row);

}  // namespace aclgrad::test
