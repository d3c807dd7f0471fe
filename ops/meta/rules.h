// SPDX-License-Identifier: Apache-2.0
// The checks that operators share, as data: an operator lists them in its documented order. Numbers
// are parameter indices. Every rule that fails says 161002 unless its comment says otherwise.
//
// Rules about the dtype, format, rank or shape of a tensor pass where it is not given: not_null()
// says which must be. Of several tensors, in braces, there is a rule for each, in their order.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ops/meta/dtypes.h"
#include "ops/meta/entry_points.h"
#include "ops/meta/operator.h"

namespace aclgrad::ops {

// Rules one after the other, out of single ones and of lists of them.
class Rules : public std::vector<Rule> {
 public:
  template <class Check>
  requires std::is_invocable_r_v<CheckResult, const Check&, const Arguments&> Rules(Check rule) {
    push_back(std::move(rule));
  }
  Rules(std::vector<Rule> rules) : vector(std::move(rules)) {}
  Rules(std::initializer_list<Rules> parts) {
    for (const Rules& part : parts) insert(end(), part.begin(), part.end());
  }
};

// rule(parameter) for each of them.
template <class MakeRule>
Rules of_each(const std::vector<size_t>& parameters, const MakeRule& rule) {
  std::vector<Rule> rules;
  for (const size_t parameter : parameters) rules.push_back(rule(parameter));
  return rules;
}

// Tensors, lists, scalars, arrays and texts that must be given, in this order. Null: 161001. A
// handle that was destroyed or never was one: 161002.
Rule not_null(std::initializer_list<size_t> parameters);

// Applies rule(i) to each tensor of a list, as argument i.
Rule all_members(size_t list, std::function<Rule(size_t)> rule);

// A handle that may be null but must be live when given.
Rule live_if_given(size_t parameter);
inline Rules live_if_given(const std::vector<size_t>& parameters) {
  return of_each(parameters, [](size_t each) { return live_if_given(each); });
}

// Applies a rule about a tensor only where the tensor is given.
Rule if_given(size_t parameter, Rule rule);

// Applies a rule only to calls for which `condition` holds.
Rule when(std::function<bool(const Arguments&)> condition, Rule rule);
Rules when(const std::function<bool(const Arguments&)>& condition, const Rules& rules);

// Says another status where a rule fails.
Rule with_status(aclnnStatus status, Rule rule);

// Of a tensor or a scalar.
Rule dtype_in(size_t parameter, const DtypeSet& set);
inline Rules dtype_in(const std::vector<size_t>& parameters, const DtypeSet& set) {
  return of_each(parameters, [&](size_t each) { return dtype_in(each, set); });
}
// A dtype given as an attribute.
Rule attribute_dtype_in(size_t attribute, const DtypeSet& set);
Rule same_dtype(size_t tensor, size_t reference);
inline Rules same_dtype(const std::vector<size_t>& tensors, size_t reference) {
  return of_each(tensors, [&](size_t each) { return same_dtype(each, reference); });
}
// The dtype that `expected` gives.
Rule has_dtype(size_t tensor, std::function<aclDataType(const Arguments&)> expected);
Rule can_cast_tensor(size_t from, size_t to);
// The scalar can be converted to FLOAT, that is, it is not complex.
Rule scalar_castable_to_float(size_t scalar);
// The two tensors have a common dtype.
Rule promotable(size_t a, size_t b);

// FRACTAL_NZ, NC1HWC0 and their relatives.
Rule no_private_format(size_t tensor);
Rule same_format(size_t tensor, size_t reference);

Rule same_shape(size_t tensor, size_t reference);
inline Rules same_shape(const std::vector<size_t>& tensors, size_t reference) {
  return of_each(tensors, [&](size_t each) { return same_shape(each, reference); });
}
Rule has_shape(size_t tensor, Dims shape);
// Of any rank.
Rule has_one_element(size_t tensor);
// As many elements as `count` says.
Rule has_elements(size_t tensor, std::function<int64_t(const Arguments&)> count);
Rule max_rank(size_t tensor, size_t limit = 8);
inline Rules max_rank(const std::vector<size_t>& tensors) {
  return of_each(tensors, [](size_t each) { return max_rank(each); });
}
Rule not_0d(size_t tensor);
// The tensors broadcast against each other.
Rule broadcastable(std::vector<size_t> tensors);
inline Rule broadcastable(size_t a, size_t b) { return broadcastable(std::vector{a, b}); }
// `out` has exactly the shape that they broadcast to.
Rule shape_is_broadcast(size_t out, std::vector<size_t> tensors);
inline Rule shape_is_broadcast(size_t out, size_t a, size_t b) {
  return shape_is_broadcast(out, std::vector{a, b});
}
// The tensor broadcasts to exactly the shape of the other.
Rule broadcasts_to(size_t tensor, size_t reference);
inline Rules broadcasts_to(const std::vector<size_t>& tensors, size_t reference) {
  return of_each(tensors, [&](size_t each) { return broadcasts_to(each, reference); });
}
// That shape, of tensors that do broadcast.
Dims broadcast_shape(const Arguments& arguments, const std::vector<size_t>& tensors);

// For `when`: the product is Ascend950, or an older one.
bool on_950(const Arguments& arguments);
bool before_950(const Arguments& arguments);

// Integer attribute within [low, high].
Rule integer_between(size_t attribute, int64_t low, int64_t high);
// Axis attribute within [-n, n-1], n the tensor's rank (1 for a 0-d tensor).
Rule axis_of(size_t attribute, size_t tensor);

// A rule of the operator's own: returns what is wrong, or nothing.
Rule require(std::function<std::optional<std::string>(const Arguments&)> complaint);

// The shape as messages print it: "[2, 3]".
std::string to_string(const Dims& shape);

// The axis counted from the front: -1 is the last. Rank 0 counts as rank 1.
size_t normalize_axis(int64_t axis, size_t rank);

}  // namespace aclgrad::ops
