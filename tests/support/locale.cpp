// SPDX-License-Identifier: Apache-2.0
// Part of suites that run a second time under a locale whose numbers have a comma: where
// ACLGRAD_TEST_LOCALE names one, the whole program has it, the C library and C++.
#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <string>

namespace {

const char* const kName = std::getenv("ACLGRAD_TEST_LOCALE");

const bool kIsSet = [] {
  if (kName == nullptr) return false;
  std::locale::global(std::locale(std::locale::classic(), kName, std::locale::numeric));
  return std::setlocale(LC_NUMERIC, kName) != nullptr;
}();

TEST(Locale, IsTheOneThatWasAskedFor) {
  EXPECT_EQ(kIsSet, kName != nullptr);
  char text[16];
  std::snprintf(text, sizeof text, "%.1f", 1.5);
  EXPECT_EQ(std::string(text), kIsSet ? "1,5" : "1.5");
}

}  // namespace
