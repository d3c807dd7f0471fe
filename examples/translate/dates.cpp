// SPDX-License-Identifier: Apache-2.0
#include "examples/translate/dates.h"

#include <aclgrad/format.h>

#include <array>
#include <chrono>
#include <string_view>

using namespace aclgrad;

namespace translate {
namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz ,-.";
constexpr std::string_view kInDigits = "0123456789-";

constexpr std::array<std::string_view, 20> kOnes = {
    "",         "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> kTens = {
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::array<std::string_view, 20> kOrdinals = {
    "",           "first",     "second",    "third",       "fourth",     "fifth",     "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",   "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};
constexpr std::array<std::string_view, 12> kMonths = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                       "thursday", "friday", "saturday"};

std::chrono::sys_days of(std::int64_t day) {
  using namespace std::chrono;
  return sys_days{year{1900} / January / 1} + days{day};
}

// Of 1 to 99.
std::string cardinal(unsigned number) {
  if (number < 20) return std::string(kOnes[number]);
  const std::string tens(kTens[number / 10]);
  return number % 10 == 0 ? tens : tens + "-" + std::string(kOnes[number % 10]);
}

// Of 1 to 31.
std::string ordinal(unsigned number) {
  if (number < 20) return std::string(kOrdinals[number]);
  if (number % 10 == 0) return number == 20 ? "twentieth" : "thirtieth";
  return std::string(kTens[number / 10]) + "-" + std::string(kOrdinals[number % 10]);
}

std::string year_in_words(unsigned year, bool is_long) {
  const unsigned rest = year % 100;
  const std::string century = cardinal(year / 100);
  if (year == 2000) return "two thousand";
  if (rest == 0) return century + " hundred";
  if (is_long) {
    return (year / 100 == 20 ? "two thousand" : century + " hundred") + " and " + cardinal(rest);
  }
  return century + (rest < 10 ? " oh " : " ") + cardinal(rest);
}

}  // namespace

std::string in_digits(std::int64_t day) {
  const std::chrono::year_month_day date{of(day)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string in_words(std::int64_t day, const Random& random) {
  const std::chrono::year_month_day date{of(day)};
  const std::string_view month = kMonths[static_cast<unsigned>(date.month()) - 1];
  const std::string_view weekday = kWeekdays[std::chrono::weekday(of(day)).c_encoding()];
  const std::string of_month = ordinal(static_cast<unsigned>(date.day()));
  const std::string year =
      year_in_words(static_cast<unsigned>(static_cast<int>(date.year())), random.below(0, 2) == 0);
  switch (random.below(1, 5)) {
    case 0:
      return fmt::format("the {} of {}, {}", of_month, month, year);
    case 1:
      return fmt::format("{} the {}, {}", month, of_month, year);
    case 2:
      return fmt::format("{}, {} {}, {}", weekday, month, of_month, year);
    case 3:
      return fmt::format("{} {} {}", of_month, month, year);
    default:
      return fmt::format("in {}, on {} {}", year, month, of_month);
  }
}

std::string mistyped(const std::string& words, double probability, const Random& random) {
  std::string made;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double draw = random.uniform(i) / probability;
    if (draw >= 1) {
      made += words[i];
    } else if (draw >= 2.0 / 3) {
      made += kAlphabet[random.below(words.size() + i, 26)];
    } else if (draw >= 1.0 / 3) {
      made.append(2, words[i]);
    }
  }
  return made;
}

std::vector<std::int64_t> encode_words(const std::string& words) {
  std::vector<std::int64_t> numbers(kSource);
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), kSource); ++i) {
    numbers[i] =
        static_cast<std::int64_t>(kAlphabet.find(words[i]) + 1);  // 0 for what there is not
  }
  return numbers;
}

std::string decode_digits(std::span<const std::int64_t> digits) {
  std::string text;
  for (const std::int64_t digit : digits) {
    text += digit < kBegin ? kInDigits[static_cast<std::size_t>(digit)] : '?';
  }
  return text;
}

data::Dataset dates(std::span<const std::int64_t> rows, std::span<const std::int64_t> days,
                    double mistakes, std::uint64_t seed) {
  std::vector<std::int64_t> source, begun, target;
  for (const std::int64_t row : rows) {
    const Random choice(seed, 3 * static_cast<std::uint64_t>(row));
    const Random words(seed, 3 * static_cast<std::uint64_t>(row) + 1);
    const Random typing(seed, 3 * static_cast<std::uint64_t>(row) + 2);
    const std::int64_t day = days[choice.below(0, days.size())];
    const std::vector<std::int64_t> letters =
        encode_words(mistyped(in_words(day, words), mistakes, typing));
    source.insert(source.end(), letters.begin(), letters.end());
    begun.push_back(kBegin);
    for (const char character : in_digits(day)) {
      target.push_back(static_cast<std::int64_t>(kInDigits.find(character)));
      begun.push_back(target.back());
    }
    begun.pop_back();
  }
  const std::int64_t n = std::ssize(rows);
  const auto tensor = [&](const std::vector<std::int64_t>& numbers, std::int64_t length) {
    return Tensor::from({n, length}, std::span<const std::int64_t>(numbers));
  };
  return {.parts = {{"source", tensor(source, kSource)},
                    {"begun", tensor(begun, kTarget)},
                    {"target", tensor(target, kTarget)}}};
}

}  // namespace translate
