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

size_t axis(const Arguments& arguments, const Repetition& of) {
  return of.dim ? normalize_axis(arguments.integer(*of.dim), arguments.shape(of.self).size()) : 0;
}

// How many slices there are to be repeated.
int64_t extent(const Arguments& arguments, const Repetition& of) {
  const Dims& self = arguments.shape(of.self);
  if (of.dim) return self.empty() ? 1 : self[axis(arguments, of)];
  return count_elements(self);
}

Dims repeated_shape(const Arguments& arguments, const Repetition& of) {
  Dims shape = arguments.shape(of.self);
  if (!of.dim || shape.empty()) return {arguments.integer(of.output_size)};
  shape[axis(arguments, of)] = arguments.integer(of.output_size);
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

Rule repeats_to_output_size(const Repetition& of) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t repeats = arguments.integer(of.repeats);
    if (repeats < 0) {
      return fmt::format("{} must not be negative, but is {}.", arguments.name(of.repeats),
                         repeats);
    }
    const int64_t expected = saturating_product({repeats, extent(arguments, of)});
    const int64_t size = arguments.integer(of.output_size);
    if (size == expected) return std::nullopt;
    return fmt::format("{} must be {} for {} {} and {} {}, but is {}.",
                       arguments.name(of.output_size), expected, arguments.name(of.self),
                       to_string(arguments.shape(of.self)), arguments.name(of.repeats), repeats,
                       size);
  });
}

OperatorSpec repetition(const char* name, const Repetition& of, bool by_tensor) {
  std::vector<Parameter> parameters = {input("self"),
                                       by_tensor ? input("repeats") : attribute("repeats")};
  if (of.dim) parameters.push_back(attribute("dim"));
  parameters.push_back(attribute("outputSize"));
  parameters.push_back(output("out"));
  std::vector<Rule> rules = {
      by_tensor ? not_null({of.self, of.repeats, of.out}) : not_null({of.self, of.out}),
      dtype_in(of.self, kAllDtypes)};
  if (by_tensor) rules.push_back(dtype_in(of.repeats, kIndexDtypes));
  rules.push_back(same_dtype(of.out, of.self));
  rules.push_back(max_rank(of.self));
  if (by_tensor) rules.push_back(max_rank(of.repeats, 1));
  if (of.dim) rules.push_back(axis_of(*of.dim, of.self));
  rules.push_back(
      by_tensor ? one_or_as_many(of.repeats,
                                 [of](const Arguments& arguments) { return extent(arguments, of); })
                : repeats_to_output_size(of));
  rules.push_back(has_shape_of(
      of.out, [of](const Arguments& arguments) { return repeated_shape(arguments, of); },
      given({of.output_size})));
  return {name, std::move(parameters), std::move(rules)};
}

Plan plan_repetition(const Arguments& arguments, const Repetition& of, Places places) {
  DimSet inside{};
  if (of.dim) {
    inside = dimensions(0, arguments.shape(of.self).size());
    inside[axis(arguments, of)] = false;
  }
  return plan_taken(std::move(places), Slices(arguments, of.self, inside),
                    Slices(arguments, of.out, inside));
}

Plan plan_by_tensor(const Arguments& arguments, const Repetition& of) {
  // A task that finds no repeats for elements that are there fails, as one that finds too many.
  if (arguments.empty(of.self) || arguments.empty(of.repeats)) return {};
  const int64_t size = arguments.integer(of.output_size);
  return plan_repetition(arguments, of,
                         repeated_places(arguments, of.repeats, extent(arguments, of), size));
}

Plan plan_by_number(const Arguments& arguments, const Repetition& of) {
  if (arguments.empty(of.out)) return {};
  const int64_t repeats = arguments.integer(of.repeats);
  return plan_repetition(
      arguments, of,
      {arguments.integer(of.output_size),
       [=, count = arguments.integer(of.output_size)](const Run&, int64_t* places, int64_t*) {
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
