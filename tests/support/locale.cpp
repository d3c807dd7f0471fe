// SPDX-License-Identifier: Apache-2.0
// Part of suites that run a second time under a locale whose numbers have a comma (ctest -R
// locale): where ACLGRAD_TEST_LOCALE names one, the whole program has it, the C library and C++.
#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <string>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"

namespace {

using namespace aclgrad;

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

// Numbers in text: of a table, of a tensor, and of a run that is resumed and its history.
TEST(Locale, ChangesNoNumber) {
  const TemporaryFolder folder;
  const Tensor table =
      data::read_csv(folder.file("table.csv", "1.5,-2.5e-3\n"), {.dtype = DType::float64});
  EXPECT_TRUE(bitwise_equal(table, Tensor::from({1, 2}, {1.5, -2.5e-3}, DType::float64)));
  EXPECT_NE(to_string(table).find("1.5"), std::string::npos) << to_string(table);
  const data::Dataset numbers{Tensor::from({2, 1}, {1, 3}), Tensor::from({2, 1}, {0.1, 0.7})};
  const auto train = [&](std::int64_t steps, bool resume) {
    const Linear line("line", 1, 1);
    Sgd sgd({.learning_rate = 0.01});
    Trainer trainer(
        line, [&](const Value& x, const Value& t) { return mse_loss(line(x), t); }, sgd);
    return fit(trainer, data::Batches(numbers, {.batch_size = 1}),
               {.steps = steps,
                .evaluate_every = 1,
                .validation = numbers,
                .checkpoint = folder.path() / "run",
                .resume = resume,
                .progress = report::ProgressMode::off});
  };
  const History begun = train(2, false);
  const History resumed = train(3, true);
  ASSERT_EQ(resumed.evaluations.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(resumed.evaluations[i].loss, begun.evaluations[i].loss);
    EXPECT_EQ(resumed.evaluations[i].validation_loss, begun.evaluations[i].validation_loss);
  }
  EXPECT_EQ(begun.to_string().find(','), std::string::npos) << begun.to_string();
}

}  // namespace
