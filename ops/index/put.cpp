// SPDX-License-Identifier: Apache-2.0
// aclnnInplacePut, aclnnInplaceScatterUpdate, aclnnScatterNd: elements and slices put in the places
// that numbers say.
#include <fmt/format.h>

#include <stdexcept>

#include "aclnnop/aclnn_put.h"
#include "aclnnop/aclnn_scatter_nd.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/index_rules.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::put {
namespace {

// ---- Elements by their numbers in the order of rows ---------------------------------------------

namespace flat {

enum : size_t { kSelf, kIndex, kSource, kAccumulate };

bool adds(const Arguments& arguments) { return arguments.flag(kAccumulate); }

Rule has_elements_for_index() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.empty(kSelf) || arguments.empty(kIndex)) return std::nullopt;
    return fmt::format("tensor {} {} must have elements for {} {}.", arguments.name(kSelf),
                       to_string(arguments.shape(kSelf)), arguments.name(kIndex),
                       to_string(arguments.shape(kIndex)));
  });
}

const OperatorSpec kSpec{
    "aclnnInplacePut",
    {in_out("selfRef"), input("index"), input("source"), attribute("accumulate")},
    Rules{not_null({kSelf, kIndex, kSource}), dtype_in(kSelf, kAllDtypes),
          when(adds, dtype_in(kSelf, kNumbersAndBool)), dtype_in(kIndex, kIndexDtypes),
          same_dtype(kSource, kSelf), max_rank({kSelf, kIndex, kSource}),
          has_elements(
              kSource,
              [](const Arguments& arguments) { return count_elements(arguments.shape(kIndex)); }),
          has_elements_for_index()}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const IndexTerm number(arguments, kIndex, Elements(arguments, kIndex),
                         count_elements(arguments.shape(kSelf)), 1);
  Places places = index_places(arguments.shape(kIndex), {number});
  const Slices self(arguments, kSelf, {}), source(arguments, kSource, {});
  if (!adds(arguments)) return plan_put(std::move(places), source, self);
  return plan_placed_sum(std::move(places), {.terms = source, .self = self, .out = self});
}

}  // namespace flat

// ---- A part of each batch -----------------------------------------------------------------------

namespace update {

enum : size_t { kData, kIndices, kUpdates, kAxis };

size_t axis(const Arguments& arguments) {
  return normalize_axis(arguments.integer(kAxis), arguments.shape(kData).size());
}

Rule axis_is_no_batch() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (axis(arguments) != 0) return std::nullopt;
    return fmt::format("{} must not be that of the batches, but is {}.", arguments.name(kAxis),
                       arguments.integer(kAxis));
  });
}

Rule updates_fit() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims &data = arguments.shape(kData), &updates = arguments.shape(kUpdates);
    bool fits = data.size() == updates.size();
    for (size_t d = 0; fits && d < data.size(); ++d) {
      fits = d == axis(arguments) ? updates[d] <= data[d] : updates[d] == data[d];
    }
    if (fits) return std::nullopt;
    return fmt::format(
        "tensor {} {} must have the size of {} {}, but may be smaller in dimension {}.",
        arguments.name(kUpdates), to_string(updates), arguments.name(kData), to_string(data),
        axis(arguments));
  });
}

const OperatorSpec kSpec{"aclnnInplaceScatterUpdate",
                         {in_out("data"), input("indices"), input("updates"), attribute("axis")},
                         Rules{not_null({kData, kIndices, kUpdates}), dtype_in(kData, kAllDtypes),
                               dtype_in(kIndices, kIndexDtypes), same_dtype(kUpdates, kData),
                               min_rank(kData, 2), max_rank(kData), axis_of(kAxis, kData),
                               axis_is_no_batch(), updates_fit(), [](const Arguments& arguments) {
                                 return has_shape(kIndices, {arguments.shape(kData)[0]})(arguments);
                               }}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kUpdates)) return {};
  const int64_t size = arguments.shape(kData)[axis(arguments)];
  const int64_t length = arguments.shape(kUpdates)[axis(arguments)];
  const int64_t batches = arguments.shape(kData)[0];
  DimSet inside = dimensions(1, arguments.shape(kData).size() - 1);
  inside[axis(arguments)] = false;
  Places places{
      batches * length,
      [=, indices = Elements(arguments, kIndices), name = arguments.name(kIndices)](
          const Run& run, int64_t* place, int64_t* begins) {
        indices.read(run, 0, batches, begins);
        for (int64_t b = 0; b < batches; ++b) {
          if (begins[b] < 0 || begins[b] > size - length) {
            throw std::runtime_error(fmt::format("element {} of {} is {}, but must be in [{}, {}]",
                                                 b, name, begins[b], 0, size - length));
          }
          for (int64_t i = 0; i < length; ++i) *place++ = b * size + begins[b] + i;
        }
      },
      batches};
  return plan_put(std::move(places), Slices(arguments, kUpdates, inside),
                  Slices(arguments, kData, inside));
}

}  // namespace update

// ---- Slices by the numbers of several dimensions ------------------------------------------------

namespace nd {

enum : size_t { kData, kIndices, kUpdates, kOut };

// Dimensions of the positions, and of data those that numbers name.
size_t positions(const Arguments& arguments) { return arguments.shape(kIndices).size() - 1; }
size_t named(const Arguments& arguments) {
  return static_cast<size_t>(arguments.shape(kIndices)[positions(arguments)]);
}

Rule numbers_are_of_data() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims &indices = arguments.shape(kIndices), &data = arguments.shape(kData);
    const int64_t last = indices[indices.size() - 1];
    if (last >= 1 && last <= static_cast<int64_t>(data.size())) return std::nullopt;
    return fmt::format("tensor {} {} must have numbers of 1 to {} dimensions of {} in its last.",
                       arguments.name(kIndices), to_string(indices), data.size(),
                       arguments.name(kData));
  });
}

Rule data_has_elements() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.empty(kData) || arguments.empty(kIndices)) return std::nullopt;
    return fmt::format("tensor {} {} must have elements for {} {}.", arguments.name(kData),
                       to_string(arguments.shape(kData)), arguments.name(kIndices),
                       to_string(arguments.shape(kIndices)));
  });
}

Dims updates_shape(const Arguments& arguments) {
  Dims shape(arguments.shape(kIndices).data(), positions(arguments));
  const Dims& data = arguments.shape(kData);
  for (size_t d = named(arguments); d < data.size(); ++d) shape.push_back(data[d]);
  return shape;
}

const OperatorSpec kSpec{
    "aclnnScatterNd",
    {input("data"), input("indices"), input("updates"), output("out")},
    Rules{not_null({kData, kIndices, kUpdates, kOut}), dtype_in(kData, kAllDtypes),
          dtype_in(kIndices, kIndexDtypes), same_dtype({kUpdates, kOut}, kData), min_rank(kData, 1),
          min_rank(kIndices, 1), max_rank({kData, kIndices, kUpdates}), numbers_are_of_data(),
          data_has_elements(), has_shape_of(kUpdates, updates_shape), same_shape(kOut, kData)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Dims &data = arguments.shape(kData), &indices = arguments.shape(kIndices);
  const size_t count = named(arguments), at = positions(arguments);
  const Dims shape(indices.data(), at), strides(arguments.strides(kIndices).data(), at);
  std::vector<IndexTerm> numbers;
  int64_t step = 1;
  for (size_t d = count; d-- > 0; step *= data[d]) {
    Elements each(arguments, kIndices);
    each.index = {shape, strides};
    each.offset = static_cast<int64_t>(d) * arguments.strides(kIndices)[at];
    numbers.emplace_back(arguments, kIndices, each, data[d], step);
    numbers.back().counts_from_end = false;
  }
  const DimSet inside = dimensions(count, data.size() - count);
  const size_t rank = arguments.shape(kUpdates).size();
  return plan_put(index_places(shape, std::move(numbers)),
                  Slices(arguments, kUpdates, dimensions(at, rank - at)),
                  Slices(arguments, kOut, inside), Slices(arguments, kData, inside));
}

}  // namespace nd
}  // namespace

ACLGRAD_OPERATOR(aclnnInplacePut, flat::kSpec, flat::plan)
ACLGRAD_OPERATOR(aclnnInplaceScatterUpdate, update::kSpec, update::plan)
ACLGRAD_OPERATOR(aclnnScatterNd, nd::kSpec, nd::plan)

}  // namespace aclgrad::ops::put
