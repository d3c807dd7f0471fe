// SPDX-License-Identifier: Apache-2.0
// A text that MPI still sends stays where it is, whatever becomes of the others.
#include "ops/hccl/mpi/pending_sends.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace aclgrad::hccl {
namespace {

// As MPI does, reads each text only when it is over.
struct Network {
  struct Send {
    const std::string* text;
    const char* data;
    std::string expected;
    bool is_over = false;
  };
  std::vector<Send> sends;

  void check(size_t i) const {
    EXPECT_EQ(sends[i].text->data(), sends[i].data) << i;
    EXPECT_EQ(*sends[i].text, sends[i].expected) << i;
  }
};

// Short texts lie inside the string object: they would move with it.
TEST(PendingSends, StayInPlaceWhileOthersEnd) {
  Network network;
  PendingSends<size_t> pending;
  const auto send = [&](const std::string& text) {
    pending.send(
        text, [&](size_t request) { return network.sends[request].is_over; },
        [&](const std::string& kept) {
          network.sends.push_back({&kept, kept.data(), text});
          return network.sends.size() - 1;
        });
  };
  constexpr size_t kSends = 300;
  for (size_t i = 0; i < kSends; ++i) {
    send("text " + std::to_string(i));
    // Of three, the first ends at once and the second soon; the third stays under way.
    if (i % 3 == 0) network.sends[i].is_over = true;
    if (i >= 10 && (i - 10) % 3 == 1) network.sends[i - 10].is_over = true;
    for (size_t k = 2; k <= i; k += 3) network.check(k);
  }
}

TEST(PendingSends, ForgetOneThatCannotBegin) {
  PendingSends<int> pending;
  int asked = 0;
  const auto is_over = [&](int) {
    ++asked;
    return false;
  };
  EXPECT_THROW(
      pending.send("x", is_over, [](const std::string&) -> int { throw std::runtime_error("no"); }),
      std::runtime_error);
  pending.send("y", is_over, [](const std::string&) { return 1; });
  EXPECT_EQ(asked, 0);
  pending.send("z", is_over, [](const std::string&) { return 2; });
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace aclgrad::hccl
