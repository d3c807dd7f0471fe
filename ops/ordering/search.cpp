// SPDX-License-Identifier: Apache-2.0
// aclnnSearchSorted, aclnnSearchSorteds, aclnnBucketize.
#include "aclnnop/aclnn_searchsorted.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_bucketize.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/ordering/search_kernel.h"

namespace aclgrad::ops::search {
namespace {

Rule has_index_dtype(size_t out, size_t out_int32) {
  return has_dtype(out, [=](const Arguments& arguments) {
    return arguments.flag(out_int32) ? ACL_INT32 : ACL_INT64;
  });
}

// All of these promote to a common type.
constexpr DtypeSet kDtypes = kRealNumbers;

Rule has_one_dimension(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.shape(tensor).size() == 1) return std::nullopt;
    return fmt::format("tensor {} must have 1 dimension, but is {}.", arguments.name(tensor),
                       to_string(arguments.shape(tensor)));
  });
}

namespace in_sequences {

enum : size_t { kSequence, kSelf, kOutInt32, kRight, kSorter, kOut };

Rule sequences_fit() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& sequence = arguments.shape(kSequence);
    const Dims& self = arguments.shape(kSelf);
    bool fits = sequence.size() == 1 || (sequence.size() == self.size() && !self.empty());
    for (size_t d = 0; fits && d + 1 < sequence.size(); ++d) fits = sequence[d] == self[d];
    if (fits) return std::nullopt;
    return fmt::format(
        "tensor {} {} must have 1 dimension, or the sizes of {} {} but for the last.",
        arguments.name(kSequence), to_string(sequence), arguments.name(kSelf), to_string(self));
  });
}

const OperatorSpec kSpec{
    "aclnnSearchSorted",
    {input("sortedSequence"), input("self"), attribute("outInt32"), attribute("right"),
     input("sorter"), output("out")},
    Rules{not_null({kSequence, kSelf, kOut}), live_if_given(kSorter),
          dtype_in({kSequence, kSelf}, kDtypes), dtype_in(kSorter, {ACL_INT64}),
          has_index_dtype(kOut, kOutInt32), max_rank({kSequence, kSelf}), sequences_fit(),
          same_shape(kSorter, kSequence), same_shape(kOut, kSelf)}};

Plan plan(const Arguments& arguments) {
  SearchProblem problem{.sequence = kSequence,
                        .sorter = std::nullopt,
                        .values = kSelf,
                        .dtype = *promote_types(arguments.dtype(kSequence), arguments.dtype(kSelf)),
                        .right = arguments.flag(kRight),
                        .out = kOut};
  if (arguments.given(kSorter)) problem.sorter = kSorter;
  return plan_search(arguments, problem);
}

// A scalar, whose out has one element.
const OperatorSpec kOfScalar{
    "aclnnSearchSorteds",
    {input("sortedSequence"), attribute("self"), attribute("outInt32"), attribute("right"),
     input("sorter"), output("out")},
    Rules{not_null({kSequence, kSelf, kOut}), live_if_given(kSorter), dtype_in(kSequence, kDtypes),
          scalar_castable_to_float(kSelf), dtype_in(kSorter, {ACL_INT64}),
          has_index_dtype(kOut, kOutInt32), has_one_dimension(kSequence),
          same_shape(kSorter, kSequence), max_rank(kOut), has_one_element(kOut)}};

Plan plan_of_scalar(const Arguments& arguments) {
  // A scalar with a fraction is compared as it is, whatever the sequence has.
  const bool is_whole = !is_floating(arguments.scalar(kSelf).dtype);
  const bool in_integers = is_whole && !is_floating(arguments.dtype(kSequence));
  SearchProblem problem{.sequence = kSequence,
                        .sorter = std::nullopt,
                        .values = kSelf,
                        .dtype = in_integers ? ACL_INT64 : ACL_DOUBLE,
                        .right = arguments.flag(kRight),
                        .out = kOut};
  if (arguments.given(kSorter)) problem.sorter = kSorter;
  return plan_search(arguments, problem);
}

}  // namespace in_sequences

namespace in_boundaries {

enum : size_t { kSelf, kBoundaries, kOutInt32, kRight, kOut };

const OperatorSpec kSpec{
    "aclnnBucketize",
    {input("self"), input("boundaries"), attribute("outInt32"), attribute("right"), output("out")},
    Rules{not_null({kSelf, kBoundaries, kOut}), dtype_in({kSelf, kBoundaries}, kDtypes),
          has_index_dtype(kOut, kOutInt32), max_rank(kSelf), has_one_dimension(kBoundaries),
          same_shape(kOut, kSelf)}};

Plan plan(const Arguments& arguments) {
  return plan_search(arguments,
                     {.sequence = kBoundaries,
                      .sorter = std::nullopt,
                      .values = kSelf,
                      .dtype = *promote_types(arguments.dtype(kSelf), arguments.dtype(kBoundaries)),
                      .right = arguments.flag(kRight),
                      .out = kOut});
}

}  // namespace in_boundaries
}  // namespace

ACLGRAD_OPERATOR(aclnnSearchSorted, in_sequences::kSpec, in_sequences::plan)
ACLGRAD_OPERATOR(aclnnSearchSorteds, in_sequences::kOfScalar, in_sequences::plan_of_scalar)
ACLGRAD_OPERATOR(aclnnBucketize, in_boundaries::kSpec, in_boundaries::plan)

}  // namespace aclgrad::ops::search
