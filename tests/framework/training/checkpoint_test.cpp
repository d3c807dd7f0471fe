// SPDX-License-Identifier: Apache-2.0
// What a checkpoint holds, and what is said about files and variables that do not fit.
#include "aclgrad/io/checkpoint.h"

#include <gmock/gmock.h>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "framework/io/checkpoint_format.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/allocations.h"

namespace aclgrad {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

Checkpoint sample(std::int64_t step) {
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.position = {18446744073709551615u, 12};
  checkpoint.data_order = "10 examples";
  checkpoint.random.emplace("masks", RandomSequence(1, 2, 18446744073709551614u));
  checkpoint.notes = {{"best", "98.2"}, {"ä", ""}};
  checkpoint.tensors = {{"w", Tensor::from({2, 3}, {1, 2, 3, 4, 5, -0.0})},
                        {"steps", Tensor::scalar(static_cast<double>(step), DType::int64)},
                        {"empty", Tensor::zeros({0, 4}, DType::bfloat16)}};
  return checkpoint;
}

void expect_same(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.data_order, b.data_order);
  EXPECT_EQ(a.random, b.random);
  EXPECT_EQ(a.notes, b.notes);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    EXPECT_EQ(a.tensors[i].first, b.tensors[i].first);
    EXPECT_TRUE(bitwise_equal(a.tensors[i].second, b.tensors[i].second)) << a.tensors[i].first;
  }
}

TEST(Checkpoint, KeepsEverything) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  EXPECT_FALSE(load_checkpoint(path)) << "there is none yet";
  save_checkpoint(path, sample(7));
  expect_same(*load_checkpoint(path), sample(7));
  EXPECT_EQ(folder.count(), 1u);
}

TEST(Checkpoint, KeepsTheOneBefore) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  for (const int step : {1, 2, 3}) save_checkpoint(path, sample(step));
  EXPECT_EQ(load_checkpoint(path)->step, 3);
  EXPECT_EQ(load_checkpoint(folder.path() / "run.previous")->step, 2);
  EXPECT_EQ(folder.count(), 2u);
}

// Every byte of the file counts: changing any one, or cutting the file anywhere, is found out.
TEST(Checkpoint, DamageAnywhereIsFoundOutAndTheOneBeforeIsTaken) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  save_checkpoint(path, sample(1));
  save_checkpoint(path, sample(2));
  const std::string whole = read_file(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    folder.file("run", damaged);
    const std::optional<Checkpoint> loaded = load_checkpoint(path);
    // A space after the header's text may become another space character, which changes nothing.
    if (loaded->step == 1) continue;
    expect_same(*loaded, sample(2));
    EXPECT_EQ(whole[at], ' ') << "byte " << at;
  }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    folder.file("run", std::string_view(whole).substr(0, length));
    EXPECT_EQ(load_checkpoint(path)->step, 1) << "length " << length;
  }
  folder.file("run", whole + "x");
  EXPECT_EQ(load_checkpoint(path)->step, 1);
}

TEST(Checkpoint, ADamagedOneDoesNotPushOutTheLastGoodOne) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  save_checkpoint(path, sample(1));
  save_checkpoint(path, sample(2));
  folder.file("run", "damaged");
  save_checkpoint(path, sample(3));
  EXPECT_EQ(load_checkpoint(path)->step, 3);
  EXPECT_EQ(load_checkpoint(folder.path() / "run.previous")->step, 1);
}

TEST(Checkpoint, TellsWhatIsWrongWithTheFileThatWasPassedOver) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  save_checkpoint(path, sample(1));
  save_checkpoint(path, sample(2));
  EXPECT_EQ(load_checkpoint(path)->fallback_reason, "");
  folder.file("run", "damaged");
  EXPECT_EQ(load_checkpoint(path)->step, 1);
  EXPECT_THAT(load_checkpoint(path)->fallback_reason,
              AllOf(HasSubstr("run: "), Not(HasSubstr("run.previous"))));
  fs::remove(path);
  EXPECT_EQ(load_checkpoint(path)->fallback_reason, path.string() + ": there is no such file");
  save_checkpoint(path, *load_checkpoint(path));
  EXPECT_EQ(load_checkpoint(path)->fallback_reason, "") << "that was then";
}

TEST(Checkpoint, TellsWhatIsWrongWithBothFiles) {
  const TemporaryFolder folder;
  const fs::path path = folder.file("run", "nonsense");
  save_safetensors(folder.path() / "run.previous", {}, {{"step", "1"}});
  EXPECT_THAT([&] { load_checkpoint(path); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("run: "), HasSubstr("run.previous: "),
                                           HasSubstr("has no `format`"))));
  EXPECT_THROW(save_checkpoint(folder.path() / "no" / "folder", sample(1)), IoError);
}

// Any other error of looking it up than that it is missing: a run must not begin anew, and write
// over what is there.
TEST(Checkpoint, OnlyAMissingFileIsNone) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  const auto refuses = [](const fs::path& at, const char* reason) {
    EXPECT_THAT([&] { load_checkpoint(at); }, ThrowsMessage<IoError>(HasSubstr(reason)));
  };
  fs::create_symlink("run", path);
  refuses(path, "run: cannot read: Too many levels of symbolic links");
  refuses(path / "below", "below: cannot read: Too many levels of symbolic links");
  fs::create_symlink("nowhere", folder.path() / "dangling");
  refuses(folder.path() / "dangling", "dangling: cannot read: No such file");
  save_checkpoint(folder.path() / "other", sample(4));
  fs::rename(folder.path() / "other", folder.path() / "run.previous");
  EXPECT_EQ(load_checkpoint(path)->step, 4);
  EXPECT_THAT(load_checkpoint(path)->fallback_reason, HasSubstr("Too many levels"));
}

TEST(Checkpoint, OneThatDoesNotFitIntoMemoryIsPassedOver) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  Checkpoint large = sample(2);
  large.tensors.emplace_back("large", Tensor::zeros({100000}));
  save_checkpoint(path, sample(1));
  save_checkpoint(path, large);
  {
    const AllocationLimit limit(200000);
    EXPECT_EQ(load_checkpoint(path)->step, 1);
    EXPECT_THAT(load_checkpoint(path)->fallback_reason,
                AllOf(HasSubstr("run: cannot read: its "), HasSubstr("do not fit into memory")));
    save_checkpoint(path, sample(3));
    EXPECT_EQ(load_checkpoint(path)->step, 3);
  }
  EXPECT_EQ(load_checkpoint(folder.path() / "run.previous")->step, 2) << "whole, though large";
}

// What is saved is not compared with what was there: numbers that are damaged in a way that neither
// header nor length shows step back, when the new ones have the name.
TEST(Checkpoint, ANewOneIsThereBeforeTheOldOneStepsBack) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  save_checkpoint(path, sample(1));
  save_checkpoint(path, sample(2));
  std::string damaged = read_file(path);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  folder.file("run", damaged);
  EXPECT_EQ(load_checkpoint(path)->step, 1);
  save_checkpoint(path, sample(3));
  EXPECT_EQ(load_checkpoint(path)->step, 3);
  EXPECT_EQ(load_checkpoint(path)->fallback_reason, "");
  fs::resize_file(path, damaged.size() - 1);
  save_checkpoint(path, sample(4));
  EXPECT_EQ(read_file(folder.path() / "run.previous"), damaged) << "what is cut does not step back";
  EXPECT_EQ(load_checkpoint(path)->step, 4);
  EXPECT_EQ(folder.count(), 2u);
}

// A save of a large checkpoint takes no memory for the one before.
TEST(Checkpoint, TheOneBeforeIsNotReadForASave) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  const Checkpoint large{.tensors = {{"w", Tensor::full({1000000}, 1)}}};
  save_checkpoint(path, large);
  const AllocationLimit limit(500000);
  save_checkpoint(path, large);
  EXPECT_TRUE(fs::exists(folder.path() / "run.previous"));
}

// Every byte of large tensors counts, too, wherever it lies.
TEST(Checkpoint, DamageOfLargeTensorsIsFoundOut) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  save_checkpoint(path, {.tensors = {{"w", Tensor::arange(2000, 1, 0.5)}}});
  const std::string whole = read_file(path);
  for (std::size_t at = whole.size() - 8000; at < whole.size(); at += 37) {
    for (const int bit : {0, 7}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      damaged[whole.size() - 8] = static_cast<char>(damaged[whole.size() - 8] ^ (1 << bit));
      if (damaged == whole) continue;
      folder.file("run", damaged);
      EXPECT_THROW(load_checkpoint(path), IoError) << at << ", bit " << bit;
    }
  }
}

// The checksum is right, and yet such a step cannot have been saved.
TEST(Checkpoint, NumbersBelowZeroAreForged) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  const auto refuses = [&](const Checkpoint& forged, const char* reason) {
    EXPECT_THROW(save_checkpoint(path, forged), ValueError);
    save_safetensors(path, forged.tensors, detail::metadata_of(forged));
    EXPECT_THAT([&] { load_checkpoint(path); }, ThrowsMessage<IoError>(HasSubstr(reason)));
    fs::remove(path);
  };
  refuses(sample(-1), "not a sound checkpoint: its step is -1");
  Checkpoint batch = sample(1);
  batch.position.batch = -3;
  refuses(batch, "not a sound checkpoint: its batch is -3");
}

TEST(Checkpoint, NothingIsLeftWhereItCannotBeSaved) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "run");
  EXPECT_THAT([&] { save_checkpoint(folder.path() / "run", sample(1)); },
              ThrowsMessage<IoError>(HasSubstr("it is a folder")));
  fs::create_directory(folder.path() / "next.previous");
  EXPECT_THAT([&] { save_checkpoint(folder.path() / "next", sample(1)); },
              ThrowsMessage<IoError>(
                  HasSubstr("next.previous: cannot save a checkpoint there, it is a folder")));
  EXPECT_EQ(folder.count(), 2u) << "the folders alone";
  EXPECT_THAT([&] { save_checkpoint("", sample(1)); }, ThrowsMessage<IoError>(HasSubstr("empty")));
}

TEST(Checkpoint, RestoresVariablesByName) {
  const Variable w("w", Tensor::zeros({2}));
  const Variable steps("steps", Tensor::zeros({1}, DType::int64));
  const Checkpoint checkpoint{.tensors = {{"steps", Tensor::from({1}, {5}, DType::int64)},
                                          {"w", Tensor::from({2}, {3, 4})}}};
  restore({w, steps}, checkpoint);
  EXPECT_EQ(w.value().get(1), 4);
  EXPECT_EQ(steps.value().item(), 5);
}

TEST(Checkpoint, RestoresTheWeightsOfATrainingRunAlone) {
  const Variable w("w", Tensor::zeros({2}));
  const Checkpoint checkpoint{.tensors = {{"w.first_moment", Tensor::from({2}, {1, 2})},
                                          {"w", Tensor::from({2}, {3, 4})},
                                          {"adamw.steps", Tensor::scalar(9, DType::int64)}}};
  EXPECT_THAT([&] { restore({w}, checkpoint); },
              ThrowsMessage<ValueError>(HasSubstr("allow unexpected keys")));
  EXPECT_EQ(w.value().get(1), 0);
  restore({w}, checkpoint, {.allow_unexpected_keys = true});
  EXPECT_EQ(w.value().get(1), 4);
  const Variable missing("v", Tensor::zeros({1}));
  EXPECT_THAT(
      [&] {
        restore({w, missing}, checkpoint, {.allow_unexpected_keys = true});
      },
      ThrowsMessage<ValueError>(HasSubstr("has no `v`")));
}

TEST(Checkpoint, OneTensorIsNotRestoredToTwoVariables) {
  const Variable w("w", Tensor::zeros({2}));
  const Variable same("w", Tensor::zeros({2}));
  EXPECT_THAT(
      [&] {
        restore({w, same}, {.tensors = {{"w", Tensor::zeros({2})}}});
      },
      ThrowsMessage<ValueError>(HasSubstr("two variables to be restored are called `w`")));
}

TEST(Checkpoint, RestoresAllOrNothing) {
  const Variable w("w", Tensor::zeros({2}));
  const auto attempt = [&](const char* name, const Tensor& tensor) {
    restore({w}, {.tensors = {{"w", Tensor::full({2}, 1)}, {name, tensor}}});
  };
  EXPECT_THAT([&] { attempt("v", Tensor::zeros({1})); },
              ThrowsMessage<ValueError>(HasSubstr("the unexpected key `v`")));
  const Variable v("v", Tensor::zeros({3}));
  const auto with_v = [&](const Checkpoint& checkpoint) { restore({w, v}, checkpoint); };
  EXPECT_THAT(
      [&] {
        with_v({.tensors = {{"w", Tensor::full({2}, 1)}}});
      },
      ThrowsMessage<ValueError>(HasSubstr("has no `v`")));
  EXPECT_THAT(
      [&] {
        with_v({.tensors = {{"w", Tensor::full({2}, 1)}, {"v", Tensor::zeros({4})}}});
      },
      ThrowsMessage<ShapeError>(HasSubstr("`v` has shape [3], in the checkpoint [4]")));
  EXPECT_THAT(
      [&] {
        with_v(
            {.tensors = {{"w", Tensor::full({2}, 1)}, {"v", Tensor::zeros({3}, DType::float16)}}});
      },
      ThrowsMessage<DTypeError>(HasSubstr("`v` is float32, in the checkpoint float16")));
  EXPECT_EQ(w.value().get(0), 0) << "nothing was assigned";
  EXPECT_THROW(values_of({w, Variable("w", Tensor::zeros({1}))}), ValueError);
}

TEST(Checkpoint, APositionFitsOneOrderOnly) {
  const data::Dataset dataset{Tensor::zeros({10, 2}), Tensor::zeros({10}, DType::int64)};
  const data::Batches batches(dataset, {.batch_size = 4, .seed = 3});
  Checkpoint checkpoint{.data_order = batches.description()};
  EXPECT_EQ(checkpoint.data_order, "10 examples in batches of 4, shuffled with seed 3");
  for (const std::int64_t batch : {0, 2}) {
    checkpoint.position.batch = batch;
    require_same_order(checkpoint, batches);
  }
  for (const std::int64_t batch : {std::int64_t{-1}, std::int64_t{3}, INT64_MAX}) {
    checkpoint.position.batch = batch;
    EXPECT_THAT([&] { require_same_order(checkpoint, batches); },
                ThrowsMessage<ValueError>(HasSubstr("but an epoch has 3")));
  }
  const data::Batches other(dataset, {.batch_size = 4, .drop_last = true, .seed = 3});
  EXPECT_THAT([&] { require_same_order(checkpoint, other); },
              ThrowsMessage<ValueError>(HasSubstr("but now there are 10 examples in batches of 4, "
                                                  "shuffled with seed 3, the rest dropped")));
}

TEST(Position, GoesThroughAllBatches) {
  const data::Dataset dataset{Tensor::zeros({10, 2}), Tensor::zeros({10}, DType::int64)};
  const data::Batches batches(dataset, {.batch_size = 4});
  data::Position at;
  std::vector<std::pair<std::uint64_t, std::int64_t>> seen;
  for (int i = 0; i < 5; ++i, at = batches.after(at)) seen.emplace_back(at.epoch, at.batch);
  EXPECT_THAT(seen, testing::ElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(0, 2),
                                         std::pair(1, 0), std::pair(1, 1)));
  EXPECT_EQ(batches.after({4, INT64_MAX}), (data::Position{5, 0})) << "beyond all batches";
}

TEST(RandomSequence, GoesOnWhereItStopped) {
  RandomSequence all(5, 6);
  for (int i = 0; i < 3; ++i) all.bits();
  RandomSequence rest(all.seed(), all.stream(), all.index());
  EXPECT_EQ(rest, all);
  EXPECT_EQ(rest.bits(), Random(5, 6).bits(3));
  EXPECT_EQ(all.bits(), Random(5, 6).bits(3));
  EXPECT_EQ(all.uniform(), Random(5, 6).uniform(4));
  EXPECT_EQ(all.normal(), Random(5, 6).normal(5));
  EXPECT_EQ(all.below(10), Random(5, 6).below(6, 10));
}

}  // namespace
}  // namespace aclgrad
