// SPDX-License-Identifier: Apache-2.0
// Days of two centuries, in words as people write them, and in digits.
#pragma once

#include <aclgrad/aclgrad.h>

#include <cstdint>
#include <span>
#include <string>

namespace translate {

constexpr std::int64_t kDays = 73'049;  // 1900-01-01 to 2099-12-31

constexpr std::int64_t kSource = 72;   // characters of a date in words, with padding
constexpr std::int64_t kLetters = 31;  // 0 is padding, then a to z, space, comma, hyphen, stop
constexpr std::int64_t kTarget = 10;   // characters of 1987-05-23
constexpr std::int64_t kBegin = 11;    // what a date in digits begins with; 10 is the hyphen
constexpr std::int64_t kDigits = 12;   // what there may be in one

// "1987-05-23" for the day of that number, counted from 1900-01-01.
std::string in_digits(std::int64_t day);

// "the twenty-third of may, nineteen eighty-seven", in one of many ways.
std::string in_words(std::int64_t day, const aclgrad::Random& random);

// With each letter left out, doubled, or another one, each with a third of that probability.
std::string mistyped(const std::string& words, double probability, const aclgrad::Random& random);

std::vector<std::int64_t> encode_words(const std::string& words);  // kSource numbers
std::string decode_digits(std::span<const std::int64_t> digits);

// Examples for an encoder and a decoder: "source" [n, kSource]; "target" [n, kTarget]; "begun", the
// target one place later, after kBegin. Each row of `rows` is a random day of `days` in random
// words with random mistakes, the same for the same row and seed.
aclgrad::data::Dataset dates(std::span<const std::int64_t> rows, std::span<const std::int64_t> days,
                             double mistakes, std::uint64_t seed);

}  // namespace translate
