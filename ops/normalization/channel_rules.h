// SPDX-License-Identifier: Apache-2.0
// Checks of what normalizes the channels of a batch [N, C, ...].
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/meta/rules.h"

namespace aclgrad::ops {

inline bool is_channels_last(aclFormat format) {
  return format == ACL_FORMAT_NHWC || format == ACL_FORMAT_NDHWC;
}

inline size_t channel_axis(const Arguments& arguments, size_t input) {
  return is_channels_last(arguments.tensor(input).format) ? arguments.shape(input).size() - 1 : 1;
}

inline Rule batch_rank(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = arguments.shape(tensor).size();
    if (rank >= 2 && rank <= 8) return std::nullopt;
    return fmt::format("tensor {} must have 2 to 8 dimensions, but has {}.", arguments.name(tensor),
                       rank);
  });
}

// One element for each channel of the input.
inline Rule has_channels(size_t tensor, size_t input) {
  return [=](const Arguments& arguments) {
    const int64_t channels = arguments.shape(input)[channel_axis(arguments, input)];
    return has_shape(tensor, {channels})(arguments);
  };
}

inline Rules has_channels(const std::vector<size_t>& tensors, size_t input) {
  return of_each(tensors, [&](size_t tensor) { return has_channels(tensor, input); });
}

inline Rule not_channels_last(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const aclFormat format = arguments.tensor(tensor).format;
    if (format != ACL_FORMAT_NHWC && format != ACL_FORMAT_NDHWC && format != ACL_FORMAT_HWCN &&
        !is_private_format(format)) {
      return std::nullopt;
    }
    return fmt::format(
        "tensor {} must have its channels second, and no private format, but its "
        "format is {}.",
        arguments.name(tensor), static_cast<int>(format));
  });
}

// One of the words that name where the channels lie.
inline Rules not_channels_last(const std::vector<size_t>& tensors) {
  return of_each(tensors, [](size_t tensor) { return not_channels_last(tensor); });
}

inline Rule is_format(size_t text, std::vector<std::string_view> words) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const std::string_view given = arguments.text(text);
    for (const std::string_view word : words) {
      if (given == word) return std::nullopt;
    }
    return fmt::format("{} must be \"{}\", but is \"{}\".", arguments.name(text),
                       fmt::join(words, "\" or \""), given);
  });
}

// Must be given where the flag is set.
inline Rule given_where(size_t flag, size_t tensor) {
  return
      [=, required = not_null({tensor}), live = live_if_given(tensor)](const Arguments& arguments) {
        return arguments.flag(flag) ? required(arguments) : live(arguments);
      };
}

// The parameter, where it is given.
inline std::optional<size_t> given(const Arguments& arguments, size_t tensor) {
  return arguments.given(tensor) ? std::optional(tensor) : std::nullopt;
}

}  // namespace aclgrad::ops
