// SPDX-License-Identifier: Apache-2.0
// The destructors of static objects may run operators, when the main thread's own memory is gone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclgrad_ext.h"
#include "tests/contract/call.h"

namespace aclgrad::contract {
namespace {

// Runs every operator in some of its dtypes, over dense tensors and over views; the outputs, or
// nothing after a failure.
std::vector<double> outputs_of_all(const Library& library) {
  std::vector<double> outputs;
  for (const Operator& row : all_contracts()) {
    for (const aclDataType dtype : {row.domain.everywhere.front(), row.domain.everywhere.back()}) {
      for (const bool views : {false, true}) {
        Call call(library, row, dtype);
        if (views) call.scatter();
        if (call.plan() != 0 || call.run(nullptr) != 0) return {};
        outputs.push_back(call.output());
      }
    }
  }
  return outputs;
}

TEST(ExitDeathTest, AStaticObjectMayRunOperators) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  setenv("MALLOC_PERTURB_", "165", 1);  // freed memory must not look as it did
  EXPECT_EXIT(
      {
        if (aclrtSetDevice(0) != 0) std::exit(1);
        aclgradSetNumThreads(1);
        auto& library = *new Library;
        static std::vector<double> before;
        before = outputs_of_all(library);
        // Made after the first task, so it is destroyed while tasks still run.
        static const struct Late {
          ~Late() {
            const std::vector<double> now = outputs_of_all(*library);
            if (now.empty() || now.size() != before.size()) _exit(4);
            for (size_t i = 0; i < now.size(); ++i) {
              if (now[i] != before[i]) _exit(5);
            }
          }
          const Library* library;
        } late{&library};
        std::exit(3);
      },
      ::testing::ExitedWithCode(3), "");
  unsetenv("MALLOC_PERTURB_");
}

}  // namespace
}  // namespace aclgrad::contract
