// SPDX-License-Identifier: Apache-2.0
// Slices along a dimension that are added, copied or filled by their numbers.
#include "aclnnop/aclnn_index_add.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "ops/contract/dense.h"
#include "ops/index/index_contract.h"

namespace aclgrad::contract {
namespace {

// A tensor of dimension dim with as many elements there as there are numbers.
void arrange_slices(Arguments& a) {
  Shape shape = a.shape(self_of(a));
  const size_t axis = checked_axis(a);
  limit(a.tensor("index"), -shape[axis], shape[axis] - 1);
  a.reshape({"out"}, shape);
  shape[axis] = count_of(a.shape("index"));
  a.reshape({"source"}, shape);
}

// The places among the numbers at which each slice of a dimension stands, in their order.
std::vector<std::vector<int64_t>> places_of_slices(const Array& numbers, int64_t size) {
  std::vector<std::vector<int64_t>> places(static_cast<size_t>(size));
  for (size_t k = 0; k < numbers.values.size(); ++k) {
    const int64_t slice = from_front(numbers.values[k], size);
    places.at(static_cast<size_t>(slice)).push_back(static_cast<int64_t>(k));
  }
  return places;
}

// Inputs: self, index, source.
Arrays add_slices(const Arguments& a, const Arrays& in, bool magnitudes) {
  const size_t axis = checked_axis(a);
  const auto places = places_of_slices(in[1], in[0].shape[axis]);
  return {dense::generate(in[0].shape, [&](const Shape& at) {
    Number sum = part(a, dense::at(in[0], at), magnitudes);
    Shape from = at;
    for (const int64_t k : places[static_cast<size_t>(at[axis])]) {
      from[axis] = k;
      sum += part(a, a.number("alpha") * dense::at(in[2], from), magnitudes);
    }
    return sum;
  })};
}

// The numbers of slices: a tensor's, behind self, or an array's.
Array numbers_of(const Arguments& a, const Arrays& in) {
  for (const Parameter& each : a.parameters()) {
    if (each.name == "index" && each.tensor() != nullptr) return in[1];
  }
  const Shape& array = a.array("index");
  return {{static_cast<int64_t>(array.size())}, {array.begin(), array.end()}};
}

// The last one of a number. Inputs: self, index, and source but of a fill.
Arrays put_slices(const Arguments& a, const Arrays& in) {
  const size_t axis = checked_axis(a);
  const auto places = places_of_slices(numbers_of(a, in), in[0].shape[axis]);
  return {dense::generate(in[0].shape, [&](const Shape& at) {
    const std::vector<int64_t>& written = places[static_cast<size_t>(at[axis])];
    if (written.empty()) return dense::at(in[0], at);
    if (a.has("value")) return converted(a.number("value"), ACL_DOUBLE, a.dtype());
    Shape from = at;
    from[axis] = written.back();
    return dense::at(in[2], from);
  })};
}

ErrorInput of_a_scalar(std::vector<std::string> tensors) {
  ErrorInput error_input{.what = "of a scalar",
                         .changes = {{"index", TensorSpec{.shape = {3}, .dtype = ACL_INT64}}},
                         .words = {"[]"}};
  for (auto& each : tensors) error_input.changes.emplace_back(std::move(each), TensorSpec{{}});
  return error_input;
}

std::vector<ErrorInput> wrong_indices(const char* self) {
  return {wrong_dim(),
          refused("index", "of rank 2", TensorSpec{.shape = {1, 3}, .dtype = ACL_INT64}, "has 2"),
          refused(self, "without elements", of_shape({2, 0}), "[2, 0]")};
}

}  // namespace

void add_slices_by_number(std::vector<Operator>& all) {
  const ErrorInput of_other_size = refused("source", "of another size", of_shape({2, 2}), "[2, 3]");
  const Parameter self = in("self"), dim = integer("dim", -1), index = indices("index", {3}),
                  source = shaped(in("source"), {2, 3});
  Domain domain{.everywhere = kSummed,
                .arrange = arrange_slices,
                .samples = {{{{"dim", 0.0}}},
                            {{{"dim", 1.0}, {"alpha", 2.0}}},
                            {{{"dim", -1.0}, {"index", Shape{7}}}}},
                .value_samples = {{{{"self", Shape{70, 600}}, {"dim", 0.0}, {"index", Shape{200}}}},
                                  {{{"self", Shape{3000}}, {"dim", 0.0}, {"index", Shape{9000}}}}}};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnIndexAdd, self, dim, index, source, number("alpha", 1), out("out")),
      .domain = domain,
      .results = summed(add_slices),
      .error_inputs = wrong_indices("self") +
                      std::vector{of_other_size, of_a_scalar({"self", "source", "out"})},
      .words = {"slices added to those of their numbers", "按下标累加切片",
                "index_add(x, dim, index, source)", "index_add"},
  });

  domain.everywhere = kNumbers + kUnsigned;
  domain.samples = {{{{"dim", 0.0}}}, {{{"dim", 1.0}}}, {{{"dim", -1.0}, {"index", Shape{7}}}}};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnIndexCopy, self, dim, index, source, out("out")),
      .domain = domain,
      .results = selected(put_slices),
      .error_inputs = wrong_indices("self") +
                      std::vector{of_other_size, of_a_scalar({"self", "source", "out"})},
      .words = {"slices copied to those of their numbers", "按下标覆盖切片",
                "index_copy(x, dim, index, source)", "index_copy"},
  });
  all.push_back(in_place_of(all.back(), ACLGRAD_CALL(aclnnInplaceIndexCopy),
                            wrong_indices("selfRef") + std::vector{of_other_size}));

  // Whatever its size is, and that of the index.
  Parameter overwritten = any_shape(in("selfRef"));
  std::get<TensorSpec>(overwritten.spec).role = Role::kInPlace;
  for (auto* samples : {&domain.samples, &domain.value_samples}) {
    for (Sample& each : *samples) {
      for (auto& [name, setting] : each.settings) name = name == "self" ? "selfRef" : name;
    }
  }
  const Parameter value = number("value", 3);
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceIndexFill, overwritten, dim, any_shape(index), value),
      .domain = domain,
      .results = selected(put_slices),
      .error_inputs = wrong_indices("selfRef") + std::vector{of_a_scalar({"selfRef"})},
      .words = {"slices of these numbers filled with a value", "按下标填充切片", "", "index_fill"},
  });
  const auto add_out_of_place = [&](Operator op, Signature call, Words words) {
    op.call = std::move(call);
    for (auto* samples : {&op.domain.samples, &op.domain.value_samples}) {
      for (Sample& each : *samples) {
        for (auto& [name, setting] : each.settings) name = name == "selfRef" ? "self" : name;
      }
    }
    op.words = std::move(words);
    all.push_back(std::move(op));
  };
  Operator by_tensor = all.back();
  by_tensor.error_inputs = wrong_indices("self") + std::vector{of_a_scalar({"self", "out"})};
  add_out_of_place(
      by_tensor, ACLGRAD_CALL(aclnnIndexFill, self, dim, any_shape(index), value, out("out")),
      {"a copy with slices of these numbers filled", "按下标填充切片的副本", "", "index_fill_out"});

  const Parameter array = values("index", {1, 0});
  domain.arrange = [](Arguments& a) {
    const Shape& shape = a.shape(self_of(a));
    const int64_t size = shape[checked_axis(a)];
    for (const int64_t each : a.array("index")) {
      if (each < -size || each >= size) throw std::invalid_argument("no such slice");
    }
    a.reshape({"out"}, shape);
  };
  domain.samples = {{{{"dim", 0.0}, {"index", Shape{1, 0, 1}}}},
                    {{{"dim", 1.0}, {"index", Shape{-1}}, {"value", -2.75}}},
                    {{{"dim", -1.0}, {"index", Shape{}}}}};
  domain.value_samples = {
      {{{"selfRef", Shape{70, 600}}, {"dim", 0.0}, {"index", Shape{9, 69, -3}}}}};
  const std::vector<ErrorInput> errors{wrong_dim(),
                                       wrong_values("index", "out of range", {4}, "has 4"),
                                       wrong_values("index", "below its range", {-5}, "has -5")};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceIndexFillTensor, overwritten, dim, array, value),
      .domain = domain,
      .results = selected(put_slices),
      .error_inputs = errors,
      .words = {"slices filled, of which an array on the host has the numbers",
                "按主机数组中的下标填充切片", "", "index_fill_tensor"},
  });
  add_out_of_place(
      all.back(), ACLGRAD_CALL(aclnnIndexFillTensor, self, dim, array, value, out("out")),
      {"a copy with such slices filled", "按主机数组填充切片的副本", "", "index_fill_tensor_out"});
}

}  // namespace aclgrad::contract
