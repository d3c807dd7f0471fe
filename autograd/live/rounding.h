// SPDX-License-Identifier: Apache-2.0
// What rounding does to a result: the same run again, with every operator's results a unit in their
// last place off, up or down by chance (Parker 1997, Monte Carlo arithmetic). What cancels shows
// how little is left of it.
#ifndef ACLGRAD_AUTOGRAD_LIVE_ROUNDING_H_
#define ACLGRAD_AUTOGRAD_LIVE_ROUNDING_H_

#include <cstdint>

#include "session/run_observer.h"

namespace aclgrad::live {

class Rounding final : public detail::RunObserver {
 public:
  explicit Rounding(std::uint64_t seed) : state_(seed * 2 + 1) {}
  void after_node(const detail::NodeRun& run) override;

 private:
  double next();  // -1 to 1

  std::uint64_t state_;
};

}  // namespace aclgrad::live

#endif  // ACLGRAD_AUTOGRAD_LIVE_ROUNDING_H_
