// SPDX-License-Identifier: Apache-2.0
// aclgrad-verify: what is equal is called so, and each fault is found at its step and tensor.
#include <gmock/gmock.h>
#include <stdio.h>
#include <sys/wait.h>

#include <array>
#include <string>

#include "aclgrad/io/file.h"
#include "tests/framework/base/temporary_folder.h"
#include "train/record/run_file.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

struct Outcome {
  int status;
  std::string text;
};

Outcome outcome_of(const std::string& command) {
  Outcome outcome{-1, ""};
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer;
  while (const std::size_t got = ::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.text.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

class Verifying : public testing::Test {
 protected:
  static constexpr const char* kTraining = ACLGRAD_VERIFIED;

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  std::string record() const { return path("run.json").string(); }

  void train(const std::string& words) const {
    const Outcome outcome =
        outcome_of(std::string(kTraining) + " --record " + record() + " " + words);
    ASSERT_EQ(outcome.status, 0) << outcome.text;
  }
  static Outcome verify(const std::string& words) {
    return outcome_of(std::string(ACLGRAD_VERIFIER) + " --quiet " + words);
  }
  Outcome verify_with(const std::string& words) const {
    return verify(record() + " -- " + std::string(kTraining) + " " + words);
  }
  void expect_parted(const Outcome& outcome, const std::vector<std::string>& texts) const {
    EXPECT_EQ(outcome.status, 1) << outcome.text;
    for (const std::string& text : texts) EXPECT_THAT(outcome.text, ContainsRegex(text));
  }

  const TemporaryFolder folder_;
};

TEST_F(Verifying, TheSameRunIsEqualOnAnyNumberOfThreadsAndReplayedOrEager) {
  train("");
  for (const char* words : {"", "OMP_NUM_THREADS=1 ", "OMP_NUM_THREADS=4 ",
                            "ACLGRAD_SESSION=eager ", "ACLGRAD_SESSION=launch "}) {
    const Outcome outcome =
        outcome_of(std::string(words) + ACLGRAD_VERIFIER + " --quiet " + record());
    EXPECT_EQ(outcome.status, 0) << words << outcome.text;
    EXPECT_THAT(outcome.text, AllOf(HasSubstr("step 0: equal"), HasSubstr("step 12: equal"),
                                    HasSubstr("equal: 3 states up to step 12, bit for bit")));
  }
}

// Recorded on an Intel Xeon with AVX-512 by g++ 12; an AMD EPYC with AVX2 had given the same. After
// a change that is meant to change bits: bin/verified_training --record
// tests/verify/data/xeon.run.json, and no path in it.
TEST_F(Verifying, WhatAnotherProcessorRecordedIsEqual) {
  fs::copy_file(ACLGRAD_RECORDED, record());
  const Outcome outcome = verify_with("");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("recorded on Intel(R) Xeon(R) Processor (avx2 avx512f)"),
                    HasSubstr("equal: 3 states up to step 12, bit for bit")));
}

// SSE4: where kernels were compiled for no such processor, it takes their portable code.
TEST_F(Verifying, InstructionSetsChangeNothing) {
  const std::string library = ACLGRAD_INSTRUCTION_SET;
  if (library.empty() || outcome_of("ldd " + library).text.find("libhwy") == std::string::npos) {
    GTEST_SKIP() << "Highway is no library of its own";
  }
  train("");
  int found = 0;
  for (const char* target : {"SSE4", "AVX2", "AVX3", "NEON"}) {
    const std::string words = "LD_PRELOAD=" ACLGRAD_INSTRUCTION_SET " ACLGRAD_TEST_TARGET=";
    const Outcome outcome =
        outcome_of(words + target + " " ACLGRAD_VERIFIER " --quiet " + record());
    if (outcome.status == 77) continue;  // the processor has none
    EXPECT_EQ(outcome.status, 0) << target << outcome.text;
    ++found;
  }
  if (found == 0) GTEST_SKIP() << "this processor has none";
}

TEST_F(Verifying, TheRoundingModeOfTheProgramChangesNothing) {
  train("");
  for (const char* mode : {"up", "zero"}) {
    const Outcome outcome = verify_with("--rounding " + std::string(mode));
    EXPECT_EQ(outcome.status, 0) << mode << outcome.text;
  }
}

TEST_F(Verifying, AnotherSeedPartsBeforeTheFirstStep) {
  train("");
  expect_parted(verify_with("--seed 2"),
                {"before step 1: parted: .*`hidden.weight`", "first difference: before step 1",
                 "`hidden.weight` before the step: element \\[0, 0\\].*here .*, recorded "});
}

TEST_F(Verifying, AnotherRatePartsBeforeTheFirstStep) {
  train("");
  expect_parted(verify_with("--rate 0.02"),
                {"first difference: before step 1: `@adam.learning_rate`",
                 "`@adam.learning_rate` before the step: .*here 0.02, recorded 0.01"});
}

TEST_F(Verifying, ARateThatChangesPartsWhereItDoes) {
  train("");
  const Outcome outcome = verify_with("--changes-at 8 --next-rate 0.005");
  expect_parted(outcome, {"step 6: equal",
                          "first difference: step 9: the learning rate: here 0.005, recorded 0.01",
                          "`@adam.learning_rate` before the step: .*here 0.005, recorded 0.01"});
}

TEST_F(Verifying, AFlippedBitOfDataPartsInItsStepAndElement) {
  train("");
  const Outcome outcome = verify_with("--flipped 20");
  expect_parted(outcome,
                {"first difference: step [1-4]: `features` of the batch",
                 "`features` of the batch: element \\[[0-9]+, 0\\] of float32 \\[1[26], 8\\]"
                 ": here .*, recorded .*, 1 unit of the last place apart; 1 of "});
}

TEST_F(Verifying, APatchedOperatorPartsInItsStepAndNode) {
  train("");
  const Outcome outcome =
      outcome_of("LD_PRELOAD=" ACLGRAD_PATCHED_ELU " " ACLGRAD_VERIFIER " --quiet " + record());
  // The epoch's last batch is the one of 12 rows.
  expect_parted(outcome, {"step 0: equal", "first difference: step 4: `hidden",
                          "elu_backward` .*, output 0: element \\[[0-9]+, [0-9]+\\] of float32 "
                          "\\[12, 16\\]: here .*, recorded "});
}

TEST_F(Verifying, AnAttributeOfAnOperatorIsNamed) {
  train("--every 1");
  expect_parted(verify_with("--elu 1.25"),
                {"first difference: step 1: the loss", "elu.* is another operator: here .*1.25"});
}

TEST_F(Verifying, ARecordWithEveryStepTellsTheStepByItself) {
  train("--every 1");
  // Of another machine: the program that made it is not here.
  std::string text = read_file(record());
  const std::string command = kTraining;
  text.replace(text.find(command), command.size(), "/nowhere/train");
  folder_.file("run.json", text);
  const Outcome outcome =
      outcome_of("LD_PRELOAD=" ACLGRAD_PATCHED_ELU " " ACLGRAD_VERIFIER " --quiet " + record() +
                 " -- " + kTraining);
  expect_parted(outcome, {"step 3: equal", "step 4: parted: `hidden", "cannot be compared here"});
}

TEST_F(Verifying, ARunGoesOnFromItsCheckpoint) {
  const std::string checkpoint = path("run.safetensors").string();
  train("--checkpoint " + checkpoint);
  const std::string before = read_file(checkpoint);
  const Outcome outcome = verify(record() + " --from 6");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(Not(HasSubstr("step 0")), HasSubstr("step 6: equal"),
                                  HasSubstr("step 12: equal")));
  EXPECT_EQ(read_file(checkpoint), before) << "verification wrote a checkpoint";
  const Outcome none = verify(record() + " --from 5");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.text, HasSubstr("there is no checkpoint of step 5"));
}

TEST_F(Verifying, APartOfARunIsLookedAt) {
  train("--checkpoint " + path("run.safetensors").string());
  const Outcome first = verify(record() + " --until 9");
  EXPECT_EQ(first.status, 0) << first.text;
  EXPECT_THAT(first.text, HasSubstr("equal: 2 states up to step 6, bit for bit"));
  const Outcome middle = verify(record() + " --from 6 --until 7");
  EXPECT_EQ(middle.status, 0) << middle.text;
  EXPECT_THAT(middle.text, HasSubstr("equal: 1 states up to step 6, bit for bit"));
  // What parts later is not seen; what parts in between is.
  const std::string changed = " -- " + std::string(kTraining) + " --changes-at 8 --next-rate 0.005";
  EXPECT_EQ(verify(record() + " --until 8" + changed).status, 0);
  expect_parted(verify(record() + " --until 9" + changed), {"first difference: step 9"});
}

TEST_F(Verifying, AStepIsWrittenWithItsPage) {
  train("");
  const Outcome outcome = verify(record() + " --at 7");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  const fs::path values = path("run.json.step-7") / "here.safetensors";
  EXPECT_THAT(outcome.text, HasSubstr(values.string()));
  EXPECT_TRUE(fs::exists(values));
  EXPECT_THAT(read_file(values.string() + ".html"), HasSubstr("Step 7"));
  const Outcome beyond = verify(record() + " --at 99");
  EXPECT_EQ(beyond.status, 2);
  EXPECT_THAT(beyond.text, HasSubstr("step 99 was not reached"));
}

TEST_F(Verifying, ARunThatEndsEarlierHasParted) {
  train("");
  expect_parted(verify_with("--steps 6"),
                {"note: steps: here 6, recorded 12", "parted: the end of the run: .*after step 6"});
}

TEST_F(Verifying, WhatCannotBeVerifiedSaysWhy) {
  train("");
  const Outcome other = verify(record() + " -- /bin/echo some words");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.text, AllOf(HasSubstr("without its call of fit()"), HasSubstr("some words")));
  const Outcome none = verify(record() + " -- /nowhere/train");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.text, HasSubstr("cannot start /nowhere/train"));
  const Outcome text = verify(folder_.file("x.json", "{}").string());
  EXPECT_EQ(text.status, 2);
  EXPECT_THAT(text.text, HasSubstr("is no record of a run"));
  EXPECT_EQ(verify("").status, 3);
}

// The ten lines of docs/how-to/verify-a-run.md.
TEST_F(Verifying, PythonComputesTheHashOfACheckpoint) {
  const std::string page = read_file(ACLGRAD_PAGE);
  const std::size_t begin = page.find("```python\n") + 10;
  const fs::path script =
      folder_.file("hash.py", page.substr(begin, page.find("```", begin) - begin));
  const std::string checkpoint = path("run.safetensors").string();
  train("--checkpoint " + checkpoint);
  const Outcome outcome = outcome_of("python3 " + script.string() + " " + checkpoint);
  const detail::RunFile file = detail::read_run_file(record());
  const std::string hash = file.entries.at(file.entries.size() - 2).at("sha256");
  EXPECT_EQ(outcome.text, hash + "\n");
}

}  // namespace
}  // namespace aclgrad
