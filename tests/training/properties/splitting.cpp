// SPDX-License-Identifier: Apache-2.0
// Splitting changes nothing.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "aclgrad/distributed.h"
#include "tests/training/properties/properties.h"

namespace aclgrad::training {
namespace {

const Way kWhole{.numbers = {.dtype = kExact}};

std::int64_t smallest_batch(const Spec& spec) {
  const std::vector<std::int64_t> sizes = spec.at("batches");
  return *std::min_element(sizes.begin(), sizes.end());
}

// Batches in as many micro-batches as every one has examples for; they are not equally large.
Difference micro_batches(const Spec& spec) {
  for (std::int64_t parts = 2; parts <= std::min<std::int64_t>(smallest_batch(spec), 4); ++parts) {
    Way cut = kWhole;
    cut.trainer.micro_batches = parts;
    if (const Difference wrong = unlike_whole(spec, kWhole, train(spec, cut))) {
      return fmt::format("in {} micro-batches {}", parts, *wrong);
    }
  }
  return {};
}

// Layers that count or draw see the micro-batches in the order of the batch: what they keep is what
// as many batches leave. The parameters stand still.
Difference order_of_pieces(const Spec& spec) {
  Spec still = spec;
  still["optimizer"] = {{"kind", "sgd"}, {"learning_rate", 0.0}};
  const auto batches_of = [&](std::int64_t size, std::int64_t steps) {
    Spec with = still;
    with["batches"] = std::vector<std::int64_t>(static_cast<std::size_t>(8 / size), size);
    with["steps"] = steps;
    return with;
  };
  Way cut = kWhole;
  cut.trainer.micro_batches = 4;
  const Trained pieces = train(batches_of(2, 4), kWhole);
  const Trained together = train(batches_of(8, 1), cut);
  for (const auto& [name, tensor] : pieces.tensors) {
    if (name == "losses" || bitwise_equal(tensor, together[name])) continue;
    return fmt::format("`{}` is not that of the pieces in order", name);
  }
  return {};
}

// Evaluation in pieces of every size.
Difference evaluation(const Spec& spec) {
  const std::int64_t examples = spec.at("evaluation").at("examples");
  Way whole = kWhole;
  whole.evaluation_batch_size = examples;
  for (std::int64_t size = 1; size <= examples + 1; ++size) {
    Way pieces = kWhole;
    pieces.evaluation_batch_size = size;
    if (const Difference wrong = unlike_whole(spec, whole, train(spec, pieces))) {
      return fmt::format("evaluated {} at a time {}", size, *wrong);
    }
  }
  return {};
}

Trained train_on_two(const Spec& spec, bool sharded) {
  Trained first;
  run_ranks(2,
            [&](const Communicator& communicator) {
              std::unique_ptr<Ranks> ranks;
              if (sharded) {
                ranks = std::make_unique<ShardedUpdate>(communicator);
              } else {
                ranks = std::make_unique<DataParallel>(communicator);
              }
              Way way = kWhole;
              way.trainer = {.micro_batches = 2, .ranks = ranks.get()};
              Trained trained = train(spec, way);
              if (communicator.is_first()) first = std::move(trained);
            },
            {.timeout_seconds = 60});
  return first;
}

// Two ranks do what one does with as many micro-batches, bit for bit, and what one does with the
// whole batch, up to rounding. A norm of gradients that ranks share is added in another order.
Difference two_ranks(const Spec& spec) {
  if (smallest_batch(spec) < 2) return {};
  Way alone = kWhole;
  alone.trainer.micro_batches = 2;
  const Trained cut = train(spec, alone);
  const Trained parallel = train_on_two(spec, false);
  if (const Difference wrong = different_bits(cut, parallel)) return "on two ranks " + *wrong;
  if (const Difference wrong = unlike_whole(spec, kWhole, parallel)) {
    return "on two ranks " + *wrong;
  }
  const Trained sharded = train_on_two(spec, true);
  if (spec.at("optimizer").contains("clip_norm")) {
    const Difference wrong = unlike_whole(spec, kWhole, sharded);
    return wrong ? "with an update that two ranks share " + *wrong : wrong;
  }
  const Difference wrong = different_bits(cut, sharded);
  return wrong ? "with an update that two ranks share " + *wrong : wrong;
}

}  // namespace

std::vector<Property> splitting_properties() {
  const Wanted separate{.batch_statistics = false, .small_batches = false};
  return {{"micro-batches", separate, micro_batches},
          {"order-of-pieces", {}, order_of_pieces},
          {"evaluation", {}, evaluation},
          {"ranks", separate, two_ranks}};
}

}  // namespace aclgrad::training
