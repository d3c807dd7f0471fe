// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "tests/support/message_of.h"

namespace aclgrad::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Example i has features (i, 10 i) and label i.
Dataset counted(std::int64_t count) {
  Dataset dataset{Tensor::zeros({count, 2}), Tensor::arange(count, 0, 1, DType::int32)};
  for (std::int64_t i = 0; i < count; ++i) {
    dataset.features.set(2 * i, static_cast<double>(i));
    dataset.features.set(2 * i + 1, 10.0 * static_cast<double>(i));
  }
  return dataset;
}

/// The labels, after checking that each still has its own features.
std::vector<std::int32_t> labels_of(const Dataset& dataset) {
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    labels.push_back(dataset.labels.data<std::int32_t>()[static_cast<std::size_t>(i)]);
    EXPECT_EQ(dataset.features.at({i, 0}), labels.back());
    EXPECT_EQ(dataset.features.at({i, 1}), 10 * labels.back());
  }
  return labels;
}

std::vector<std::vector<std::int32_t>> batches_of(const Batches& batches, std::uint64_t epoch) {
  std::vector<std::vector<std::int32_t>> all;
  for (const Dataset& batch : batches.epoch(epoch)) all.push_back(labels_of(batch));
  return all;
}

TEST(DatasetTest, SizeNeedsAsManyLabels) {
  EXPECT_EQ(counted(4).size(), 4);
  const Dataset wrong{Tensor::zeros({3, 2}), Tensor::zeros({4})};
  EXPECT_THAT([&] { wrong.size(); }, ThrowsMessage<ShapeError>(HasSubstr("[3, 2] and labels")));
  EXPECT_THROW((Dataset{Tensor::scalar(1), Tensor::zeros({1})}.size()), ShapeError);
}

TEST(DatasetTest, TakeRows) {
  const std::vector<std::int64_t> rows = {2, 0, 2};
  EXPECT_THAT(labels_of(take(counted(3), rows)), ElementsAre(2, 0, 2));
  const std::vector<std::int64_t> outside = {3};
  EXPECT_THAT(
      [&] {
        take_rows(Tensor::zeros({3, 1}), outside);
      },
      ThrowsMessage<ShapeError>("row 3 is out of range for shape [3, 1]"));
  EXPECT_EQ(take_rows(Tensor::zeros({3, 0}), rows).shape(), (Shape{3, 0}));
}

TEST(SplitTest, IsSeededAndComplete) {
  const Split parts = split(counted(6), 2.0 / 3, 11);
  EXPECT_THAT(labels_of(parts.train), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(labels_of(parts.test), ElementsAre(0, 5));
  EXPECT_EQ(split(counted(7), 0.5, 1).train.size(), 4);
  EXPECT_EQ(split(counted(7), 1, 1).test.size(), 0);
  EXPECT_EQ(split(counted(7), 0, 1).test.size(), 7);
  for (const double fraction : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT([&] { split(counted(7), fraction, 1); },
                ThrowsMessage<ValueError>(HasSubstr("must lie in [0, 1]")));
  }
}

TEST(BatchesTest, EpochsHaveTheirOwnFixedOrders) {
  const Batches batches(counted(5), {.batch_size = 2, .seed = 3});
  EXPECT_EQ(batches.batches_per_epoch(), 3);
  EXPECT_THAT(batches_of(batches, 0),
              ElementsAre(ElementsAre(3, 1), ElementsAre(4, 2), ElementsAre(0)));
  EXPECT_THAT(batches_of(batches, 1),
              ElementsAre(ElementsAre(0, 4), ElementsAre(3, 2), ElementsAre(1)));
  EXPECT_EQ(batches_of(batches, 0), batches_of(batches, 0));
}

TEST(BatchesTest, OtherSeedsGiveOtherOrders) {
  const Batches a(counted(50), {.batch_size = 50, .seed = 1});
  const Batches b(counted(50), {.batch_size = 50, .seed = 2});
  EXPECT_NE(batches_of(a, 0), batches_of(b, 0));
  EXPECT_NE(batches_of(a, 0), batches_of(a, 1));
  std::vector<std::int32_t> labels = batches_of(a, 7)[0];
  std::ranges::sort(labels);
  for (std::size_t i = 0; i < labels.size(); ++i) ASSERT_EQ(labels[i], static_cast<int>(i));
}

TEST(BatchesTest, InOrderAndWithoutTheRest) {
  const Batches batches(counted(5), {.batch_size = 2, .shuffle = false, .drop_last = true});
  EXPECT_THAT(batches_of(batches, 4), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  const Batches even(counted(4), {.batch_size = 2, .shuffle = false});
  EXPECT_EQ(even.batches_per_epoch(), 2);
  const Batches small(counted(3), {.batch_size = 8, .drop_last = true});
  EXPECT_EQ(small.batches_per_epoch(), 0);
  EXPECT_TRUE(batches_of(small, 0).empty());
  EXPECT_THROW(even.epoch(0)[2], ShapeError);
}

TEST(BatchesTest, RejectsBadArguments) {
  EXPECT_THAT([] { Batches(counted(5), {.batch_size = 0}); },
              ThrowsMessage<ValueError>("the batch size must be at least 1, got 0"));
  EXPECT_THROW(Batches({Tensor::zeros({3, 2}), Tensor::zeros({4})}, {}), ShapeError);
}

TEST(StandardizerTest, UsesTheTrainingColumns) {
  const Standardizer standardize(Tensor::from({4, 2}, {1, 5, 3, 5, 1, 5, 3, 5}));
  EXPECT_THAT(standardize.means(), ElementsAre(2, 5));
  EXPECT_THAT(standardize.stddevs(), ElementsAre(1, 1));
  const Tensor moved = standardize(Tensor::from({1, 2}, {4, 7}));
  EXPECT_EQ(moved.dtype(), DType::float32);
  EXPECT_THAT(moved.data<float>(), ElementsAre(2, 2));
  EXPECT_THAT(
      [&] {
        standardize(Tensor::zeros({1, 3}));
      },
      ThrowsMessage<ShapeError>("the standardizer was made for [n, 2], got shape [1, 3]"));
  EXPECT_THROW(Standardizer(Tensor::zeros({0, 2})), ShapeError);
  EXPECT_THROW(Standardizer(Tensor::zeros({4})), ShapeError);
  const Standardizer constant(Tensor::full({3, 1}, 0.1, DType::float64));
  EXPECT_NEAR(constant(Tensor::full({1, 1}, 0.1, DType::float64)).item(), 0, 1e-12);
}

TEST(StandardizerTest, KeepsFloatingDtypes) {
  const Standardizer standardize(Tensor::from({2, 1}, {1, 3}));
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    const Tensor moved = standardize(Tensor::full({1, 1}, 5, dtype));
    EXPECT_TRUE(bitwise_equal(moved, Tensor::full({1, 1}, 3, dtype)));
    EXPECT_TRUE(bitwise_equal(standardize.inverse(moved), Tensor::full({1, 1}, 5, dtype)));
  }
  EXPECT_EQ(standardize(Tensor::full({1, 1}, 5, DType::int64)).dtype(), DType::float32);
  EXPECT_THROW(standardize.inverse(Tensor::zeros({1, 2})), ShapeError);
}

TEST(StandardizerTest, IsKeptInAFile) {
  const Standardizer made(Tensor::from({3, 2}, {0.1, 10, 0.7, 10, 0.3, 10}));
  const Tensor state = made.state();
  EXPECT_EQ(state.shape(), (Shape{2, 2}));
  const Standardizer again = Standardizer::from_state(state);
  EXPECT_EQ(again.means(), made.means());
  EXPECT_EQ(again.stddevs(), made.stddevs());
  EXPECT_TRUE(bitwise_equal(again.state(), state));
  EXPECT_THROW(Standardizer::from_state(Tensor::zeros({3, 2})), ShapeError);
  EXPECT_THROW(Standardizer::from_state(Tensor::zeros({2})), ShapeError);
  EXPECT_THAT(
      [] {
        Standardizer::from_state(Tensor::from({2, 2}, {1, 2, 1, 0}));
      },
      ThrowsMessage<ValueError>("column 1 of a standardizer's state has the standard deviation 0"));
  EXPECT_THAT(
      [] {
        Standardizer::from_state(Tensor::from({2, 1}, {NAN, 1}));
      },
      ThrowsMessage<ValueError>("column 0 of a standardizer's state has the mean nan"));
}

TEST(StandardizerTest, ConstantColumnsAreOnlyShifted) {
  const Tensor features = Tensor::full({60000, 1}, 0.1);
  const Standardizer standardizer(features);
  EXPECT_EQ(standardizer.stddevs()[0], 1);
  EXPECT_TRUE(bitwise_equal(standardizer(features), Tensor::zeros({60000, 1})));
}

TEST(ClassesTest, TheLargestScoreWins) {
  const double nan = std::nan("");
  const Tensor scores = Tensor::from({4, 3}, {0, 2, 1, 5, 5, 4, -3, -2, -1, 9, nan, 10});
  EXPECT_TRUE(bitwise_equal(argmax(scores), Tensor::from({4}, {1, 0, 2, 1}, DType::int64)));
  EXPECT_EQ(argmax(Tensor::zeros({0, 3})).shape(), (Shape{0}));
  EXPECT_THROW(argmax(Tensor::zeros({3})), ShapeError);
  EXPECT_THROW(argmax(Tensor::zeros({3, 0})), ShapeError);
}

TEST(ClassesTest, AccuracyIsTheShareOfWhatIsRight) {
  const Tensor actual = Tensor::from({4}, {1, 0, 2, 1}, DType::int64);
  EXPECT_EQ(accuracy(actual, actual), 1);
  EXPECT_EQ(accuracy(Tensor::from({4}, {1, 1, 1, 1}), actual), 0.5);
  EXPECT_THROW(accuracy(actual, Tensor::zeros({3})), ShapeError);
  EXPECT_THROW(accuracy(Tensor::zeros({0}), Tensor::zeros({0})), ShapeError);
  EXPECT_THROW(accuracy(Tensor::zeros({2, 2}), Tensor::zeros({2, 2})), ShapeError);
}

TEST(PrepareTest, RescaleAndOneHot) {
  const Tensor pixels = Tensor::from({2}, {0, 255}, DType::uint8);
  EXPECT_THAT(rescale(pixels, 2.0 / 255, -1).data<float>(), ElementsAre(-1, 1));
  const Tensor coded = one_hot(Tensor::from({3}, {2, 0, 1}, DType::int32), 3);
  EXPECT_EQ(to_string(coded), "[[0, 0, 1], [1, 0, 0], [0, 1, 0]]");
  for (const double label : {3.0, -1.0, 0.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT([&] { one_hot(Tensor::from({1}, {label}), 3); },
                ThrowsMessage<ValueError>(HasSubstr("is not a class in 0 .. 2")));
  }
  EXPECT_THROW(one_hot(Tensor::zeros({2, 2}), 3), ShapeError);
}

TEST(FromTable, TakesTheLabelsOutOfAnyColumn) {
  const Tensor table = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto expect = [&](std::int64_t column, const Tensor& features, const Tensor& labels) {
    const Dataset dataset = from_table(table, column);
    EXPECT_TRUE(bitwise_equal(dataset.features, features)) << dataset.features;
    EXPECT_TRUE(bitwise_equal(dataset.labels, labels)) << dataset.labels;
  };
  expect(-1, Tensor::from({2, 2}, {1, 2, 4, 5}), Tensor::from({2}, {3, 6}, DType::int64));
  expect(0, Tensor::from({2, 2}, {2, 3, 5, 6}), Tensor::from({2}, {1, 4}, DType::int64));
  expect(1, Tensor::from({2, 2}, {1, 3, 4, 6}), Tensor::from({2}, {2, 5}, DType::int64));
  EXPECT_THROW(from_table(table, 3), ShapeError);
  EXPECT_THROW(from_table(table, -4), ShapeError);
  EXPECT_THROW(from_table(Tensor::zeros({3})), ShapeError);
}

TEST(FromTable, AClassIsAWholeNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& [label, text] :
       {std::pair(24.6, "24.6"), std::pair(nan, "nan"), std::pair(inf, "inf"),
        std::pair(-0.9, "-0.9"), std::pair(0x1p63, "9.223372036854776e+18")}) {
    const Tensor table = Tensor::from({3, 2}, {1, 2, 3, label, 5, 6}, DType::float64);
    EXPECT_THAT(
        [&] { from_table(table); },
        ThrowsMessage<ValueError>(HasSubstr(std::string("row 1 (of 0 to 2), column 1: the label ") +
                                            text + " is no whole number")));
    const Dataset numbers = from_table(table, -1, Labels::numbers);
    EXPECT_EQ(numbers.labels.shape(), (Shape{3, 1}));
    EXPECT_EQ(numbers.labels.dtype(), DType::float32);
    EXPECT_TRUE(std::isnan(label) || numbers.labels.get(1) == static_cast<float>(label));
  }
  Tensor table = Tensor::zeros({1, 2}, DType::int64);
  table.data<std::int64_t>()[1] = 9007199254740993;
  EXPECT_EQ(from_table(table).labels.data<std::int64_t>()[0], 9007199254740993);
  EXPECT_EQ(from_table(Tensor::from({1, 1}, {-3})).labels.get(0), -3);
  EXPECT_EQ(from_table(Tensor::zeros({0, 2})).size(), 0);
}

TEST(BatchesOfAFunction, GetAsManyExamplesAsTheyAskFor) {
  const auto message = [](std::int64_t more, std::int64_t transformed) {
    const Batches batches(
        20,
        [=](std::span<const std::int64_t> rows) {
          return Dataset{Tensor::zeros({std::ssize(rows) + more, 1}),
                         Tensor::zeros({std::ssize(rows) + more})};
        },
        {.batch_size = 16, .transform = [=](Dataset batch, const Random&) {
           if (transformed < 0) return batch;
           return Dataset{Tensor::zeros({transformed, 1}), Tensor::zeros({transformed})};
         }});
    return message_of<ShapeError>([&] { return batches.batch({3, 0}); });
  };
  EXPECT_EQ(message(4, -1),
            "batch 0 of epoch 3: the function that makes examples returned 20 "
            "examples where 16 were asked for");
  EXPECT_THAT(message(-16, -1), HasSubstr("returned 0 examples where 16"));
  EXPECT_EQ(message(0, 2),
            "batch 0 of epoch 3: the transform returned 2 examples where 16 were asked for");
}

TEST(BatchesOfAFunction, SayThatAnOrderOfSoManyDoesNotFit) {
  const Batches endless(std::int64_t{1} << 62,
                        [](std::span<const std::int64_t>) { return Dataset(); }, {});
  EXPECT_THAT(message_of<ValueError>([&] {
                return endless.batch({0, 0});
              }),
              HasSubstr("the numbers of 4611686018427387904 rows do not fit into memory"));
  EXPECT_THROW(random_shift(Tensor::zeros({1, 1, 2, 2}), std::int64_t{1} << 62, Random(0)),
               ValueError);
}

TEST(SplitInParts, GivesEveryExampleToOnePart) {
  const std::vector<Dataset> parts = split(counted(21), {0.6, 0.2, 0.2}, 3);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].size(), 13);
  EXPECT_EQ(parts[1].size() + parts[2].size(), 8);
  std::set<double> seen;
  for (const Dataset& part : parts) {
    for (std::int64_t i = 0; i < part.size(); ++i) seen.insert(part.labels.get(i));
  }
  EXPECT_EQ(seen.size(), 21u);
  EXPECT_TRUE(bitwise_equal(split(counted(21), 0.6, 3).train.labels, parts[0].labels));
  EXPECT_THROW(split(counted(21), {0.5, 0.4}, 3), ValueError);
  EXPECT_THROW(split(counted(21), {1.5, -0.5}, 3), ValueError);
}

TEST(BatchesOfAFunction, AskForTheExamplesThatTheyNeed) {
  const Batches made(7, [](std::span<const std::int64_t> rows) { return take(counted(7), rows); },
                     {.batch_size = 3, .seed = 5});
  const Batches kept(counted(7), {.batch_size = 3, .seed = 5});
  ASSERT_EQ(made.batches_per_epoch(), 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(bitwise_equal(made.epoch(2)[i].features, kept.epoch(2)[i].features));
    EXPECT_TRUE(bitwise_equal(made.batch({2, i}).features, kept.epoch(2)[i].features));
  }
  const Batches endless(std::int64_t{1} << 50,
                        [](std::span<const std::int64_t> rows) {
                          return Dataset{Tensor::from({std::ssize(rows)}, rows),
                                         Tensor::from({std::ssize(rows)}, rows)};
                        },
                        {.batch_size = 2, .shuffle = false});
  EXPECT_EQ(endless.batch({0, std::int64_t{1} << 40}).labels.get(1), 0x1p41 + 1);
  EXPECT_THROW(endless.batch({0, std::int64_t{1} << 50}), ShapeError);
}

TEST(Transforms, AreTheSameForTheSameSeedEpochAndBatch) {
  const auto noisy = [](Dataset batch, const Random& random) {
    for (std::int64_t i = 0; i < batch.features.numel(); ++i) {
      batch.features.set(i, random.uniform(static_cast<std::uint64_t>(i)));
    }
    return batch;
  };
  const Batches a(counted(8), {.batch_size = 4, .seed = 5, .transform = noisy});
  const Batches b(counted(8), {.batch_size = 4, .seed = 6, .transform = noisy});
  EXPECT_TRUE(bitwise_equal(a.epoch(1)[0].features, a.batch({1, 0}).features));
  EXPECT_FALSE(bitwise_equal(a.epoch(1)[0].features, a.epoch(1)[1].features));
  EXPECT_FALSE(bitwise_equal(a.epoch(1)[0].features, a.epoch(2)[0].features));
  EXPECT_FALSE(bitwise_equal(a.epoch(1)[0].features, b.epoch(1)[0].features));
}

TEST(Transforms, ShiftImagesAndLeaveZerosBehind) {
  const Tensor images = Tensor::full({40, 2, 5, 6}, 1);
  const Tensor moved = random_shift(images, 2, Random(1));
  std::set<double> sums;
  for (std::int64_t n = 0; n < 40; ++n) {
    double left = 0;
    for (std::int64_t i = 0; i < 30; ++i) {
      left += moved.get(n * 60 + i);
      EXPECT_EQ(moved.get(n * 60 + i), moved.get(n * 60 + 30 + i)) << "channels move together";
    }
    sums.insert(left);
  }
  for (const double sum : sums) {
    EXPECT_TRUE(testing::Matches(testing::AnyOf(30, 24, 18, 25, 20, 15, 12, 16))(sum)) << sum;
  }
  EXPECT_GT(sums.size(), 4u);
  EXPECT_TRUE(bitwise_equal(random_shift(images, 0, Random(1)), images));
  EXPECT_THROW(random_shift(Tensor::zeros({2, 2}), 1, Random(1)), ShapeError);
  EXPECT_THROW(random_shift(images, -1, Random(1)), ValueError);
}

TEST(Transforms, MirrorHalfOfTheImages) {
  const Tensor images = Tensor::arange(100 * 3).reshape({100, 1, 1, 3});
  const Tensor mirrored = random_flip(images, Random(2));
  int flipped = 0;
  for (std::int64_t n = 0; n < 100; ++n) {
    EXPECT_EQ(mirrored.get(n * 3 + 1), images.get(n * 3 + 1));
    const bool is_flipped = mirrored.get(n * 3) != images.get(n * 3);
    EXPECT_EQ(mirrored.get(n * 3), images.get(n * 3 + (is_flipped ? 2 : 0)));
    flipped += is_flipped ? 1 : 0;
  }
  EXPECT_GT(flipped, 30);
  EXPECT_LT(flipped, 70);
}

}  // namespace
}  // namespace aclgrad::data
