// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>

namespace aclgrad::detail {

/// While it lives, this thread rounds to nearest, whatever mode the program has set: what is
/// computed above the C interface must not depend on that. Operators see to it themselves.
class NearestRounding {
 public:
  NearestRounding() : mode_(std::fegetround()) { set(FE_TONEAREST); }
  ~NearestRounding() { set(mode_); }
  NearestRounding(const NearestRounding&) = delete;
  NearestRounding& operator=(const NearestRounding&) = delete;

 private:
  void set(int mode) const {
    if (mode_ != FE_TONEAREST) std::fesetround(mode);
  }
  const int mode_;
};

}  // namespace aclgrad::detail
