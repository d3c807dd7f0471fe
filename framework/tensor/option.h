// SPDX-License-Identifier: Apache-2.0
// Ranges of options: every option of a layer, an optimizer, a schedule has one.
#pragma once

#include <cstdint>
#include <string_view>

namespace aclgrad::detail {

/// Numbers from low to high, without the ends that are open. NaN is in no range.
struct Range {
  double low;
  double high;
  bool without_low = false;
  bool without_high = false;

  bool contains(double value) const {
    return (without_low ? value > low : value >= low) &&
           (without_high ? value < high : value <= high);
  }
};

/// What operators take as a float must be finite as one.
inline constexpr double kLargestOption = 3.4e38;
inline constexpr Range kNotNegative{0, kLargestOption};
inline constexpr Range kPositive{0, kLargestOption, /*without_low=*/true};
inline constexpr Range kFinite{-kLargestOption, kLargestOption};
inline constexpr Range kUnit{0, 1};
inline constexpr Range kBelowOne{0, 1, false, /*without_high=*/true};

/// Throws ValueError unless the value is in the range: "AdamW: beta1 must be in [0, 1), got 1.5".
void require_option(std::string_view owner, std::string_view option, double value,
                    const Range& range);

/// Throws ValueError unless the whole number is at least `least`.
void require_at_least(std::string_view owner, std::string_view option, std::int64_t value,
                      std::int64_t least);

}  // namespace aclgrad::detail
