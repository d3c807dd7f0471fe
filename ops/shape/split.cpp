// SPDX-License-Identifier: Apache-2.0
// aclnnSplitTensor, aclnnSplitWithSize.
#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::split {
namespace {

// kSizes: the size of the chunks, or their sizes.
enum : size_t { kSelf, kSizes, kDim, kOut };

constexpr DtypeSet kDtypes{ACL_FLOAT, ACL_FLOAT16, ACL_BF16,      ACL_DOUBLE,
                           ACL_INT8,  ACL_INT16,   ACL_INT32,     ACL_INT64,
                           ACL_UINT8, ACL_BOOL,    ACL_COMPLEX64, ACL_COMPLEX128};

size_t axis(const Arguments& arguments) {
  return normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size());
}
int64_t extent(const Arguments& arguments) { return arguments.shape(kSelf)[axis(arguments)]; }

// The number of chunks and their sizes.
struct Chunks {
  int64_t (*count)(const Arguments& arguments);
  int64_t (*size)(const Arguments& arguments, int64_t k);
};

Rule chunks_have_shape(const Chunks& chunks) {
  return [chunks](const Arguments& arguments) {
    const int64_t count = chunks.count(arguments);
    const size_t first = arguments.members(kOut).first;
    for (int64_t k = 0; k < count; ++k) {
      Dims shape = arguments.shape(kSelf);
      shape[axis(arguments)] = chunks.size(arguments, k);
      CheckResult result = has_shape(first + static_cast<size_t>(k), shape)(arguments);
      if (result.status != OK) return result;
    }
    return CheckResult{};
  };
}

// The checks in their order.
std::vector<Rule> rules(Rule not_null_rule, const std::vector<Rule>& on_dtypes,
                        const std::vector<Rule>& on_chunks, const Chunks& chunks) {
  const auto dtype_known = [](size_t i) { return dtype_in(i, kDtypes, kAllDtypesAndBf16); };
  std::vector<Rule> list = {std::move(not_null_rule),
                            all_members(kOut, [](size_t i) { return not_null({i}); }),
                            dtype_known(kSelf), all_members(kOut, dtype_known)};
  list.insert(list.end(), on_dtypes.begin(), on_dtypes.end());
  list.insert(list.end(), {max_rank(kSelf), not_0d(kSelf), axis_of(kDim, kSelf)});
  list.insert(list.end(), on_chunks.begin(), on_chunks.end());
  list.push_back(chunks_have_shape(chunks));
  return list;
}

Plan plan_split(const Arguments& arguments, const Chunks& chunks) {
  if (arguments.empty(kSelf)) return {};
  const size_t first = arguments.members(kOut).first;
  const int64_t count = chunks.count(arguments);
  std::vector<ViewCopy> copies;
  int64_t start = 0;
  for (int64_t k = 0; k < count; ++k) {
    const size_t out = first + static_cast<size_t>(k);
    copies.push_back({arguments.shape(out), whole(arguments, out),
                      part_of(arguments, kSelf, axis(arguments), start)});
    start += chunks.size(arguments, k);
  }
  return plan_copies(copies);
}

// ---- Chunks of one size -------------------------------------------------------------------------

namespace split_tensor {

// A dimension without elements has no chunks.
constexpr Chunks kChunks{
    [](const Arguments& arguments) -> int64_t {
      const int64_t all = extent(arguments);
      const auto size = static_cast<uint64_t>(arguments.integer(kSizes));
      return all <= 0 || size == 0
                 ? 0
                 : static_cast<int64_t>((static_cast<uint64_t>(all) - 1) / size) + 1;
    },
    [](const Arguments& arguments, int64_t k) -> int64_t {
      const int64_t all = extent(arguments);
      const int64_t size = arguments.integer(kSizes);
      // A size above 2^63 is that of the only chunk.
      return size < 0 ? all : std::min(size, all - k * size);
    }};

Rule one_dtype() {
  return [](const Arguments& arguments) {
    const size_t first = arguments.members(kOut).first;
    return all_members(kOut, [first](size_t i) { return same_dtype(i, first); })(arguments);
  };
}

Rule size_is_possible() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.integer(kSizes) != 0 || extent(arguments) == 0) return std::nullopt;
    return fmt::format("{} must be greater than 0 for the {} elements along {} {}, but is 0.",
                       arguments.name(kSizes), extent(arguments), arguments.name(kDim),
                       arguments.integer(kDim));
  });
}

Rule enough_outputs() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t expected = kChunks.count(arguments);
    const size_t count = arguments.members(kOut).count;
    if (static_cast<int64_t>(count) >= expected) return std::nullopt;
    return fmt::format("{} must have at least {} tensors for {} {} of {} {}, but has {}.",
                       arguments.name(kOut), expected, arguments.name(kSizes),
                       static_cast<uint64_t>(arguments.integer(kSizes)), arguments.name(kSelf),
                       to_string(arguments.shape(kSelf)), count);
  });
}

const OperatorSpec kSpec{
    "aclnnSplitTensor",
    {input("self"), attribute("splitSections"), attribute("dim"), output("out")},
    rules(not_null({kSelf, kOut}), {one_dtype()}, {size_is_possible(), enough_outputs()}, kChunks)};

}  // namespace split_tensor

// ---- Chunks of given sizes ----------------------------------------------------------------------

namespace split_with_size {

constexpr Chunks kChunks{[](const Arguments& arguments) {
                           return static_cast<int64_t>(arguments.int_array(kSizes).size());
                         },
                         [](const Arguments& arguments, int64_t k) {
                           return arguments.int_array(kSizes)[static_cast<size_t>(k)];
                         }};

Rule sizes_add_up() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& sizes = arguments.int_array(kSizes);
    int64_t sum = 0;
    for (const int64_t size : sizes) sum = saturating_sum(sum, std::max<int64_t>(size, 0));
    const bool has_negative =
        std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; });
    if (!has_negative && sum == extent(arguments)) return std::nullopt;
    return fmt::format("{} must be sizes that add up to {} {} along {} {}, but is {}.",
                       arguments.name(kSizes), arguments.name(kSelf),
                       to_string(arguments.shape(kSelf)), arguments.name(kDim),
                       arguments.integer(kDim), to_string(sizes));
  });
}

Rule one_output_for_each() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const size_t expected = arguments.int_array(kSizes).size();
    const size_t count = arguments.members(kOut).count;
    if (count == expected) return std::nullopt;
    return fmt::format("{} must have {} tensors, one for each of {} {}, but has {}.",
                       arguments.name(kOut), expected, arguments.name(kSizes),
                       to_string(arguments.int_array(kSizes)), count);
  });
}

const OperatorSpec kSpec{
    "aclnnSplitWithSize",
    {input("self"), attribute("splitSize"), attribute("dim"), output("out")},
    rules(not_null({kSelf, kSizes, kOut}), {}, {sizes_add_up(), one_output_for_each()}, kChunks)};

}  // namespace split_with_size
}  // namespace

ACLGRAD_OPERATOR(aclnnSplitTensor, split_tensor::kSpec, [](const Arguments& arguments) {
  return plan_split(arguments, split_tensor::kChunks);
})
ACLGRAD_OPERATOR(aclnnSplitWithSize, split_with_size::kSpec, [](const Arguments& arguments) {
  return plan_split(arguments, split_with_size::kChunks);
})

}  // namespace aclgrad::ops::split
