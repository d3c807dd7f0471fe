// SPDX-License-Identifier: Apache-2.0
// aclnnEmbeddingBag.
#include "aclnnop/aclnn_embedding_bag.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/index_rules.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::embedding_bag {
namespace {

namespace embedding_bag {

enum : size_t {
  kWeight,
  kIndices,
  kOffsets,
  kScaleGradByFreq,
  kMode,
  kSparse,
  kPerSampleWeights,
  kIncludeLastOffset,
  kPaddingIdx,
  kOutput,
  kOffset2Bag,
  kBagSize,
  kMaxIndices
};
constexpr int64_t kSum = 0, kMean = 1, kMax = 2;

int64_t bags_of(const Arguments& arguments) {
  return arguments.shape(kOffsets)[0] - (arguments.flag(kIncludeLastOffset) ? 1 : 0);
}

bool is_max(const Arguments& arguments) { return arguments.integer(kMode) == kMax; }

Dims rows_of_bags(const Arguments& arguments) {
  return {bags_of(arguments), arguments.shape(kWeight)[1]};
}

Rule has_last_offset() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (bags_of(arguments) >= 0) return std::nullopt;
    return "tensor offsets must have the last offset with includeLastOffset, but is [0].";
  });
}

Rule weights_are_of_sums() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t mode = arguments.integer(kMode);
    if (!arguments.given(kPerSampleWeights) || mode == kSum) return std::nullopt;
    return fmt::format("perSampleWeights must be null unless mode is 0, but mode is {}.", mode);
  });
}

// Of this shape, or without elements where nobody asks for it.
Rule has_shape_or_none(size_t tensor, ShapeOf shape) {
  return when([tensor](const Arguments& arguments) { return arguments.shape(tensor) != Dims{0}; },
              has_shape_of(tensor, std::move(shape)));
}

const OperatorSpec kSpec{
    "aclnnEmbeddingBag",
    {input("weight"), input("indices"), input("offsets"), attribute("scaleGradByFreq"),
     attribute("mode"), attribute("sparse"), input("perSampleWeights"),
     attribute("includeLastOffset"), attribute("paddingIdx"), output("output"),
     output("offset2bag"), output("bagSize"), output("maxIndices")},
    Rules{
        not_null({kWeight, kIndices, kOffsets, kOutput, kOffset2Bag, kBagSize, kMaxIndices}),
        live_if_given(kPerSampleWeights),
        dtype_in(kWeight, kRealFloats),
        dtype_in({kIndices, kOffsets}, kIndexDtypes),
        same_dtype({kPerSampleWeights, kOutput}, kWeight),
        dtype_in({kOffset2Bag, kBagSize, kMaxIndices}, kIndexDtypes),
        min_rank(kWeight, 2),
        max_rank(kWeight, 2),
        min_rank(kIndices, 1),
        max_rank(kIndices, 1),
        min_rank(kOffsets, 1),
        max_rank(kOffsets, 1),
        has_last_offset(),
        same_shape(kPerSampleWeights, kIndices),
        integer_between(kMode, kSum, kMax),
        weights_are_of_sums(),
        has_shape_of(kOutput, rows_of_bags),
        has_shape_or_none(kOffset2Bag,
                          [](const Arguments& arguments) { return arguments.shape(kIndices); }),
        has_shape_of(kBagSize, [](const Arguments& arguments) { return Dims{bags_of(arguments)}; }),
        when(is_max, has_shape_of(kMaxIndices, rows_of_bags)),
        when([](const Arguments& arguments) { return !is_max(arguments); },
             has_shape_or_none(kMaxIndices, [](const Arguments& arguments) {
               return Dims{bags_of(arguments)};
             }))}};

struct Bags {
  Slices weight, output;
  Elements offsets, bag_of, bag_size;
  std::optional<Elements> shares;
  std::optional<Slices> best;
  int64_t count, indices, mode, padding;
  bool has_last;

  // Where each bag begins; behind the last, where that ends.
  void read_offsets(const Run& run, int64_t* starts) const {
    offsets.read(run, 0, offsets.index.count(), starts);
    if (!has_last) starts[count] = indices;
    int64_t least = 0;
    for (int64_t b = 0; b <= count; ++b) {
      const bool is_first = b == 0 && count > 0;
      if (starts[b] < least || starts[b] > indices || (is_first && starts[b] != 0)) {
        throw std::runtime_error(
            fmt::format("element {} of offsets is {}, but must be {}", b, starts[b],
                        is_first ? "0" : fmt::format("in [{}, {}]", least, indices)));
      }
      least = starts[b];
    }
  }

  // Columns [from, to) of a bag of rows.
  void run_columns(const Run& run, int64_t bag, const int64_t* rows, int64_t begin, int64_t end,
                   int64_t from, int64_t to) const {
    double total[kBlock] = {}, block[kBlock];
    int64_t winners[kBlock] = {};
    int64_t size = 0;
    for (int64_t i = begin; i < end; ++i) {
      if (rows[i] == padding) continue;
      double share = 1;
      if (shares) shares->read(run, i, i + 1, &share);
      weight.read(run, from, to, block, weight.starts.offset(rows[i]));
      for (int64_t c = 0; c < to - from; ++c) {
        if (mode != kMax) {
          total[c] += share * block[c];
        } else if (size == 0 || (!(block[c] <= total[c]) && !std::isnan(total[c]))) {
          total[c] = block[c];
          winners[c] = rows[i];
        }
      }
      ++size;
    }
    if (mode == kMean && size > 0) {
      for (int64_t c = 0; c < to - from; ++c) total[c] /= static_cast<double>(size);
    }
    output.write(run, total, from, to, output.starts.offset(bag));
    if (best) best->write(run, winners, from, to, best->starts.offset(bag));
  }

  void run_bag(const Run& run, int64_t bag, const int64_t* rows, int64_t begin, int64_t end) const {
    for_blocks(0, weight.index.count(), [&](int64_t from, int64_t to) {
      run_columns(run, bag, rows, begin, end, from, to);
    });
    const int64_t size = end - begin - std::count(rows + begin, rows + end, padding);
    bag_size.write(run, &size, bag, bag + 1);
    if (bag_of.index.count() == 0) return;
    for (int64_t i = begin; i < end; ++i) bag_of.write(run, &bag, i, i + 1);
  }
};

Plan plan(const Arguments& arguments) {
  const DimSet columns = dimensions(1, 1);
  const Bags bags{
      Slices(arguments, kWeight, columns),
      Slices(arguments, kOutput, columns),
      Elements(arguments, kOffsets),
      Elements(arguments, kOffset2Bag),
      Elements(arguments, kBagSize),
      arguments.given(kPerSampleWeights) ? std::optional(Elements(arguments, kPerSampleWeights))
                                         : std::nullopt,
      is_max(arguments) ? std::optional(Slices(arguments, kMaxIndices, columns)) : std::nullopt,
      bags_of(arguments),
      arguments.shape(kIndices)[0],
      arguments.integer(kMode),
      arguments.integer(kPaddingIdx),
      arguments.flag(kIncludeLastOffset)};
  const Places places = index_places(arguments.shape(kIndices),
                                     {IndexTerm(arguments, kIndices, Elements(arguments, kIndices),
                                                arguments.shape(kWeight)[0], 1)});
  return {[bags, places](const Run& run) -> aclError {
            auto* const starts = aligned<int64_t>(run.workspace());
            int64_t* const rows = starts + bags.count + 1;
            bags.read_offsets(run, starts);
            places.fill(run, rows, nullptr);
            parallel_pieces(bags.count, 1, [&](int64_t begin, int64_t end) {
              for (int64_t b = begin; b < end; ++b) {
                bags.run_bag(run, b, rows, starts[b], starts[b + 1]);
              }
            });
            // Indices behind the last offset are in no bag.
            if (bags.bag_of.index.count() > 0) {
              for (int64_t i = starts[bags.count]; i < bags.indices; ++i) {
                bags.bag_of.write(run, &bags.count, i, i + 1);
              }
            }
            return ACL_SUCCESS;
          },
          static_cast<uint64_t>(bags.count + bags.indices + 2) * sizeof(int64_t)};
}

}  // namespace embedding_bag
}  // namespace

ACLGRAD_OPERATOR(aclnnEmbeddingBag, embedding_bag::kSpec, embedding_bag::plan)

}  // namespace aclgrad::ops::embedding_bag
