// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_EXAMPLES_TRAIN_DIGITS_DIGITS_H_
#define ACLGRAD_EXAMPLES_TRAIN_DIGITS_DIGITS_H_

#include <aclgrad/data.h>

#include <filesystem>

inline constexpr std::int64_t kPixels = 64;
inline constexpr std::int64_t kSide = 8;
inline constexpr std::int64_t kClasses = 10;

// Features [n, 64] scaled to [0, 1], labels [n] as int64. Throws aclgrad::Error, naming the file
// and the line, for anything that is not 64 whole pixels from 0 to 16 and a digit.
aclgrad::data::Dataset load_digits(const std::filesystem::path& path);

#endif  // ACLGRAD_EXAMPLES_TRAIN_DIGITS_DIGITS_H_
