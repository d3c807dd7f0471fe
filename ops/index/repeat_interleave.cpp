// SPDX-License-Identifier: Apache-2.0
// aclnnRepeatInterleave in its forms, aclnnRepeatInterleaveTensor, aclnnRepeatInterleaveGrad.
#include "aclnnop/aclnn_repeat_interleave.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_repeat_interleave_grad.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/index_rules.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::repeat_interleave {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

// Parameters of the four forms. Without dim, self is one line of all its elements.
struct Repetition {
  size_t self = 0;
  size_t repeats = 1;  // a tensor, or an integer
  std::optional<size_t> dim;
  size_t output_size;
  size_t out;
};

size_t axis(const Arguments& arguments, const Repetition& repetition) {
  return repetition.dim ? normalize_axis(arguments.integer(*repetition.dim),
                                         arguments.shape(repetition.self).size())
                        : 0;
}

// How many slices there are to be repeated.
int64_t extent(const Arguments& arguments, const Repetition& repetition) {
  const Dims& self = arguments.shape(repetition.self);
  if (repetition.dim) return self.empty() ? 1 : self[axis(arguments, repetition)];
  return count_elements(self);
}

Dims repeated_shape(const Arguments& arguments, const Repetition& repetition) {
  Dims shape = arguments.shape(repetition.self);
  if (!repetition.dim || shape.empty()) return {arguments.integer(repetition.output_size)};
  shape[axis(arguments, repetition)] = arguments.integer(repetition.output_size);
  return shape;
}

// For each of `count` slices, or one for all.
Rule one_or_as_many(size_t repeats, std::function<int64_t(const Arguments&)> count) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    int64_t given = 0;
    const int64_t expected = count(arguments);
    if (count_fits(arguments.shape(repeats), given) && (given == 1 || given == expected)) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have one element or {}, but is {}.", arguments.name(repeats),
                       expected, to_string(arguments.shape(repeats)));
  });
}

Rule repeats_to_output_size(const Repetition& repetition) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t repeats = arguments.integer(repetition.repeats);
    if (repeats < 0) {
      return fmt::format("{} must not be negative, but is {}.", arguments.name(repetition.repeats),
                         repeats);
    }
    const int64_t expected = saturating_product({repeats, extent(arguments, repetition)});
    const int64_t size = arguments.integer(repetition.output_size);
    if (size == expected) return std::nullopt;
    return fmt::format("{} must be {} for {} {} and {} {}, but is {}.",
                       arguments.name(repetition.output_size), expected,
                       arguments.name(repetition.self), to_string(arguments.shape(repetition.self)),
                       arguments.name(repetition.repeats), repeats, size);
  });
}

OperatorSpec repetition(const char* name, const Repetition& repetition, bool by_tensor) {
  std::vector<Parameter> parameters = {input("self"),
                                       by_tensor ? input("repeats") : attribute("repeats")};
  if (repetition.dim) parameters.push_back(attribute("dim"));
  parameters.push_back(attribute("outputSize"));
  parameters.push_back(output("out"));
  std::vector<Rule> rules = {by_tensor
                                 ? not_null({repetition.self, repetition.repeats, repetition.out})
                                 : not_null({repetition.self, repetition.out}),
                             dtype_in(repetition.self, kAllDtypes)};
  if (by_tensor) rules.push_back(dtype_in(repetition.repeats, kIndexDtypes));
  rules.push_back(same_dtype(repetition.out, repetition.self));
  rules.push_back(max_rank(repetition.self));
  if (by_tensor) rules.push_back(max_rank(repetition.repeats, 1));
  if (repetition.dim) rules.push_back(axis_of(*repetition.dim, repetition.self));
  rules.push_back(by_tensor ? one_or_as_many(repetition.repeats,
                                             [repetition](const Arguments& arguments) {
                                               return extent(arguments, repetition);
                                             })
                            : repeats_to_output_size(repetition));
  rules.push_back(has_shape_of(
      repetition.out,
      [repetition](const Arguments& arguments) { return repeated_shape(arguments, repetition); },
      given({repetition.output_size})));
  return {name, std::move(parameters), std::move(rules)};
}

Plan plan_repetition(const Arguments& arguments, const Repetition& repetition, Places places) {
  DimSet inside{};
  if (repetition.dim) {
    inside = dimensions(0, arguments.shape(repetition.self).size());
    inside[axis(arguments, repetition)] = false;
  }
  return plan_taken(std::move(places), Slices(arguments, repetition.self, inside),
                    Slices(arguments, repetition.out, inside));
}

Plan plan_by_tensor(const Arguments& arguments, const Repetition& repetition) {
  // A task that finds no repeats for elements that are there fails, as one that finds too many.
  if (arguments.empty(repetition.self) || arguments.empty(repetition.repeats)) return {};
  const int64_t size = arguments.integer(repetition.output_size);
  return plan_repetition(
      arguments, repetition,
      repeated_places(arguments, repetition.repeats, extent(arguments, repetition), size));
}

Plan plan_by_number(const Arguments& arguments, const Repetition& repetition) {
  if (arguments.empty(repetition.out)) return {};
  const int64_t repeats = arguments.integer(repetition.repeats);
  return plan_repetition(arguments, repetition,
                         {arguments.integer(repetition.output_size),
                          [=, count = arguments.integer(repetition.output_size)](
                              const Run&, int64_t* places, int64_t*) {
                            for (int64_t i = 0; i < count; ++i) places[i] = i / repeats;
                          }});
}

constexpr Repetition kLine{.dim = std::nullopt, .output_size = 2, .out = 3};
constexpr Repetition kAlong{.dim = 2, .output_size = 3, .out = 4};

const OperatorSpec kRepeatInterleave = repetition("aclnnRepeatInterleave", kLine, true);
const OperatorSpec kWithDim = repetition("aclnnRepeatInterleaveWithDim", kAlong, true);
const OperatorSpec kInt = repetition("aclnnRepeatInterleaveInt", kLine, false);
const OperatorSpec kIntWithDim = repetition("aclnnRepeatInterleaveIntWithDim", kAlong, false);

// ---- Which one each is --------------------------------------------------------------------------

namespace numbers {

enum : size_t { kRepeats, kOutputSize, kOut };

const OperatorSpec kSpec{
    "aclnnRepeatInterleaveTensor",
    {input("repeats"), attribute("outputSize"), output("out")},
    {not_null({kRepeats, kOut}), dtype_in(kRepeats, kIndexDtypes), same_dtype(kOut, kRepeats),
     max_rank(kRepeats, 1), not_0d(kRepeats),
     has_shape_of(
         kOut, [](const Arguments& arguments) { return Dims{arguments.integer(kOutputSize)}; },
         given({kOutputSize}))}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kRepeats)) return {};
  const int64_t count = arguments.integer(kOutputSize);
  const Places places = repeated_places(arguments, kRepeats, arguments.shape(kRepeats)[0], count);
  return {[places, count, out = Elements(arguments, kOut)](const Run& run) -> aclError {
            int64_t* const numbers = aligned<int64_t>(run.workspace());
            places.fill(run, numbers, numbers + count);
            out.write(run, numbers, 0, count);
            return ACL_SUCCESS;
          },
          static_cast<uint64_t>(count + places.scratch + 1) * sizeof(int64_t)};
}

}  // namespace numbers

// ---- Gradient -----------------------------------------------------------------------------------

namespace gradient {

enum : size_t { kGradOut, kRepeats, kAxis, kGradIn };

// Of gradOut but for the axis, along which there is one for each of the repeats.
Rule has_shape_before() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    Dims expected = arguments.shape(kGradOut);
    const Dims& repeats = arguments.shape(kRepeats);
    const size_t along = normalize_axis(arguments.integer(kAxis), expected.size());
    const Dims& shape = arguments.shape(kGradIn);
    const int64_t count = repeats.empty() ? 1 : repeats[0];
    // One number may be that of all.
    const bool is_free = count == 1 && shape.size() == expected.size();
    expected[along] = is_free ? shape[along] : count;
    if (shape == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {} for {} of {}, but is {}.",
                       arguments.name(kGradIn), to_string(expected), arguments.name(kRepeats),
                       to_string(repeats), to_string(shape));
  });
}

const OperatorSpec kSpec{
    "aclnnRepeatInterleaveGrad",
    {input("gradOut"), input("repeats"), attribute("axis"), output("gradIn")},
    {not_null({kGradOut, kRepeats, kGradIn}), dtype_in(kGradOut, kRealFloats),
     dtype_in(kRepeats, kIndexDtypes), same_dtype(kGradIn, kGradOut), not_0d(kGradOut),
     max_rank(kGradOut), max_rank(kRepeats, 1), axis_of(kAxis, kGradOut), has_shape_before()}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGradIn)) return {};
  const size_t rank = arguments.shape(kGradOut).size();
  const size_t along = normalize_axis(arguments.integer(kAxis), rank);
  DimSet inside = dimensions(0, rank);
  inside[along] = false;
  return plan_placed_sum(repeated_places(arguments, kRepeats, arguments.shape(kGradIn)[along],
                                         arguments.shape(kGradOut)[along]),
                         {.terms = Slices(arguments, kGradOut, inside),
                          .self = std::nullopt,
                          .out = Slices(arguments, kGradIn, inside)});
}

}  // namespace gradient
}  // namespace

ACLGRAD_OPERATOR(aclnnRepeatInterleave, kRepeatInterleave,
                 [](const Arguments& arguments) { return plan_by_tensor(arguments, kLine); })
ACLGRAD_OPERATOR(aclnnRepeatInterleaveWithDim, kWithDim,
                 [](const Arguments& arguments) { return plan_by_tensor(arguments, kAlong); })
ACLGRAD_OPERATOR(aclnnRepeatInterleaveInt, kInt,
                 [](const Arguments& arguments) { return plan_by_number(arguments, kLine); })
ACLGRAD_OPERATOR(aclnnRepeatInterleaveIntWithDim, kIntWithDim,
                 [](const Arguments& arguments) { return plan_by_number(arguments, kAlong); })
ACLGRAD_OPERATOR(aclnnRepeatInterleaveTensor, numbers::kSpec, numbers::plan)
ACLGRAD_OPERATOR(aclnnRepeatInterleaveGrad, gradient::kSpec, gradient::plan)

}  // namespace aclgrad::ops::repeat_interleave
