// SPDX-License-Identifier: Apache-2.0
// Asks an implementation for a function's results on chosen inputs and measures them against the
// reference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tests/prove/function.h"

namespace aclgrad::prove {

// What was found so far. Merging is free of order but for which of equally bad inputs is
// remembered.
struct Findings {
  uint64_t inputs = 0;
  uint64_t not_correctly_rounded = 0;  // numbers that are not the nearest
  uint64_t not_numbers = 0;  // NaN or an infinity where a number was due, or the other way round
  double max_ulp = 0;        // over the numbers that are not the nearest; 0 without one
  double worst_x = 0;
  double worst_factor = 1;

  void merge(const Findings& other);
};

// The factors that a run is made with: ones, or another for each input.
enum class Factor { kOne, kVaried };

// Another library's function: from `count` elements x, and for a backward as many gradients, the
// results. All of one dtype.
using Peer = std::function<void(const void* x, const void* gradient, void* result, int64_t count)>;

// Tensors for 65,536 elements of a function in a dtype, with the executor that runs on them.
// Belongs to the thread that made it.
class Probe {
 public:
  static constexpr int64_t kInputs = 65536;

  // Measures the operator, or the peer where one is given.
  Probe(const ProvenFunction& function, aclDataType dtype, Peer peer = nullptr);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // FLOAT: the bit patterns whose lower half is given. They spread over the whole range.
  Findings run_float(uint16_t low_half, Factor factor);

  // 16-bit dtypes: all patterns with one factor, given by its pattern.
  Findings run_16bit(uint16_t factor_pattern);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The pattern of 1 in a 16-bit dtype.
uint16_t one_pattern(aclDataType dtype);

}  // namespace aclgrad::prove
