// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/distributed/sharded_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/io/checkpoint.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/optimizer.h"
#include "aclgrad/ops/shape.h"
#include "agreement.h"
#include "buckets.h"

namespace aclgrad {
namespace {

const Variable& variable_of(const Value& value) {
  const Variable* variable = value.variable();
  if (variable == nullptr) {
    throw ValueError(fmt::format("cannot update {}: it is not a variable", value.description()));
  }
  return *variable;
}

// The elements of the tensors side by side.
Tensor flattened(const std::vector<const Tensor*>& tensors, std::int64_t elements) {
  Tensor flat = Tensor::zeros({elements}, tensors.front()->dtype());
  std::byte* at = flat.bytes();
  for (const Tensor* tensor : tensors) {
    std::memcpy(at, tensor->bytes(), tensor->nbytes());
    at += tensor->nbytes();
  }
  return flat;
}

Tensor resized(const Tensor& flat, std::int64_t elements) {
  Tensor result = Tensor::zeros({elements}, flat.dtype());
  std::memcpy(result.bytes(), flat.bytes(), std::min(result.nbytes(), flat.nbytes()));
  return result;
}

Value sum_over_ranks(const Communicator& communicator, bool overlaps, const Value& value) {
  const Value flat = all_reduce(communicator, {value}, {.async = overlaps});
  return part(flat, 0, value.shape());
}

}  // namespace

ShardedUpdate::ShardedUpdate(const Communicator& communicator, DataParallelOptions options)
    : communicator_(communicator), options_(options) {
  if (communicator.size() < 2) throw ValueError("a sharded update needs at least 2 ranks");
  if (options_.bucket_bytes == 0) throw ValueError("a bucket needs at least 1 byte");
}

// This rank's part of a flat tensor, filled up with zeros.
Tensor ShardedUpdate::own_share(const Tensor& flat) const {
  const std::int64_t count = (flat.numel() + communicator_.size() - 1) / communicator_.size();
  const Tensor padded = resized(flat, count * communicator_.size());
  Tensor share = Tensor::zeros({count}, flat.dtype());
  const std::size_t bytes = share.nbytes();
  std::memcpy(share.bytes(),
              padded.bytes() + bytes * static_cast<std::size_t>(communicator_.rank()), bytes);
  return share;
}

void ShardedUpdate::make_shards(const Gradients& gradients, Optimizer& optimizer) {
  // What an optimizer treats in different ways cannot be in one bucket.
  std::map<const ParameterGroup*, std::vector<Gradients::Pair>> groups;
  for (const Gradients::Pair& pair : gradients) {
    groups[optimizer.group_of(variable_of(pair.value))].push_back(pair);
  }
  struct Planned {
    NodeId ready;  // the node that makes its last gradient
    std::vector<Variable> members;
  };
  std::vector<Planned> buckets;
  for (const auto& [group, pairs] : groups) {
    std::vector<Value> tensors;
    for (const Gradients::Pair& pair : pairs) tensors.push_back(pair.gradient);
    for (const detail::Bucket& bucket :
         detail::make_buckets(tensors, options_.bucket_bytes, *same_graph_)) {
      Planned& planned = buckets.emplace_back();
      planned.ready = tensors[bucket.back()].node().id;
      for (const std::size_t i : bucket) planned.members.push_back(variable_of(pairs[i].value));
    }
  }
  if (*same_graph_) std::ranges::stable_sort(buckets, {}, &Planned::ready);
  for (Planned& bucket : buckets) {
    std::int64_t elements = 0;
    std::vector<Tensor> values;
    for (const Variable& member : bucket.members) {
      values.push_back(member.value());
      elements += member.shape().numel();
    }
    std::vector<const Tensor*> parts;
    for (const Tensor& value : values) parts.push_back(&value);
    const Variable share = Variable::kept_beside("", fmt::format("shard{}", shards_.size()),
                                                 own_share(flattened(parts, elements)));
    optimizer.add_share(share, bucket.members.front());
    shards_.push_back({share, std::move(bucket.members), elements});
  }
  optimizer.gather_norms([communicator = communicator_, overlap = options_.overlap,
                          same_graph = same_graph_](const Value& norm) {
    return all_gather(communicator, reshape(norm, {1}), {.async = overlap && *same_graph});
  });
}

Gradients ShardedUpdate::scatter(const Graph& graph, const Gradients& gradients,
                                 Optimizer& optimizer, std::int64_t parts, double factor,
                                 std::source_location where) {
  detail::start_training(communicator_, graph, gradients,
                         fmt::format("sharded, {} parts, buckets of {} bytes, overlap {}", parts,
                                     options_.bucket_bytes, options_.overlap),
                         *same_graph_);
  if (shards_.empty()) make_shards(gradients, optimizer);
  std::size_t member_count = 0;
  for (const Shard& shard : shards_) member_count += shard.members.size();
  bool same = member_count == gradients.size();
  for (const Shard& shard : shards_) {
    for (const Variable& member : shard.members) {
      same = same && gradients.contains(graph.parameter(member, where));
    }
  }
  if (!same) {
    throw ValueError(
        "a sharded update is of the parameters of its first step: freeze and unfreeze before it, "
        "or let each rank update all (DataParallel)");
  }
  const RecordScope scope(graph, Pass::backward);
  std::vector<Gradients::Pair> pairs;
  for (const Shard& shard : shards_) {
    std::vector<Value> members;
    for (const Variable& member : shard.members) {
      members.push_back(gradients[graph.parameter(member, where)]);
    }
    const Value sums = reduce_scatter(communicator_, members, {.async = overlaps()}, where);
    pairs.push_back(
        {graph.parameter(shard.share, where), factor == 1 ? sums : mul({sums, where}, factor)});
  }
  return Gradients(std::move(pairs));
}

Update ShardedUpdate::step(const Graph& graph, const Gradients& gradients, Optimizer& optimizer,
                           std::int64_t parts, std::source_location where) {
  const double factor = 1.0 / static_cast<double>(parts * communicator_.size());
  *same_graph_ = true;
  const Gradients shares = scatter(graph, gradients, optimizer, parts, factor, where);
  return gather_updated(graph, optimizer.step(graph, shares, where), where);
}

LossAndGradients ShardedUpdate::exchange(const LossAndGradients& own, Optimizer& optimizer,
                                         bool same_graph) {
  *same_graph_ = same_graph;
  const Gradients shares =
      scatter(own.loss.graph(), own.gradients, optimizer, 1, 1, std::source_location::current());
  return {total(own.loss), shares};
}

Value ShardedUpdate::total(const Value& sum) {
  return sum_over_ranks(communicator_, overlaps(), sum);
}

Update ShardedUpdate::complete(const Graph& graph, Update update) {
  return gather_updated(graph, std::move(update), std::source_location::current());
}

Update ShardedUpdate::gather_updated(const Graph& graph, Update update,
                                     std::source_location where) const {
  const RecordScope scope(graph, Pass::update);
  for (const Shard& shard : shards_) {
    const Value flat = all_gather(communicator_, graph.parameter(shard.share, where),
                                  {.async = overlaps()}, where);
    std::int64_t first = 0;
    for (const Variable& member : shard.members) {
      update.values.push_back(assign({graph.parameter(member, where), where},
                                     part(flat, first, member.shape(), where)));
      first += member.shape().numel();
    }
  }
  return update;
}

std::vector<Variable> ShardedUpdate::shards() const {
  std::vector<Variable> all;
  for (const Shard& shard : shards_) all.push_back(shard.share);
  return all;
}

// What is called so is kept beside this share, "@shard0@first_moment", or is the share itself. Null
// for others.
const ShardedUpdate::Shard* ShardedUpdate::shard_of(const std::string& name) const {
  const auto found = std::find_if(shards_.begin(), shards_.end(), [&](const Shard& shard) {
    return name == shard.share.name() || name.starts_with(shard.share.name() + Variable::kMark);
  });
  return found == shards_.end() ? nullptr : &*found;
}

// The parameter whose tensor this is by its name: "w", "w@first_moment". Nothing for others.
std::optional<ShardedUpdate::ShardName> ShardedUpdate::find(const std::string& name) const {
  const std::string owner = detail::owner_of(name);
  const std::string& parameter = owner.empty() ? name : owner;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    for (const Variable& member : shards_[i].members) {
      if (member.name() == parameter) return ShardName{i, name.substr(parameter.size())};
    }
  }
  return std::nullopt;
}

NamedTensors ShardedUpdate::gather(const std::vector<Variable>& variables) const {
  NamedTensors whole;
  for (auto& [name, tensor] : values_of(variables)) {
    const Shard* shard = shard_of(name);
    if (shard == nullptr) {
      whole.emplace_back(name, std::move(tensor));
      continue;
    }
    const std::string suffix = name.substr(shard->share.name().size());
    if (suffix.empty()) continue;
    if (tensor.shape() != shard->share.shape()) {
      throw ShapeError(
          fmt::format("ranks cannot share `{}`: it has the shape {}, not that of the share, {}",
                      name, tensor.shape(), shard->share.shape()));
    }
    const std::vector<std::byte> all = communicator_.all_gather({tensor.bytes(), tensor.nbytes()});
    const std::byte* at = all.data();
    for (const Variable& member : shard->members) {
      Tensor part = Tensor::zeros(member.shape(), tensor.dtype());
      std::memcpy(part.bytes(), at, part.nbytes());
      at += part.nbytes();
      whole.emplace_back(member.name() + suffix, std::move(part));
    }
  }
  return whole;
}

NamedTensors ShardedUpdate::shard(const NamedTensors& whole) const {
  NamedTensors own;
  std::map<std::string, const Tensor*> found;             // what belongs to parameters
  std::map<std::size_t, std::set<std::string>> suffixes;  // of each shard
  for (const auto& [name, tensor] : whole) {
    const std::optional<ShardName> found_at = find(name);
    if (found_at) {
      found[name] = &tensor;
      suffixes[found_at->shard].insert(found_at->suffix);
    }
    if (!found_at || found_at->suffix.empty()) own.emplace_back(name, tensor);
  }
  for (const auto& [index, all] : suffixes) {
    const Shard& shard = shards_[index];
    for (const std::string& suffix : all) {
      std::vector<const Tensor*> parts;
      for (const Variable& member : shard.members) {
        const auto part = found.find(member.name() + suffix);
        if (part == found.end()) {
          throw ValueError(fmt::format("there is no `{}{}`", member.name(), suffix));
        }
        if (part->second->shape() != member.shape()) {
          throw ShapeError(fmt::format("`{}` has the shape {}, not that of the parameter, {}",
                                       part->first, part->second->shape(), member.shape()));
        }
        parts.push_back(part->second);
      }
      own.emplace_back(shard.share.name() + suffix, own_share(flattened(parts, shard.elements)));
    }
  }
  return own;
}

}  // namespace aclgrad
