// SPDX-License-Identifier: Apache-2.0
#include "train/batch_rules.h"

#include <algorithm>
#include <optional>

#include "aclgrad/ops.h"
#include "aclgrad/ops/sync_batch_norm.h"

namespace aclgrad::detail {
namespace {

using Kind = Role::Kind;
using Combination = Role::Combination;

template <class OpType>
const OpType* as(const Node& node) {
  return is_any<OpType>(node) ? static_cast<const OpType*>(node.op.get()) : nullptr;
}

constexpr const char* kBesideExamples = "uses for each example what all of them have in common";
constexpr const char* kChangesWithSize = "is another one for another number of examples";

// The power of the number of examples by which this operator multiplies, seen from its attributes
// for the two sizes of batch.
std::optional<int> power_of_attributes(const BatchRoles& roles, const Node& node,
                                       const Value& result) {
  const Value twin = roles.in_other(result);
  const Node& there = twin.node();
  const auto number = [](const Node& it) {
    if (const auto* op = as<MulNumberOp>(it)) return std::optional(op->number);
    if (const auto* op = as<DivNumberOp>(it)) return std::optional(op->number);
    return std::optional<double>();
  };
  if (const auto here = number(node)) {
    const auto power = roles.power_of_ratio(*here, *number(there));
    return power && is_any<DivNumberOp>(node) ? std::optional(-*power) : power;
  }
  const Op& op = *node.op;
  const Op& other = *there.op;
  // A copy of one graph may have no copy in the other.
  if (typeid(op) != typeid(other) || op.attributes() == other.attributes()) return 0;
  return std::nullopt;
}

// The power of the result, of the inputs' and the operator's; nothing where it has none.
std::optional<int> power_of(const BatchRoles& roles, const Node& node, const Value& result) {
  std::vector<int> powers;
  bool any = false;
  for (const ValueId id : node.inputs) {
    powers.push_back(roles.of(roles.part().graph.value(id)).power);
    any = any || powers.back() != 0;
  }
  const std::optional<int> own = power_of_attributes(roles, node, result);
  if (!own) return std::nullopt;
  if (is_any<MulOp>(node)) return powers[0] + powers[1];
  if (is_any<DivOp>(node)) return powers[0] - powers[1];
  if (!any || is_linear_map(node)) return powers[0] + *own;
  if (is_any<AddOp, SubOp>(node) && powers[0] == powers[1]) return powers[0];
  if (is_any<DropoutOp>(node)) return powers[0];
  return std::nullopt;
}

std::int64_t leading(const Shape& shape, std::size_t axis) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < axis; ++i) count *= shape.dims()[i];
  return count;
}

// Whether an operator goes along the axis on which the examples lie, so that each result is made of
// several.
bool mixes_along(const Node& node, std::size_t index, const Value& input, std::size_t axis) {
  const auto rank = static_cast<std::int64_t>(input.shape().rank());
  const auto place = static_cast<std::int64_t>(axis);
  const auto is = [&](std::int64_t dim) { return (dim < 0 ? dim + rank : dim) == place; };
  if (const auto* op = as<SoftmaxOp>(node)) return is(op->dim);
  if (const auto* op = as<LogSoftmaxOp>(node)) return is(op->dim);
  if (const auto* op = as<CumsumOp>(node)) return is(op->dim);
  if (const auto* op = as<CumprodOp>(node)) return is(op->dim);
  if (const auto* op = as<FlipOp>(node)) return std::ranges::any_of(op->dims, is);
  if (const auto* op = as<RollOp>(node)) {
    return op->dims.empty() || std::ranges::any_of(op->dims, is);
  }
  if (const auto* op = as<ArgmaxOp>(node)) return is(op->dim);
  if (const auto* op = as<MaxOp>(node)) return is(op->dim);
  if (const auto* op = as<TopkOp>(node)) return is(op->dim);
  if (const auto* op = as<GatherOp>(node)) return index == 0 && is(op->dim);
  if (const auto* op = as<IndexSelectOp>(node)) return index == 0 && is(op->dim);
  if (const auto* op = as<IndexAddOp>(node)) return index == 1 || is(op->dim);
  if (const auto* op = as<IndexCopyOp>(node)) return index == 1 || is(op->dim);
  if (const auto* op = as<ScatterAddOp>(node)) return is(op->dim);
  if (const auto* op = as<ScatterOp>(node)) return is(op->dim);
  if (const auto* op = as<RepeatInterleaveIntOp>(node)) return is(op->dim);
  if (is_any<IndexOp, RepeatInterleaveOp, RepeatInterleaveGradOp>(node)) return true;
  if (is_any<EmbeddingBagOp, CtcLossOp>(node)) return true;
  if (is_any<MultilabelMarginLossOp>(node)) return place + 1 == rank;
  if (is_any<TrilOp, TriuOp, CdistOp>(node)) return place + 2 >= rank;
  if (is_any<AttentionOp>(node)) return place >= 2;
  if (is_any<RotaryOp>(node)) return place + 1 == rank;
  if (is_any<LstmOp>(node)) return index > 2 || place != 1;
  if (is_any<GruOp>(node)) return index > 1 || place != 1;
  if (is_any<LstmCellOp>(node)) return index > 2 || place != 0;
  if (const auto* op = as<ScaledMaskedSoftmaxOp>(node)) {
    return place + (op->fixed_triu_mask ? 2 : 1) >= rank;
  }
  if (const auto* op = as<PadModeOp>(node)) {
    return place + static_cast<std::int64_t>(op->pads.size() / 2) >= rank;
  }
  if (is_any<ConvolutionOp, MaxPool2dOp, MaxPool3dOp, AvgPool2dOp, AvgPool3dOp, AdaptiveAvgPool2dOp,
             AdaptiveAvgPool3dOp, AdaptiveMaxPool2dOp, AdaptiveMaxPool3dOp, MaxUnpool2dOp,
             BatchNormOp, BatchNormElemtOp, GroupNormOp, InterpolateOp, GridSampleOp, UnfoldOp,
             FoldOp>(node)) {
    return place != 0;
  }
  return false;
}

bool cuts_examples(const Node& node, std::size_t axis) {
  const auto* op = as<SliceOp>(node);
  return op != nullptr && static_cast<std::size_t>(op->dim) == axis;
}

// How many blocks of examples lie along the axis afterwards; nothing where they are torn apart.
std::optional<std::int64_t> blocks_after(const BatchRoles& roles, const Node& node,
                                         const Value& result, std::size_t axis) {
  const Graph& graph = roles.part().graph;
  const std::int64_t examples = roles.part().examples;
  const Value first = graph.value(node.inputs.front());
  const Role& role = roles.of(first);
  const std::int64_t extent = result.shape().dims()[axis];
  const auto extent_of = [](const Value& value, const Role& it) {
    return value.shape().dims()[it.axis];
  };
  if (is_any<ReshapeOp>(node)) {
    if (role.blocks == 0 || result.shape().numel() == 0) return 0;  // nothing has no order
    const std::int64_t before = leading(first.shape(), role.axis) * role.blocks;
    const std::int64_t after = leading(result.shape(), axis);
    if (after == 0 || before % after != 0) return std::nullopt;
    const std::int64_t blocks = before / after;
    if (extent % (blocks * examples) != 0) return std::nullopt;
    return blocks;
  }
  if (const auto* op = as<CatOp>(node);
      op != nullptr && static_cast<std::size_t>(op->dim) == axis) {
    for (const ValueId id : node.inputs) {
      const Value value = graph.value(id);
      const Role& each = roles.of(value);
      if (each.kind != Kind::examples || each.axis != axis) return std::nullopt;
      if (each.blocks != 0 && extent_of(value, each) != each.blocks * examples) return std::nullopt;
    }
    return extent / examples;
  }
  // Whole blocks of examples.
  const bool in_blocks = role.kind == Kind::examples && role.axis != kNoAxis &&
                         extent_of(first, role) == role.blocks * examples;
  if (cuts_examples(node, axis)) {
    if (role.blocks == 0) return 0;
    const auto& here = *as<SliceOp>(node);
    const auto& there = static_cast<const SliceOp&>(*roles.in_other(result).node().op);
    if (here.step != 1 || here.start % examples != 0 ||
        here.start * roles.other().examples != there.start * examples) {
      return std::nullopt;
    }
    if (!in_blocks || extent % examples != 0) return std::nullopt;
    return extent / examples;
  }
  if (is_any<RepeatOp>(node) && extent != extent_of(first, role)) {
    return in_blocks ? std::optional(extent / examples) : std::nullopt;
  }
  std::int64_t blocks = 0;
  for (const ValueId id : node.inputs) {
    const Value value = graph.value(id);
    const Role& each = roles.of(value);
    if (each.kind != Kind::examples || each.axis == kNoAxis || each.blocks == 0) continue;
    if (extent_of(value, each) != extent) return std::nullopt;
    if (blocks != 0 && blocks != each.blocks) return std::nullopt;
    blocks = each.blocks;
  }
  return blocks;
}

// A sum over examples that are multiplied by this power of their number.
Combination combination_of(int power) {
  return power == 0 ? Combination::sum : power == -1 ? Combination::mean : Combination::none;
}

Role total(Combination combination) { return {.kind = Kind::total, .combination = combination}; }

template <class OpType>
std::optional<Reduction> reduction_of_loss(const Node& node) {
  const auto* op = as<OpType>(node);
  return op != nullptr ? std::optional(op->reduction) : std::nullopt;
}

std::optional<Reduction> elementwise_loss(const Node& node) {
  if (const auto it = reduction_of_loss<MseLossOp>(node)) return it;
  if (const auto it = reduction_of_loss<L1LossOp>(node)) return it;
  if (const auto it = reduction_of_loss<SmoothL1LossOp>(node)) return it;
  if (const auto it = reduction_of_loss<BinaryCrossEntropyOp>(node)) return it;
  if (const auto it = reduction_of_loss<SoftMarginLossOp>(node)) return it;
  return reduction_of_loss<BceWithLogitsOp>(node);
}

}  // namespace

bool is_linear_map(const Node& node) {
  return is_any<ReshapeOp, PermuteOp, ExpandOp, CastOp, CopyOp, ReduceSumOp, MeanOp, SliceOp,
                MulNumberOp, DivNumberOp, NegOp, StopGradientOp>(node);
}

Role examples_of(const BatchRoles& roles, const Node& node, const Value& result, std::size_t axis) {
  const std::vector<Value> inputs = roles.part().graph.values(node.inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Role& role = roles.of(inputs[i]);
    if (role.kind == Kind::total && !roles.is_constant(inputs[i]) &&
        !is_any<BatchNormElemtOp>(node)) {  // whose statistics are of the part, as BatchNormOp's
      return blocked(node, kBesideExamples);
    }
    if (role.kind == Kind::examples && role.axis != kNoAxis && role.blocks != 0 &&
        mixes_along(node, i, inputs[i], role.axis)) {
      return blocked(node, "goes along the examples");
    }
  }
  if (is_any<LayerNormOp, RmsNormOp, DeepNormOp>(node)) {
    const std::size_t normalized = inputs[is_any<DeepNormOp>(node) ? 3 : 1].shape().rank();
    if (roles.of(inputs[0]).axis + normalized >= inputs[0].shape().rank()) {
      return blocked(node, "goes along the examples");
    }
  }
  const std::optional<std::int64_t> blocks = blocks_after(roles, node, result, axis);
  if (!blocks) return blocked(node, "puts the examples in another order, or takes some of them");
  std::optional<int> power = 0;
  if (!cuts_examples(node, axis)) {
    power = power_of(roles, node, result);
    if (!power || *power < -1 || *power > 1) return blocked(node, kChangesWithSize);
  } else {
    power = roles.of(inputs[0]).power;
  }
  return {.kind = Kind::examples, .axis = axis, .blocks = *blocks, .power = *power};
}

Role reduction_of(const BatchRoles& roles, const Node& node, std::size_t output) {
  const std::vector<Value> inputs = roles.part().graph.values(node.inputs);
  std::int64_t blocks = 0;
  for (const Value& input : inputs) {
    const Role& role = roles.of(input);
    if (role.kind == Kind::total && !roles.is_constant(input))
      return blocked(node, kBesideExamples);
    if (role.kind != Kind::examples || role.blocks == 0) continue;
    if (blocks != 0 && blocks != role.blocks) {
      return blocked(node, "takes the examples of its inputs in different orders");
    }
    blocks = role.blocks;
  }
  const int power = roles.of(inputs[0]).power;
  const auto unscaled = [&] {
    return std::ranges::all_of(inputs, [&](const Value& it) { return roles.of(it).power == 0; });
  };
  if (is_any<ReduceSumOp>(node)) return total(combination_of(power));
  if (is_any<MeanOp>(node)) return total(combination_of(power - 1));
  if (is_any<MatmulOp, BmmOp>(node)) {
    const Role& a = roles.of(inputs[0]);
    const Role& b = roles.of(inputs[1]);
    if (a.kind == Kind::examples && b.kind == Kind::examples) {
      return total(combination_of(a.power + b.power));
    }
  }
  if (const std::optional<Reduction> reduction = elementwise_loss(node); reduction && unscaled()) {
    if (!roles.broadcast_grows(inputs[0], inputs[1])) {
      return blocked(node, "compares every example with the others");
    }
    return total(*reduction == Reduction::mean ? Combination::mean : Combination::sum);
  }
  if (const auto* op = as<NllLossOp>(node); op != nullptr && unscaled()) {
    if (output == 1 || op->reduction == Reduction::sum) return total(Combination::sum);
    const bool counts_ahead = roles.of(inputs[1]).known && roles.of(inputs[2]).known;
    if (op->reduction == Reduction::mean && counts_ahead) return total(Combination::ratio);
  }
  // A total in no way that parts of the batch could add to; but it may be known from the whole.
  return total(Combination::none);
}

Role total_of(const BatchRoles& roles, const Node& node, const Value& result,
              BatchRoles::Growth grown, std::size_t axis) {
  const std::vector<Value> inputs = roles.part().graph.values(node.inputs);
  if (grown != BatchRoles::Growth::none) {
    const bool repeats = is_any<ExpandOp>(node) && roles.is_constant(inputs[0]);
    if (grown == BatchRoles::Growth::other || !repeats) return blocked(node, kBesideExamples);
    return {.kind = Kind::examples, .axis = axis, .blocks = 0};
  }
  const std::optional<int> power = power_of(roles, node, result);
  if (!power) return total(Combination::none);
  const auto constant = [&](std::size_t i) { return roles.is_constant(inputs[i]); };
  const auto combination = [&](std::size_t i) { return roles.of(inputs[i]).combination; };
  const auto scaled = [&](Combination it) {
    if (*power == 0) return it;
    if (*power == -1 && it == Combination::sum) return Combination::mean;
    if (*power == 1 && it == Combination::mean) return Combination::sum;
    return Combination::none;
  };
  const auto made_of = [](Combination it) {
    return it == Combination::none ? it : Combination::combined;
  };
  if (is_linear_map(node)) {
    const Combination it = scaled(combination(0));
    return total(it == Combination::ratio ? Combination::combined : it);
  }
  if (is_any<AddNumberOp>(node)) {
    const Combination it = combination(0);
    return total(it == Combination::mean ? it : made_of(it));
  }
  if (is_any<CatOp, StackOp>(node)) {
    const auto kind = [&](std::size_t i) {
      return constant(i) ? Combination::mean : combination(i);
    };
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      if (kind(i) != kind(0)) return total(Combination::none);
    }
    const bool linear = kind(0) == Combination::sum || kind(0) == Combination::mean;
    return total(linear ? kind(0) : Combination::none);
  }
  if (is_any<AddOp, SubOp>(node)) {
    Combination kinds[2];
    for (std::size_t i = 0; i < 2; ++i) kinds[i] = constant(i) ? Combination::mean : combination(i);
    if (kinds[0] == Combination::none || kinds[1] == Combination::none || *power != 0) {
      return total(Combination::none);
    }
    const bool same =
        kinds[0] == kinds[1] && (kinds[0] == Combination::sum || kinds[0] == Combination::mean);
    return total(same ? kinds[0] : Combination::combined);
  }
  if (is_any<MulOp, DivOp>(node) && (constant(1) || (is_any<MulOp>(node) && constant(0)))) {
    const Combination it = scaled(combination(constant(1) ? 0 : 1));
    return total(it == Combination::ratio ? Combination::combined : it);
  }
  return total(Combination::none);
}

Role fixed_of(const BatchRoles& roles, const Node& node, BatchRoles::Growth grown,
              std::size_t axis) {
  const Value result = roles.part().graph.value(node.outputs.front());
  if (grown == BatchRoles::Growth::none) {
    const std::optional<int> power = power_of(roles, node, result);
    if (!power) return blocked(node, kChangesWithSize);
    return {.power = *power};
  }
  if (grown == BatchRoles::Growth::with_examples && is_any<ExpandOp>(node)) {
    return {.kind = Kind::examples, .axis = axis, .blocks = 0};
  }
  return blocked(node, "has something of its own for every example of a batch");
}

}  // namespace aclgrad::detail
