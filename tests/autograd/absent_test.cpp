// SPDX-License-Identifier: Apache-2.0
// What does not count changes nothing, whatever it holds: targets that are ignored, classes and
// elements of weight 0, steps behind a sample's length, padding, pairs that are neither.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/run.h"

namespace aclgrad::absent {
namespace {

constexpr std::int64_t kRows = 6, kClasses = 5;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Records with `absent` in the places that do not count.
struct Recording {
  Graph graph{Mode::training};
  DType dtype;
  double absent;
  std::vector<Value> parameters = {};

  // Numbers below 0, like log-probabilities, with what is absent where `where` says.
  Tensor numbers(const Shape& shape, const std::function<bool(std::int64_t)>& where) const {
    Tensor tensor = Tensor::zeros(shape, dtype);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      tensor.set(i, where(i) ? absent : -0.25 * static_cast<double>(1 + i * 7 % 11));
    }
    return tensor;
  }
  Value parameter(const Shape& shape, const std::function<bool(std::int64_t)>& where) {
    parameters.push_back(
        graph.parameter("x" + std::to_string(parameters.size()), numbers(shape, where)));
    return parameters.back();
  }
  Value constant(const Tensor& tensor) { return graph.constant(tensor); }
};

using Record = std::function<Value(Recording&)>;

std::vector<Tensor> results_of(const Record& record, DType dtype, double absent) {
  Recording recording{.dtype = dtype, .absent = absent};
  const Value y = record(recording);
  const Value seed = recording.constant(Tensor::full(y.shape(), 2, y.dtype()));
  std::vector<Tensor> all = computed(with_gradients(y, recording.parameters, seed));
  for (Tensor& each : all) each = each.to(DType::float64);
  return all;
}

void expect_no_difference(const std::string& name, const Record& record) {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    const std::vector<Tensor> want = results_of(record, dtype, -0.5);
    for (const double absent : {std::nan(""), kInfinity, -kInfinity}) {
      const std::vector<Tensor> got = results_of(record, dtype, absent);
      for (std::size_t k = 0; k < got.size(); ++k) {
        for (std::int64_t i = 0; i < got[k].numel(); ++i) {
          ASSERT_TRUE(std::isfinite(want[k].get(i))) << name << " in " << to_string(dtype);
          ASSERT_EQ(got[k].get(i), want[k].get(i))
              << name << " in " << to_string(dtype) << ", " << absent << " where nothing counts: "
              << (k == 0 ? "the result" : "gradient " + std::to_string(k - 1)) << ", element " << i;
        }
      }
    }
  }
}

class Absent : public testing::TestWithParam<Reduction> {};
INSTANTIATE_TEST_SUITE_P(Parts, Absent,
                         testing::Values(Reduction::none, Reduction::mean, Reduction::sum),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

// Rows 1 and 4 are ignored; row 2 has a class of weight 0.
const Tensor kTargets = Tensor::from({kRows}, {0, -100, 3, 1, -100, 4}, DType::int64);
const Tensor kWeights = Tensor::from({kClasses}, {1, 2, 0.5, 0, 1.5});

bool is_ignored(std::int64_t i) { return i / kClasses == 1 || i / kClasses == 4; }
bool is_ignored_or_weightless(std::int64_t i) { return is_ignored(i) || i / kClasses == 2; }

TEST_P(Absent, TargetsAreIgnored) {
  const Reduction how = GetParam();
  for (const bool weighted : {false, true}) {
    const auto weight = [=](Recording& r) {
      return weighted ? r.constant(kWeights.to(r.dtype)) : Value();
    };
    const auto where = weighted ? is_ignored_or_weightless : is_ignored;
    expect_no_difference("nll_loss", [=](Recording& r) {
      const Value x = r.parameter({kRows, kClasses}, where);
      return nll_loss(x, r.constant(kTargets), {.weight = weight(r), .reduction = how});
    });
    expect_no_difference("cross_entropy", [=](Recording& r) {
      const Value x = r.parameter({kRows, kClasses}, where);
      return cross_entropy(x, r.constant(kTargets), {.weight = weight(r), .reduction = how});
    });
    // All classes of a row have their share of a smoothed target.
    expect_no_difference("cross_entropy, smoothed", [=](Recording& r) {
      const Value x = r.parameter({kRows, kClasses}, is_ignored);
      return cross_entropy(x, r.constant(kTargets),
                           {.weight = weight(r), .label_smoothing = 0.1, .reduction = how});
    });
  }
  // Of rows without any probability, and of rows with some of classes of weight 0 only.
  expect_no_difference("cross_entropy of probabilities", [=](Recording& r) {
    const Value x = r.parameter({kRows, kClasses}, is_ignored_or_weightless);
    Tensor target = Tensor::zeros({kRows, kClasses}, r.dtype);
    for (const std::int64_t row : {0, 3, 5}) target.set(row * kClasses + row % 3, 1);
    target.set(2 * kClasses + 3, 1);
    return cross_entropy(x, r.constant(target),
                         {.weight = r.constant(kWeights.to(r.dtype)), .reduction = how});
  });
}

TEST_P(Absent, ElementsHaveNoWeight) {
  const Reduction how = GetParam();
  const Tensor weight = Tensor::from({2, 3}, {1, 0, 2, 0, 0, 3});
  const auto where = [](std::int64_t i) { return i == 1 || i == 3 || i == 4; };
  for (const bool target_too : {false, true}) {
    const auto target = [=](Recording& r) {
      Tensor tensor = Tensor::full({2, 3}, 0.25, r.dtype);
      for (const std::int64_t i : {1, 3, 4}) {
        if (target_too) tensor.set(i, std::isfinite(r.absent) ? 0.5 : r.absent);
      }
      return r.constant(tensor);
    };
    expect_no_difference("bce_with_logits", [=](Recording& r) {
      const Value x = r.parameter({2, 3}, where);
      const Value weights = r.constant(weight.to(r.dtype));
      return bce_with_logits(x, target(r), {.weight = weights, .reduction = how});
    });
    expect_no_difference("binary_cross_entropy", [=](Recording& r) {
      Tensor chances = Tensor::full({2, 3}, 0.375, r.dtype);
      for (const std::int64_t i : {1, 3, 4}) chances.set(i, std::abs(r.absent));
      r.parameters.push_back(r.graph.parameter("chances", chances));
      const Value weights = r.constant(weight.to(r.dtype));
      return binary_cross_entropy(r.parameters[0], target(r),
                                  {.weight = weights, .reduction = how});
    });
  }
}

TEST_P(Absent, TargetsOfProbability0) {
  const Reduction how = GetParam();
  const auto where = [](std::int64_t i) { return i == 0 || i == 4; };
  const Tensor target = Tensor::from({2, 3}, {0, 0.5, 0.5, 0.25, 0, 0.75});
  expect_no_difference("kl_div", [=](Recording& r) {
    const Value x = r.parameter({2, 3}, where);
    return kl_div(x, r.constant(target.to(r.dtype)), {.reduction = how});
  });
  const Tensor logarithms = Tensor::from({2, 3}, {-kInfinity, -1, -1, -2, -kInfinity, -0.5});
  expect_no_difference("kl_div of logarithms", [=](Recording& r) {
    const Value x = r.parameter({2, 3}, where);
    return kl_div(x, r.constant(logarithms.to(r.dtype)), {.log_target = true, .reduction = how});
  });
}

TEST_P(Absent, PairsAreNeither) {
  const Reduction how = GetParam();
  const Tensor target = Tensor::from({4}, {1, 0, -1, 0}, DType::int64);
  expect_no_difference("cosine_embedding_loss", [=](Recording& r) {
    const auto where = [](std::int64_t i) { return i / 3 % 2 == 1; };
    const Value a = r.parameter({4, 3}, where);
    const Value b = r.parameter({4, 3}, where);
    return cosine_embedding_loss(a, b, r.constant(target), {.reduction = how});
  });
}

TEST_P(Absent, StepsAreBehindTheLength) {
  const Reduction how = GetParam();
  // Samples of 6 and 4 steps, the second with padding behind its label, too.
  const Tensor targets = Tensor::from({2, 2}, {1, 2, 3, 9}, DType::int64);
  for (const bool through_softmax : {false, true}) {
    expect_no_difference("ctc_loss", [=](Recording& r) {
      const auto where = [](std::int64_t i) { return i / 5 % 2 == 1 && i / 10 >= 4; };
      const Value x = r.parameter({6, 2, 5}, where);
      return ctc_loss(through_softmax ? log_softmax(x, -1) : x, r.constant(targets), {6, 4}, {2, 1},
                      {.reduction = how});
    });
  }
}

TEST(NotThere, IndicesAreInNoBagOrArePadding) {
  const Tensor indices = Tensor::from({7}, {0, 2, 1, 2, 3, 1, 0}, DType::int64);
  // The last two are behind the last offset; row 2 is padding.
  const Tensor offsets = Tensor::from({3}, {0, 3, 5}, DType::int64);
  const auto is_padding = [](std::int64_t i) { return i / 2 == 2; };
  const auto is_absent = [](std::int64_t i) { return i == 1 || i == 3 || i >= 5; };
  for (const BagMode mode : {BagMode::sum, BagMode::mean, BagMode::max}) {
    expect_no_difference("embedding_bag", [=](Recording& r) {
      const Value table = r.parameter({4, 2}, is_padding);
      return embedding_bag(table, r.constant(indices), r.constant(offsets),
                           {.mode = mode, .include_last_offset = true, .padding_idx = 2});
    });
  }
  expect_no_difference("embedding_bag with weights", [=](Recording& r) {
    const Value table = r.parameter({4, 2}, is_padding);
    const Value weights = r.parameter({7}, is_absent);
    return embedding_bag(table, r.constant(indices), r.constant(offsets),
                         {.mode = BagMode::sum,
                          .per_sample_weights = weights,
                          .include_last_offset = true,
                          .padding_idx = 2});
  });
}

TEST(NotThere, PaddingOfAnEmbeddingIsInNoGradient) {
  const Tensor indices = Tensor::from({5}, {0, 2, 1, 2, 3}, DType::int64);
  expect_no_difference("embedding_dense_backward", [=](Recording& r) {
    const Value g = r.parameter({5, 2}, [](std::int64_t i) { return i / 2 == 1 || i / 2 == 3; });
    return embedding_dense_backward(g, r.constant(indices), 4, 2);
  });
  // And of its gradient, what arrives at the padding.
  expect_no_difference("its gradient", [=](Recording& r) {
    const Value g = r.parameter({5, 2}, [](std::int64_t) { return false; });
    const Value rows = embedding_dense_backward(g, r.constant(indices), 4, 2);
    const Value arriving = r.constant(r.numbers({4, 2}, [](std::int64_t i) { return i / 2 == 2; }));
    return backward(rows, {g}, {.seed = arriving})[g] + mul(g, g);
  });
}

TEST(NotThere, PlacesAreMasked) {
  const Tensor mask = Tensor::from({2, 3}, {0, 1, 0, 1, 0, 0}, DType::boolean);
  const auto where = [](std::int64_t i) { return i == 1 || i == 3; };
  expect_no_difference("masked_fill", [=](Recording& r) {
    return exp(masked_fill(r.parameter({2, 3}, where), r.constant(mask), 1));
  });
  expect_no_difference("where", [=](Recording& r) {
    const Value x = r.parameter({2, 3}, where);
    const Value other = r.parameter({2, 3}, [=](std::int64_t i) { return !where(i); });
    return exp(aclgrad::where(r.constant(mask), other, x));
  });
}

}  // namespace
}  // namespace aclgrad::absent
