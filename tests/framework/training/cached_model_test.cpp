// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn/cached_model.h"

#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kClasses = 11, kPlaces = 24, kWidth = 8;

// With places of its own, or rotary ones.
struct Writer : Module {
  explicit Writer(bool rotary, bool causal = true, std::int64_t places = kPlaces)
      : positions(child("positions"), places, kWidth),
        first(child("first"), kWidth, 2, 12, {.causal = causal, .rotary = rotary}),
        second(child("second"), kWidth, 2, 12, {.causal = causal, .rotary = rotary}),
        has_positions(!rotary) {}
  Value operator()(const Value& text) const {
    const Tensor numbers = Tensor::arange(text.shape()[1], 0, 1, DType::int64);
    return out(second(first(placed(text, text.graph().constant(numbers)))));
  }
  Value operator()(const Value& tokens, AttentionCache& cache) const {
    return out(second(first(placed(tokens, cache.place()), cache), cache));
  }
  Value placed(const Value& text, const Value& numbers) const {
    return has_positions ? letters(text) + positions(numbers) : letters(text);
  }
  Embedding letters{child("letters"), kClasses, kWidth};
  Embedding positions;
  TransformerBlock first, second;
  Linear out{child("out"), kWidth, kClasses};
  bool has_positions;
};

Tensor prompt(std::vector<double> tokens, std::int64_t rows = 1) {
  const auto width = static_cast<std::int64_t>(tokens.size()) / rows;
  return Tensor::from({rows, width}, tokens, DType::int64);
}

TEST(CachedModel, GivesTheScoresOfTheLastPlace) {
  for (const bool rotary : {false, true}) {
    const Writer writer(rotary);
    CachedModel cached(writer, kPlaces);
    Predictor whole(writer);
    // Longer, shorter, another beginning, the same again, other rows, and longer again.
    for (const Tensor& text :
         {prompt({1, 2, 3}), prompt({1, 2, 3, 4, 5}), prompt({1, 2, 3}), prompt({1, 7, 3, 4}),
          prompt({1, 7, 3, 4}), prompt({1, 2, 3, 4}, 2), prompt({1, 2, 0, 3, 4, 9}, 2)}) {
      const Tensor scores = cached(text), expected = whole(text);
      const std::int64_t rows = text.shape()[0], width = text.shape()[1];
      ASSERT_EQ(scores.shape(), (Shape{rows, 1, kClasses}));
      for (std::int64_t n = 0; n < rows; ++n) {
        for (std::int64_t c = 0; c < kClasses; ++c) {
          EXPECT_NEAR(scores.get(n * kClasses + c),
                      expected.get(((n + 1) * width - 1) * kClasses + c), 1e-5);
        }
      }
    }
  }
}

// Prompts of any length at once, texts that fill the cache and make it double, to its last place.
TEST(CachedModel, GivesThemAcrossRoomThatDoubles) {
  constexpr std::int64_t kMany = 150;  // 64, 128, 150
  for (const bool rotary : {false, true}) {
    const Writer writer(rotary, /*causal=*/true, kMany);
    CachedModel cached(writer, kMany);
    Predictor whole(writer);
    Tensor all = Tensor::zeros({2, kMany}, DType::int64);
    for (std::int64_t i = 0; i < all.numel(); ++i)
      all.set(i, static_cast<double>(i * i % kClasses));
    for (const std::int64_t width : {1, 2, 37, 63, 64, 65, 66, 127, 128, 129, 149, 150, 10, 150}) {
      const Tensor text = all.slice(1, 0, width);
      const Tensor scores = cached(text), expected = whole(text).slice(1, width - 1, width);
      EXPECT_TRUE(allclose(scores, expected, 1e-4, 1e-4)) << rotary << " " << width;
    }
  }
}

// What an earlier text left behind the places of the next one is not looked at.
TEST(CachedModel, IsNotLedAstrayByWhatIsNotFinite) {
  const Writer writer(true);
  for (const Variable& each : writer.parameters()) {
    if (each.name() != "letters.weight") continue;
    Tensor weight = each.value();
    for (std::int64_t i = 0; i < kWidth; ++i) weight.set({10, i}, std::nan(""));
    each.assign(weight);
  }
  CachedModel cached(writer, kPlaces), fresh(writer, kPlaces);
  EXPECT_TRUE(std::isnan(cached(prompt({1, 2, 3, 10, 10, 10, 10})).get(0)));
  const Tensor scores = cached(prompt({1, 2, 3, 4}));
  EXPECT_TRUE(std::isfinite(scores.get(0)));
  EXPECT_TRUE(allclose(scores, fresh(prompt({1, 2, 3, 4})), 1e-5, 1e-5));
}

TEST(CachedModel, GivesNoScoresOfATextBeforeOneThatFailed) {
  const Writer writer(true);
  CachedModel cached(writer, kPlaces), fresh(writer, kPlaces);
  cached(prompt({1, 2, 3, 4}));
  EXPECT_ANY_THROW(cached(prompt({1, 2, 99})));
  EXPECT_TRUE(allclose(cached(prompt({1, 2})), fresh(prompt({1, 2})), 1e-5, 1e-5));
  EXPECT_ANY_THROW(cached(prompt({99})));
  EXPECT_TRUE(allclose(cached(prompt({1, 2})), fresh(prompt({1, 2})), 1e-5, 1e-5));
}

TEST(CachedModel, WritesTheSameTokens) {
  for (const bool rotary : {false, true}) {
    const Writer writer(rotary);
    CachedModel cached(writer, kPlaces);
    Predictor whole(writer);
    for (const double temperature : {0.0, 1.0}) {
      const GenerateOptions options{.length = kPlaces - 2, .temperature = temperature};
      RandomSequence one(3), other(3);
      EXPECT_TRUE(
          bitwise_equal(generate(std::ref(cached), prompt({1, 2, 3, 4}, 2), one, options),
                        generate(std::ref(whole), prompt({1, 2, 3, 4}, 2), other, options)));
    }
  }
}

TEST(CachedModel, FollowsWeightsThatChangeWhenItForgets) {
  const Writer writer(true);
  CachedModel cached(writer, kPlaces);
  const Tensor before = cached(prompt({1, 2}));
  seed_parameters(writer, 9);
  EXPECT_TRUE(bitwise_equal(cached(prompt({1, 2})), before));
  cached.forget();
  CachedModel fresh(writer, kPlaces);
  EXPECT_TRUE(bitwise_equal(cached(prompt({1, 2})), fresh(prompt({1, 2}))));
}

TEST(CachedModel, SaysWhatDoesNotFit) {
  const Writer writer(true), sees_all(true, /*causal=*/false);
  CachedModel cached(writer, 4);
  const auto refused = [&](CachedModel& model, const Tensor& tokens) {
    return message_of<ShapeError>([&] { model(tokens); });
  };
  EXPECT_THAT(refused(cached, prompt({1, 2, 3, 4, 5})),
              HasSubstr("5 tokens is longer than the 4 places"));
  EXPECT_THAT(refused(cached, Tensor::zeros({1, 2})), HasSubstr("tokens [N, T] of int64"));
  EXPECT_THAT(refused(cached, Tensor::zeros({1, 0}, DType::int64)), HasSubstr("[N, T]"));
  EXPECT_THROW(CachedModel(writer, 0), ValueError);
  EXPECT_THROW(CachedModel(CachedModel::Step(), 4), ValueError);
  CachedModel not_causal(sees_all, 4);
  EXPECT_THAT(message_of<ValueError>([&] { not_causal(prompt({1})); }),
              HasSubstr("`first.attention` is not causal"));
  CachedModel flat([](const Value& token, AttentionCache&) { return token; }, 4);
  EXPECT_THAT(refused(flat, prompt({1})), HasSubstr("scores [1, 1, C]"));
  RandomSequence random(1);
  EXPECT_THROW(generate(std::ref(cached), prompt({1, 2}), random, {.length = 1, .context = 3}),
               ShapeError);
}

}  // namespace
}  // namespace aclgrad
