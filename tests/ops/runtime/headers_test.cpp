// SPDX-License-Identifier: Apache-2.0
// What programs do with the headers. The numbers in them are stated in
// tests/contract/specification.
#include <iostream>

#include "support.h"

namespace {

TEST(Headers, StatusesCanBeCases) {
  const auto name = [](aclError status) {
    switch (status) {
      case ACL_SUCCESS:
        return "success";
      case ACL_ERROR_REPEAT_INITIALIZE:
        return "repeated";
      case ACL_ERROR_RT_CONTEXT_NULL:
        return "no context";
      default:
        return "other";
    }
  };
  EXPECT_STREQ(name(100002), "repeated");
  EXPECT_STREQ(name(107002), "no context");
}

TEST(Headers, BringPrintf) {
  // Host programs use it after <iostream> and acl/acl.h alone.
  std::cout << std::flush;
  EXPECT_EQ(printf("%s", "\n"), 1);
}

}  // namespace
