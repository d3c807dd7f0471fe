// SPDX-License-Identifier: Apache-2.0
// One host thread of the soak: streams of its own, on which it does one random thing after another
// and checks each.
#pragma once

#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "tests/cases/case.h"

namespace aclgrad::soak {

struct Counts {
  int64_t operators = 0;
  int64_t shared = 0;  // of them, large enough for several threads
  int64_t replays = 0;
  int64_t copies = 0;
  int64_t callbacks = 0;
  int64_t streams = 0;
  int64_t refusals = 0;

  void add(const Counts& other);
};

class Worker {
 public:
  // `rows` are the operators to run; they outlive the worker.
  Worker(uint64_t seed, std::span<const cases::Row* const> rows) : generator_(seed), rows_(rows) {}

  // Until `stop`, or the first thing that goes wrong.
  void work(const std::atomic<bool>& stop);

  const Counts& counts() const { return counts_; }
  // What went wrong; "" for nothing.
  const std::string& problem() const { return problem_; }

 private:
  size_t below(size_t count) { return generator_() % count; }
  bool expect(bool holds, const std::string& what);
  bool succeeds(aclError status, const char* what);

  void run_operator();  // any row, dtype, layout and size, against its reference
  void replay();        // a recording that forks to another stream and joins it
  void copy();          // a chain of copies over streams that wait for each other
  void call_back();     // host functions, in order
  void renew_stream();
  void be_refused();  // dead handles

  std::mt19937_64 generator_;
  std::span<const cases::Row* const> rows_;
  std::vector<aclrtStream> streams_;
  Counts counts_;
  std::string problem_;
};

}  // namespace aclgrad::soak
