// SPDX-License-Identifier: Apache-2.0
// aclnnBernoulliTensor, aclnnInplaceBernoulli, aclnnInplaceBernoulliTensor, aclnnInplaceRandom and
// its forms, aclnnRandperm, aclnnMultinomial: truths, integers, permutations, classes.
#include <fmt/format.h>

#include <limits>

#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_multinomial.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_randperm.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/random/random_kernel.h"

namespace aclgrad::ops::draws {
namespace {

// ---- Bernoulli ----------------------------------------------------------------------------------

namespace bernoulli {

// Where all have them: behind the probability come seed and offset.
enum : size_t { kSelf, kProb, kSeed, kOffset, kOut };

Rule is_probability() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const double value = arguments.scalar(kProb).to_double();
    if (value >= 0 && value <= 1) return std::nullopt;
    return fmt::format("{} must be in [0, 1], but is {}.", arguments.name(kProb), value);
  });
}

const OperatorSpec kInPlace{
    "aclnnInplaceBernoulli",
    {output("selfRef"), attribute("prob"), attribute("seed"), attribute("offset")},
    Rules{not_null({kSelf, kProb}), dtype_in(kSelf, kAllDtypes),
          dtype_in(kProb, kRealNumbersAndBool), max_rank(kSelf), is_probability()}};

OperatorSpec spec_with_tensor(const char* name, bool has_out) {
  const size_t out = has_out ? kOut : kSelf;
  std::vector<Parameter> parameters{has_out ? input("self") : output("selfRef"), input("prob"),
                                    attribute("seed"), attribute("offset")};
  if (has_out) parameters.push_back(output("out"));
  Rules rules{not_null({kSelf, kProb, out}), dtype_in(kSelf, kAllDtypes),
              dtype_in(kProb, kRealFloats)};
  if (has_out) rules.push_back(dtype_in(kOut, kAllDtypes));
  for (const size_t tensor : {kSelf, kProb}) rules.push_back(max_rank(tensor));
  rules.push_back(broadcasts_to(kProb, kSelf));
  if (has_out) rules.push_back(same_shape(kOut, kSelf));
  return {name, parameters, rules};
}

const OperatorSpec kTensorInPlace = spec_with_tensor("aclnnInplaceBernoulliTensor", false);
const OperatorSpec kTensor = spec_with_tensor("aclnnBernoulliTensor", true);

Plan plan_number(const Arguments& arguments) {
  return plan_bernoulli(arguments, kSelf, {arguments.scalar(kProb).to_double()},
                        stream_of(arguments, kSeed, kOffset));
}

template <size_t kResult>
Plan plan_tensor(const Arguments& arguments) {
  return plan_bernoulli(arguments, kResult, {0, kProb}, stream_of(arguments, kSeed, kOffset));
}

}  // namespace bernoulli

// ---- Integers -----------------------------------------------------------------------------------

namespace integers {

// Parameters before the seed: bounds, or none. Seed and offset in tensors have another offset.
struct Form {
  bool has_bounds;
  bool has_tensors;
  size_t seed() const { return has_bounds ? 3 : 1; }
  size_t offset() const { return seed() + 1; }
};
enum : size_t { kSelf, kFrom, kTo };

constexpr DtypeSet kSeeds{ACL_INT64};

// The least and largest integer of a dtype; of a floating one, as far as int64 has them.
struct Range {
  int64_t least, largest;
};

template <class T>
Range range() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

Range range_of(aclDataType dtype) {
  switch (dtype) {
    case ACL_BOOL:
      return {0, 1};
    case ACL_UINT8:
      return range<uint8_t>();
    case ACL_INT8:
      return range<int8_t>();
    case ACL_INT16:
      return range<int16_t>();
    case ACL_INT32:
      return range<int32_t>();
    case ACL_FLOAT16:
      return {-65504, 65504};
    default:
      return range<int64_t>();
  }
}

// Up to which integers a dtype has all of them.
int64_t largest_of_all(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT16:
      return int64_t{1} << 11;
    case ACL_BF16:
      return int64_t{1} << 8;
    case ACL_FLOAT:
      return int64_t{1} << 24;
    case ACL_DOUBLE:
      return int64_t{1} << 53;
    default:
      return range_of(dtype).largest;
  }
}

Rule bounds_fit() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t from = arguments.integer(kFrom), to = arguments.integer(kTo);
    if (from >= to) {
      return fmt::format("{} must be below {}, but they are {} and {}.", arguments.name(kFrom),
                         arguments.name(kTo), from, to);
    }
    const Range range = range_of(arguments.dtype(kSelf));
    if (from >= range.least && to - 1 <= range.largest) return std::nullopt;
    return fmt::format("{} and {} - 1 must be numbers of {}, in [{}, {}], but are {} and {}.",
                       arguments.name(kFrom), arguments.name(kTo),
                       dtype_name(arguments.dtype(kSelf)), range.least, range.largest, from,
                       to - 1);
  });
}

OperatorSpec spec(const char* name, const Form& form) {
  std::vector<Parameter> parameters{output("selfRef")};
  Rules rules{not_null({kSelf})};
  const auto add = [&](const Rules& more) { rules.insert(rules.end(), more.begin(), more.end()); };
  if (form.has_bounds) {
    parameters.insert(parameters.end(), {attribute("from"), attribute("to")});
  }
  const std::vector<size_t> seeds{form.seed(), form.offset()};
  if (form.has_tensors) {
    parameters.insert(parameters.end(),
                      {input("seedTensor"), input("offsetTensor"), attribute("offset")});
    add(not_null({seeds[0], seeds[1]}));
  } else {
    parameters.insert(parameters.end(), {attribute("seed"), attribute("offset")});
  }
  add(dtype_in(kSelf, kRealNumbersAndBool));
  if (form.has_tensors) add(dtype_in(seeds, kSeeds));
  add(max_rank(kSelf));
  if (form.has_tensors) add({has_shape(seeds[0], {1}), has_shape(seeds[1], {1})});
  if (form.has_bounds) add(bounds_fit());
  return {name, parameters, rules};
}

Plan plan(const Arguments& arguments, const Form& form) {
  const int64_t from = form.has_bounds ? arguments.integer(kFrom) : 0;
  const int64_t last =
      form.has_bounds ? arguments.integer(kTo) - 1 : largest_of_all(arguments.dtype(kSelf));
  const uint64_t count = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
  return plan_integers(
      arguments, kSelf, from, count,
      form.has_tensors ? stream_in_tensors(arguments, form.seed(), form.offset(), form.offset() + 1)
                       : stream_of(arguments, form.seed(), form.offset()));
}

const OperatorSpec kRandom = spec("aclnnInplaceRandom", {true, false});
const OperatorSpec kRandomTensor = spec("aclnnInplaceRandomTensor", {true, true});
const OperatorSpec kWithoutFromTo = spec("aclnnInplaceRandomWithoutFromTo", {false, false});
const OperatorSpec kWithoutFromToTensor =
    spec("aclnnInplaceRandomWithoutFromToTensor", {false, true});

template <bool kHasBounds, bool kHasTensors>
constexpr auto kPlan = [](const Arguments& arguments) {
  return plan(arguments, Form{kHasBounds, kHasTensors});
};

}  // namespace integers

// ---- Permutations -------------------------------------------------------------------------------

namespace permutation {

enum : size_t { kN, kSeed, kOffset, kOut };

Rule numbers_fit() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t largest = integers::range_of(arguments.dtype(kOut)).largest;
    if (arguments.integer(kN) - 1 <= largest) return std::nullopt;
    return fmt::format("{} must be at most {} for {}, but is {}.", arguments.name(kN), largest + 1,
                       dtype_name(arguments.dtype(kOut)), arguments.integer(kN));
  });
}

const OperatorSpec kSpec{
    "aclnnRandperm",
    {attribute("n"), attribute("seed"), attribute("offset"), output("out")},
    Rules{not_null({kOut}), dtype_in(kOut, kRealNumbers), numbers_fit(),
          require([](const Arguments& arguments) -> std::optional<std::string> {
            const Dims expected{arguments.integer(kN)};
            if (arguments.shape(kOut) == expected) return std::nullopt;
            return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(kOut),
                               to_string(expected), to_string(arguments.shape(kOut)));
          })}};

Plan plan(const Arguments& arguments) {
  return plan_permutation(arguments, kOut, stream_of(arguments, kSeed, kOffset));
}

}  // namespace permutation

// ---- Classes ------------------------------------------------------------------------------------

namespace classes {

enum : size_t { kSelf, kCount, kReplacement, kSeed, kOffset, kOut };

constexpr DtypeSet kNumbers{ACL_INT64};

Rule has_classes() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& self = arguments.shape(kSelf);
    if (self.size() == 1 || self.size() == 2) {
      if (self[self.size() - 1] > 0) return std::nullopt;
    }
    return fmt::format(
        "tensor {} must have 1 or 2 dimensions, with elements in the last, but is {}.",
        arguments.name(kSelf), to_string(self));
  });
}

Rule can_draw() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& self = arguments.shape(kSelf);
    const int64_t count = arguments.integer(kCount);
    const int64_t most =
        arguments.flag(kReplacement) ? std::numeric_limits<int64_t>::max() : self[self.size() - 1];
    if (count >= 1 && count <= most) return std::nullopt;
    return fmt::format("{} must be at least 1{}, but is {}.", arguments.name(kCount),
                       arguments.flag(kReplacement)
                           ? ""
                           : fmt::format(" and, without replacement, at most {}", most),
                       count);
  });
}

Rule has_draws() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    Dims expected = arguments.shape(kSelf);
    expected[expected.size() - 1] = arguments.integer(kCount);
    if (arguments.shape(kOut) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(kOut),
                       to_string(expected), to_string(arguments.shape(kOut)));
  });
}

const OperatorSpec kSpec{"aclnnMultinomial",
                         {input("self"), attribute("numsamples"), attribute("replacement"),
                          attribute("seed"), attribute("offset"), output("out")},
                         Rules{not_null({kSelf, kOut}), dtype_in(kSelf, kRealFloats),
                               dtype_in(kOut, kNumbers), has_classes(), can_draw(), has_draws()}};

Plan plan(const Arguments& arguments) {
  return plan_draws(arguments, {kSelf, kOut, arguments.flag(kReplacement)},
                    stream_of(arguments, kSeed, kOffset));
}

}  // namespace classes
}  // namespace

ACLGRAD_OPERATOR(aclnnInplaceBernoulli, bernoulli::kInPlace, bernoulli::plan_number)
ACLGRAD_OPERATOR(aclnnInplaceBernoulliTensor, bernoulli::kTensorInPlace,
                 bernoulli::plan_tensor<bernoulli::kSelf>)
ACLGRAD_OPERATOR(aclnnBernoulliTensor, bernoulli::kTensor, bernoulli::plan_tensor<bernoulli::kOut>)
ACLGRAD_OPERATOR(aclnnInplaceRandom, integers::kRandom, integers::kPlan<true, false>)
ACLGRAD_OPERATOR(aclnnInplaceRandomTensor, integers::kRandomTensor, integers::kPlan<true, true>)
ACLGRAD_OPERATOR(aclnnInplaceRandomWithoutFromTo, integers::kWithoutFromTo,
                 integers::kPlan<false, false>)
ACLGRAD_OPERATOR(aclnnInplaceRandomWithoutFromToTensor, integers::kWithoutFromToTensor,
                 integers::kPlan<false, true>)
ACLGRAD_OPERATOR(aclnnRandperm, permutation::kSpec, permutation::plan)
ACLGRAD_OPERATOR(aclnnMultinomial, classes::kSpec, classes::plan)

}  // namespace aclgrad::ops::draws
