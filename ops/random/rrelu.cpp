// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceRReluWithNoise.
#include <fmt/format.h>

#include "aclnnop/aclnn_rrelu_with_noise.h"
#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/random/philox.h"
#include "ops/random/random_kernel.h"

namespace aclgrad::ops::rrelu {
namespace {

enum : size_t { kSelf, kNoise, kLower, kUpper, kTraining, kSeed, kOffset };

double number(const Arguments& arguments, size_t scalar) {
  return arguments.scalar(scalar).to_double();
}

Rule is_ordered() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const double lower = number(arguments, kLower), upper = number(arguments, kUpper);
    if (lower <= upper) return std::nullopt;
    return fmt::format("{} must not be above {}, but they are {} and {}.", arguments.name(kLower),
                       arguments.name(kUpper), lower, upper);
  });
}

const OperatorSpec kSpec{
    "aclnnInplaceRReluWithNoise",
    {in_out("selfRef"), in_out("noise"), attribute("lower"), attribute("upper"),
     attribute("training"), attribute("seed"), attribute("offset")},
    Rules{not_null({kSelf, kNoise, kLower, kUpper}), dtype_in(kSelf, kRealFloats),
          same_dtype(kNoise, kSelf), dtype_in({kLower, kUpper}, kRealNumbersAndBool),
          max_rank(kSelf), same_shape(kNoise, kSelf), is_ordered()}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  constexpr int64_t kGrain = 4096;
  const double lower = number(arguments, kLower), upper = number(arguments, kUpper);
  const bool draws = arguments.flag(kTraining);
  const RandomStream stream = stream_of(arguments, kSeed, kOffset);
  return {[=, self = Elements(arguments, kSelf),
           noise = Elements(arguments, kNoise)](const Run& run) -> aclError {
    parallel_pieces(self.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock], slopes[kBlock];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        self.read(run, first, stop, block);
        for (int64_t i = first; i < stop; ++i) {
          double& x = block[i - first];
          double& slope = slopes[i - first] = 1;
          if (!(x <= 0)) continue;
          if (draws) {
            const auto index = static_cast<uint64_t>(i);
            const double u = uniform_of(random_words(stream.seed, stream.offset, index));
            // As the noise has it, for the gradient.
            slope = round_to_dtype(lower + (upper - lower) * u, noise.dtype);
          } else {
            slope = (lower + upper) / 2;
          }
          x *= slope;
        }
        if (draws) noise.write(run, slopes, first, stop);
        self.write(run, block, first, stop);
      });
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnInplaceRReluWithNoise, kSpec, plan)

}  // namespace aclgrad::ops::rrelu
