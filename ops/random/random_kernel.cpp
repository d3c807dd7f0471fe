// SPDX-License-Identifier: Apache-2.0
#include "ops/random/random_kernel.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/iterate.h"
#include "ops/engine/math/scalar_math.h"
#include "ops/meta/dtypes.h"
#include "ops/random/philox.h"

namespace aclgrad::ops {
namespace {

constexpr int64_t kGrain = 4096;

double normal(RandomWords words) {
  const double u = (static_cast<double>(words.a) + 1) * 0x1p-32;
  const double v = static_cast<double>(words.b) * 0x1p-32;
  return std::sqrt(-2 * natural_log(u)) * cos_of_turns(v);
}

double largest_finite(aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return 65504;
  if (dtype == ACL_BF16) return 0x1.FEp127;
  return dtype == ACL_FLOAT ? static_cast<double>(std::numeric_limits<float>::max())
                            : std::numeric_limits<double>::max();
}

// The largest number of a floating dtype below `limit`: rounding could otherwise reach the open end
// of an interval.
double largest_below(double limit, aclDataType dtype) {
  if (!std::isfinite(limit)) return limit;
  if (limit > largest_finite(dtype)) return largest_finite(dtype);
  double step = std::abs(limit) * std::numeric_limits<double>::epsilon() +
                std::numeric_limits<double>::denorm_min();
  double below = round_to_dtype(limit, dtype);
  for (double value = limit; below >= limit; step *= 2) {
    value = limit - step;
    below = round_to_dtype(value, dtype);
  }
  return below;
}

uint64_t only_element(const Run& run, size_t tensor) {
  int64_t value = 0;
  load(run.data(tensor), ACL_INT64, 1, &value, 1);
  return static_cast<uint64_t>(value);
}

// Element i is formula(i), in a compute type, of the stream.
template <class T, class Formula>
Plan fill(const Arguments& arguments, size_t out, RandomStream source, Formula formula) {
  if (arguments.empty(out)) return {};
  return {[=, numbers = Elements(arguments, out)](const Run& run) -> aclError {
    const RandomStream stream = resolved(source, run);
    parallel_pieces(numbers.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      alignas(64) T block[kBlock];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        formula(run, stream, first, stop, block);
        numbers.write(run, block, first, stop);
      });
    });
    return ACL_SUCCESS;
  }};
}

// Of the words of each element.
template <class Formula>
Plan fill_by_words(const Arguments& arguments, size_t out, const RandomStream& source,
                   Formula formula) {
  return fill<double>(
      arguments, out, source,
      [=](const Run&, const RandomStream& stream, int64_t first, int64_t stop, double* block) {
        for (int64_t i = first; i < stop; ++i) {
          block[i - first] =
              formula(random_words(stream.seed, stream.offset, static_cast<uint64_t>(i)));
        }
      });
}

// The operand's elements in the order of the result's.
class OperandElements {
 public:
  OperandElements(const Arguments& arguments, const RandomOperand& operand, size_t out)
      : number_(operand.number) {
    if (!operand.tensor) return;
    spread_.emplace(arguments, *operand.tensor, arguments.shape(out));
    own_.emplace(arguments, *operand.tensor);
    name_ = arguments.name(*operand.tensor);
  }

  void read(const Run& run, int64_t first, int64_t stop, double* block) const {
    if (spread_) return spread_->read(run, first, stop, block);
    std::fill_n(block, stop - first, number_);
  }

  // Every element is allowed; `bounds` says to people which are.
  template <class IsAllowed>
  void check(const Run& run, const char* bounds, const IsAllowed& is_allowed) const {
    if (!own_) return;
    alignas(64) double block[kBlock];
    for_blocks(0, own_->index.count(), [&](int64_t first, int64_t stop) {
      own_->read(run, first, stop, block);
      for (int64_t i = first; i < stop; ++i) {
        if (is_allowed(block[i - first])) continue;
        throw std::runtime_error(fmt::format("element {} of {} is {}, but must be {}", i, name_,
                                             block[i - first], bounds));
      }
    });
  }

 private:
  double number_;
  std::optional<Elements> spread_, own_;
  const char* name_ = nullptr;
};

// The plan, but `check` first.
template <class Check>
Plan checked(Plan plan, Check check) {
  if (plan.body) {
    plan.body = [check, body = std::move(plan.body)](const Run& run) {
      check(run);
      return body(run);
    };
  }
  return plan;
}

}  // namespace

RandomStream resolved(RandomStream stream, const Run& run) {
  if (stream.seed_tensor) stream.seed = only_element(run, *stream.seed_tensor);
  if (stream.offset_tensor) stream.offset += only_element(run, *stream.offset_tensor);
  return stream;
}

Plan plan_normal(const Arguments& arguments, size_t out, RandomOperand mean, RandomOperand stddev,
                 RandomStream source) {
  const bool by_way_of_float = !is_floating(arguments.dtype(out));
  const OperandElements means(arguments, mean, out), deviations(arguments, stddev, out);
  Plan plan = fill<double>(
      arguments, out, source,
      [=](const Run& run, const RandomStream& stream, int64_t first, int64_t stop, double* block) {
        alignas(64) double deviation[kBlock];
        means.read(run, first, stop, block);
        deviations.read(run, first, stop, deviation);
        for (int64_t i = first; i < stop; ++i) {
          const double z =
              normal(random_words(stream.seed, stream.offset, static_cast<uint64_t>(i)));
          const double value = block[i - first] + deviation[i - first] * z;
          block[i - first] =
              by_way_of_float ? static_cast<double>(static_cast<float>(value)) : value;
        }
      });
  return checked(std::move(plan), [=](const Run& run) {
    deviations.check(run, "at least 0", [](double value) { return !(value < 0); });
  });
}

Plan plan_uniform(const Arguments& arguments, size_t out, double from, double to,
                  RandomStream stream) {
  const aclDataType dtype = arguments.dtype(out);
  const double highest = std::max(from, largest_below(to, is_floating(dtype) ? dtype : ACL_DOUBLE));
  const double width = to - from;
  return fill_by_words(arguments, out, stream, [=](RandomWords words) {
    const double u = uniform_of(words);
    // The width of an interval may be beyond every number while its points are not.
    const double value = std::isinf(width) ? from * (1 - u) + to * u : from + width * u;
    return value > highest ? highest : value;
  });
}

Plan plan_bernoulli(const Arguments& arguments, size_t out, RandomOperand probability,
                    RandomStream source) {
  const OperandElements probabilities(arguments, probability, out);
  Plan plan = fill<double>(
      arguments, out, source,
      [=](const Run& run, const RandomStream& stream, int64_t first, int64_t stop, double* block) {
        probabilities.read(run, first, stop, block);
        for (int64_t i = first; i < stop; ++i) {
          const double u =
              uniform_of(random_words(stream.seed, stream.offset, static_cast<uint64_t>(i)));
          block[i - first] = u < block[i - first] ? 1 : 0;
        }
      });
  return checked(std::move(plan), [=](const Run& run) {
    probabilities.check(run, "in [0, 1]", [](double value) { return value >= 0 && value <= 1; });
  });
}

Plan plan_integers(const Arguments& arguments, size_t out, int64_t from, uint64_t count,
                   RandomStream source) {
  return fill<int64_t>(
      arguments, out, source,
      [=](const Run&, const RandomStream& stream, int64_t first, int64_t stop, int64_t* block) {
        for (int64_t i = first; i < stop; ++i) {
          const uint64_t below =
              random_below(count, stream.seed, stream.offset, static_cast<uint64_t>(i));
          block[i - first] = static_cast<int64_t>(static_cast<uint64_t>(from) + below);
        }
      });
}

}  // namespace aclgrad::ops
