// SPDX-License-Identifier: Apache-2.0
// Asks the library for a subject's results on chosen inputs and measures them against the
// reference.
#ifndef ACLGRAD_TESTS_PROVE_PROBE_H_
#define ACLGRAD_TESTS_PROVE_PROBE_H_

#include <cstdint>
#include <memory>

#include "tests/prove/subject.h"

namespace aclgrad::prove {

// What was found so far. Merging is free of order but for which of equally bad inputs is
// remembered.
struct Findings {
  uint64_t inputs = 0;
  uint64_t not_correctly_rounded = 0;
  uint64_t undecided = 0;  // the reference is too near to a tie to say
  double max_ulp = 0;
  double worst_x = 0;
  double worst_gradient = 1;

  void merge(const Findings& other);
};

// The gradients that a run is made with.
enum class Gradient { kOne, kVaried };

// Tensors for `count` elements of a subject in a dtype, with the executor that runs on them.
// Belongs to the thread that made it.
class Probe {
 public:
  Probe(const Subject& subject, aclDataType dtype, int64_t count);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // FLOAT: the `count` bit patterns from `first` on; kVaried takes another gradient for each.
  Findings run_float(uint32_t first, Gradient gradient);

  // 16-bit dtypes: all 65,536 patterns (count must be that many) with one gradient, given by its
  // pattern. Every result must be the correctly rounded one.
  Findings run_16bit(uint16_t gradient_pattern);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The pattern of 1 in a 16-bit dtype.
uint16_t one_pattern(aclDataType dtype);

}  // namespace aclgrad::prove

#endif  // ACLGRAD_TESTS_PROVE_PROBE_H_
