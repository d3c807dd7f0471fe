// SPDX-License-Identifier: Apache-2.0
#include "ops/random/random_kernel.h"

#include <cmath>
#include <limits>

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

// 53 random bits as a number in [0, 1).
double uniform(RandomWords words) {
  const uint64_t bits = (static_cast<uint64_t>(words.b) << 21) | (words.a >> 11);
  return static_cast<double>(bits) * 0x1p-53;
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

template <class Formula>
Plan fill(const Arguments& arguments, size_t out, RandomStream source, Formula formula) {
  if (arguments.empty(out)) return {};
  return {[=, numbers = Elements(arguments, out)](const Run& run) -> aclError {
    const RandomStream stream = resolved(source, run);
    parallel_pieces(numbers.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        for (int64_t i = first; i < stop; ++i) {
          block[i - first] =
              formula(random_words(stream.seed, stream.offset, static_cast<uint64_t>(i)));
        }
        numbers.write(run, block, first, stop);
      });
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace

RandomStream resolved(RandomStream stream, const Run& run) {
  if (stream.seed_tensor) stream.seed = only_element(run, *stream.seed_tensor);
  if (stream.offset_tensor) stream.offset += only_element(run, *stream.offset_tensor);
  return stream;
}

Plan plan_normal(const Arguments& arguments, size_t out, double mean, double stddev,
                 RandomStream stream) {
  if (is_floating(arguments.dtype(out))) {
    return fill(arguments, out, stream,
                [=](RandomWords words) { return mean + stddev * normal(words); });
  }
  return fill(arguments, out, stream, [=](RandomWords words) {
    return static_cast<double>(static_cast<float>(mean + stddev * normal(words)));
  });
}

Plan plan_uniform(const Arguments& arguments, size_t out, double from, double to,
                  RandomStream stream) {
  const aclDataType dtype = arguments.dtype(out);
  const double highest = std::max(from, largest_below(to, is_floating(dtype) ? dtype : ACL_DOUBLE));
  const double width = to - from;
  return fill(arguments, out, stream, [=](RandomWords words) {
    const double u = uniform(words);
    // The width of an interval may be beyond every number while its points are not.
    const double value = std::isinf(width) ? from * (1 - u) + to * u : from + width * u;
    return value > highest ? highest : value;
  });
}

}  // namespace aclgrad::ops
