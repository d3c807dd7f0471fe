// SPDX-License-Identifier: Apache-2.0
// What fit() writes as FitOptions::record.
#include <gmock/gmock.h>

#include <cstdlib>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"
#include "train/record/run_file.h"
#include "train/record/run_header.h"

namespace aclgrad {
namespace {

using detail::read_run_file;
using detail::RunFile;
using detail::RunJson;
using testing::HasSubstr;
namespace fs = std::filesystem;

// A line through ten points: an epoch has three steps.
struct RecordedTraining {
  History run(FitOptions options) {
    options.progress = report::ProgressMode::off;
    return fit(trainer, batches, options);
  }
  Linear model{"l", 1, 1};
  Adam adam{{.learning_rate = schedule::constant(0.1)}};
  Trainer trainer{model, mse_of(model), adam};
  data::Dataset rows{Tensor::arange(10, -1, 0.3).reshape({10, 1}),
                     Tensor::arange(10, 1, -0.2).reshape({10, 1})};
  data::Batches batches{rows, {.batch_size = 4}};
};

TEST(RunRecords, HaveWhatEachStepReadAndTheStateAtEvaluations) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run.json";
  RecordedTraining training;
  const History history = training.run({.epochs = 2, .record = path, .settings = {{"a", "b"}}});
  const RunFile file = read_run_file(path);
  EXPECT_EQ(file.header.at("settings").at("a"), "b");
  EXPECT_EQ(file.header.at("data"), training.batches.description());
  EXPECT_EQ(file.header.at("fit").at("steps"), 6);
  ASSERT_EQ(file.entries.size(), 4U);  // before the first step, two evaluations, the end
  EXPECT_EQ(file.entries[0].at("step"), 0);
  for (const char* name : {"l.weight", "l.bias"}) {
    EXPECT_TRUE(file.entries[0].at("tensors").contains(name)) << name;
  }
  for (std::size_t i : {1U, 2U}) {
    const RunJson& entry = file.entries[i];
    EXPECT_EQ(entry.at("step"), 3 * i);
    EXPECT_EQ(entry.at("losses").size(), 3U);
    EXPECT_EQ(entry.at("batches").at("features").size(), 3U);
    EXPECT_EQ(entry.at("batches").at("labels").size(), 3U);
    EXPECT_EQ(entry.at("rates"), (RunJson{{3 * i - 2, "0.1"}}));
    EXPECT_EQ(detail::number_of(entry.at("evaluation").at("loss")),
              history.evaluations[i - 1].loss);
    EXPECT_TRUE(entry.at("tensors").contains("l.weight@first_moment"));
  }
  EXPECT_EQ(file.entries[2].at("sha256"), detail::hash_of(training.trainer.tensors()).at("sha256"));
  EXPECT_NE(file.entries[2].at("sha256"), file.entries[1].at("sha256"));
  EXPECT_EQ(file.entries[3].at("end"), "finished");
}

TEST(RunRecords, AreJsonAfterEachEntryAndReadUpToWhereTheirWriterWasKilled) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run.json";
  RecordedTraining training;
  std::vector<std::size_t> seen;
  const Callback look{.before_step = [&](FitRun&) {
    const RunJson json = RunJson::parse(read_file(path));
    seen.push_back(json.at("entries").size());
  }};
  training.run({.epochs = 1, .callbacks = {look}, .record = path, .record_every = 1});
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3}));
  const std::string whole = read_file(path);
  const std::size_t begin = whole.find("\"entries\": [\n") + 13;
  std::size_t most = 0;
  for (std::size_t size = begin; size < whole.size(); size += 211) {
    const fs::path cut = folder.file("cut.json", whole.substr(0, size));
    const RunFile file = read_run_file(cut);
    EXPECT_GE(file.entries.size(), most);
    most = file.entries.size();
  }
  EXPECT_GE(most, 3U);
  EXPECT_EQ(read_run_file(path).entries.size(), 5U);
}

TEST(RunRecords, OfACheckpointAreBesideItAndGoOnWithTheRun) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run", record = folder.path() / "run.run.json";
  const fs::path whole = folder.path() / "whole.json";
  RecordedTraining().run({.steps = 9, .record = whole});
  RecordedTraining().run({.steps = 6, .checkpoint = path, .resume = true});
  ASSERT_TRUE(fs::exists(record));
  RecordedTraining().run({.steps = 9, .checkpoint = path, .resume = true});
  const RunFile resumed = read_run_file(record), uninterrupted = read_run_file(whole);
  EXPECT_EQ(resumed.entries, uninterrupted.entries);
}

TEST(RunRecords, AreLeftOutOrRefused) {
  const TemporaryFolder folder;
  RecordedTraining().run({.steps = 3, .checkpoint = folder.path() / "run", .record = ""});
  EXPECT_FALSE(fs::exists(folder.path() / "run.run.json"));
  EXPECT_THAT(message_of<ValueError>([] { RecordedTraining().run({.record_every = 1}); }),
              HasSubstr("`record_every`"));
  EXPECT_THAT(message_of<IoError>(
                  [&] { RecordedTraining().run({.record = folder.path() / "none" / "run.json"}); }),
              HasSubstr("none"));
}

TEST(RunRecords, SayHowARunWasBrokenOff) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run.json";
  const Callback fail{.after_step = [](FitRun& run) {
    if (run.done() == 2) throw ValueError("enough");
  }};
  EXPECT_THROW(RecordedTraining().run({.callbacks = {fail}, .record = path}), ValueError);
  const RunFile file = read_run_file(path);
  EXPECT_EQ(file.entries.back().at("end"), "failed");
  EXPECT_EQ(file.entries.back().at("why"), "enough");
  EXPECT_EQ(file.entries.back().at("losses").size(), 2U);
}

TEST(RunRecords, ThatAreNoneSayWhy) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    return message_of<IoError>([&] { read_run_file(folder.file("x", text)); });
  };
  EXPECT_THAT(message(""), HasSubstr("no line"));
  EXPECT_THAT(message("{\"a\": 1"), HasSubstr("no line"));
  const std::string entries = ",\n\"entries\": [\n";
  EXPECT_THAT(message("{\"a\": " + entries), HasSubstr("no JSON"));
  EXPECT_THAT(message("{\"format\": \"other\"" + entries), HasSubstr("aclgrad run 1"));
  EXPECT_THAT(message("{\"format\": \"aclgrad run 1\"" + entries + "nonsense\n"),
              HasSubstr("entry 1"));
}

}  // namespace
}  // namespace aclgrad
