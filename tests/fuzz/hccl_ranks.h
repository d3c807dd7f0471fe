// SPDX-License-Identifier: Apache-2.0
// A group of one rank and a group of two, all issued by one thread, and what happened to them.
#pragma once

#include <vector>

#include "hccl/hccl.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace aclgrad::fuzz {

constexpr size_t kRanks = 2;
constexpr uint64_t kMaxElements = 8;
constexpr size_t kWidest = 8;  // bytes of an element
constexpr size_t kBytes = kMaxElements * kWidest * kRanks;

struct Rank {
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  std::vector<unsigned char> send = std::vector<unsigned char>(kBytes);
  std::vector<unsigned char> receive = std::vector<unsigned char>(kBytes);
};

// Makes the device the thread's.
void set_device(size_t id);

// The result is a documented one, with a message if it is a failure; whether it is success.
bool check(HcclResult result, const char* call);
void expect_success(HcclResult result, const char* call);

class Ranks {
 public:
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  Rank alone, pair[kRanks];

  // The only rank's tasks are over, and none has failed.
  void synchronize_alone() const;
  // The group of one is made anew.
  void renew_alone();
  // Both ranks have done what was asked, or one hears of the other's end.
  void settle();
  // A live handle of any kind, one that was, or none.
  void* any_handle(Input& input) const;
  // Ends a group of the first device that was just made, and works like any other.
  void use_and_destroy(HcclComm comm);

 private:
  void join_alone();
  void join_pair();
  void leave(Rank& rank, size_t device);

  HcclComm dead_ = nullptr;
};

// Making and asking for communicators, with arguments that go wrong anywhere.
void fuzz_communicators(Input& input, Ranks& ranks);

}  // namespace aclgrad::fuzz
