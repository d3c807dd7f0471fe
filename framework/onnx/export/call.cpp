// SPDX-License-Identifier: Apache-2.0
#include "onnx/export/call.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnx/export/exporter.h"

namespace aclgrad::onnx::saving {

const Table::Row* Table::find(std::type_index type) const {
  const auto found = rows_.find(type);
  return found == rows_.end() ? nullptr : &found->second;
}

void Table::refuse_type(std::type_index type, const std::string& why) {
  Row row;
  row.write = [why](const Op&, Call&) -> std::vector<Term> { refuse(why); };
  row.knows_batch = true;  // that it cannot be said comes before what it depends on
  row.is_refused = true;
  rows_[type] = std::move(row);
}

const Table& table() {
  static const Table all = [] {
    Table made;
    add_activations(made);
    add_arithmetic(made);
    add_attention(made);
    add_convolutions(made);
    add_functions(made);
    add_indices(made);
    add_linear_algebra(made);
    add_logic(made);
    add_losses(made);
    add_normalizations(made);
    add_ordering(made);
    add_pooling(made);
    add_products(made);
    add_random(made);
    add_recurrent(made);
    add_reductions(made);
    add_refusals(made);
    add_resampling(made);
    add_rounding(made);
    add_shapes(made);
    return made;
  }();
  return all;
}

// ---- What the node has --------------------------------------------------------------------------

bool Call::is_needed(std::size_t output) const {
  return exporter_.needed_values_[static_cast<std::size_t>(node_.outputs[output])];
}

Term Call::input(std::size_t index) const { return exporter_.term(node_.inputs[index]); }

Term Call::wide(std::size_t index) const { return widened(input(index)); }

Term Call::usual(std::size_t index) const {
  const Term given = input(index);
  return given.dtype == DType::bfloat16 ? cast(given, DType::float32) : given;
}

std::vector<Term> Call::inputs() const {
  std::vector<Term> all;
  for (std::size_t k = 0; k < input_count(); ++k) all.push_back(input(k));
  return all;
}

std::vector<Term> Call::promoted(std::size_t begin) const {
  DType common = dtype(begin);
  for (std::size_t k = begin; k < input_count(); ++k) common = promote(common, dtype(k));
  std::vector<Term> all;
  for (std::size_t k = begin; k < input_count(); ++k) all.push_back(cast(input(k), common));
  return all;
}

const Node& Call::maker_of(std::size_t input) const {
  return exporter_.first().value(node_.inputs[input]).node();
}

const Shape& Call::shape(std::size_t input) const {
  return exporter_.first().value(node_.inputs[input]).shape();
}
std::int64_t Call::rank(std::size_t input) const {
  return static_cast<std::int64_t>(shape(input).rank());
}
const Shape& Call::output_shape(std::size_t output) const {
  return exporter_.first().value(node_.outputs[output]).shape();
}
DType Call::dtype(std::size_t input) const {
  return exporter_.first().value(node_.inputs[input]).dtype();
}
DType Call::output_dtype(std::size_t output) const {
  return exporter_.first().value(node_.outputs[output]).dtype();
}

// ---- What depends on the batch ------------------------------------------------------------------

Extents Call::extents(std::size_t input) const { return exporter_.extents(node_.inputs[input]); }
Extents Call::output_extents(std::size_t output) const {
  return exporter_.extents(node_.outputs[output]);
}

std::int64_t Call::fixed(const Extent& extent, std::string_view what) const {
  if (!extent.is_fixed()) refuse(fmt::format("{} depends on the batch", what));
  return extent.constant;
}

Extent Call::extent_of_op(const std::function<std::int64_t(const Op&)>& get) const {
  return exporter_.extent(
      [&](const Recording& recording) { return get(*recording.graph.node(node_.id).op); });
}

bool Call::is_same_in_all() const {
  return std::ranges::all_of(exporter_.recordings_, [&](const Recording& recording) {
    return recording.graph.node(node_.id).op->attributes() == node_.op->attributes();
  });
}

std::vector<const Tensor*> Call::constants() const {
  std::vector<const Tensor*> all;
  for (const Recording& recording : exporter_.recordings_) {
    all.push_back(&static_cast<const ConstantOp&>(*recording.graph.node(node_.id).op).tensor);
  }
  return all;
}

Term Call::anything() const { return {&exporter_.builder_}; }

Term Call::shared(const std::string& name, const std::function<Term()>& make) const {
  auto& made = exporter_.builder_.shared();
  if (const auto found = made.find(name); found != made.end()) {
    return {&exporter_.builder_, found->second};
  }
  const Term term = make();
  made.emplace(name, term.name);
  return term;
}

namespace {

std::string text(const Extent& extent) {
  return fmt::format("{}+{}N", extent.constant, extent.per_batch);
}

}  // namespace

Term Call::list(const Extents& extents) const {
  if (std::ranges::all_of(extents, &Extent::is_fixed)) {
    Ints values;
    for (const Extent& extent : extents) values.push_back(extent.constant);
    return ints(anything(), values);
  }
  std::string name = "list";
  for (const Extent& extent : extents) name += " " + text(extent);
  Term made = shared(name, [&] {
    std::vector<Term> parts;
    for (const Extent& extent : extents) {
      if (extent.is_fixed()) {
        parts.push_back(ints(anything(), {extent.constant}));
        continue;
      }
      Term part = exporter_.batch();
      if (extent.per_batch != 1) part = part * ints(part, {extent.per_batch});
      if (extent.constant != 0) part = part + ints(part, {extent.constant});
      parts.push_back(part);
    }
    return concat(parts, 0);
  });
  made.dtype = DType::int64;
  return made;
}

Term Call::reshape_to(const Term& x, const Extents& extents) const {
  const auto depend = std::ranges::count_if(extents, [](const Extent& e) { return !e.is_fixed(); });
  const bool has_empty =
      std::ranges::any_of(extents, [](const Extent& e) { return e == Extent{}; });
  if (depend == 0 || (depend == 1 && !has_empty)) {
    Ints dims;
    for (const Extent& extent : extents) dims.push_back(extent.is_fixed() ? extent.constant : -1);
    return reshape(x, dims);
  }
  return op("Reshape", {x, list(extents)},
            has_empty ? Attributes{{"allowzero", std::int64_t{1}}} : Attributes{});
}

Term Call::scalar(const Extent& extent, DType dtype) const {
  if (extent.is_fixed()) {
    Term beside = anything();
    beside.dtype = dtype;
    return number(beside, static_cast<double>(extent.constant));
  }
  return cast(squeeze(list({extent}), {0}), dtype);
}

}  // namespace aclgrad::onnx::saving
