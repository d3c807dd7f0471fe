// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/operator_faults.h"

#include <fmt/format.h>

namespace aclgrad::contract {
namespace {

// An address that no handle has.
template <class Handle>
Handle* invalid_handle() {
  static int64_t memory[8] = {};
  return reinterpret_cast<Handle*>(memory);
}

template <class Handle>
void add_handle_faults(std::vector<OperatorFault>& faults, size_t i, bool may_be_null,
                       aclnnStatus if_null = 161001) {
  if (!may_be_null) {
    faults.push_back({"null",
                      i,
                      [i](Call& call) { call.values()[i] = static_cast<Handle*>(nullptr); },
                      if_null,
                      {"null pointer"}});
  }
  faults.push_back({"an invalid handle",
                    i,
                    [i](Call& call) { call.values()[i] = invalid_handle<Handle>(); },
                    161002,
                    {"not a live"}});
}

void add_tensor_faults(std::vector<OperatorFault>& faults, size_t i, const TensorSpec& spec,
                       aclnnStatus wrong_shape) {
  add_handle_faults<aclTensor>(faults, i, spec.optional, spec.if_null);
  for (const aclDataType dtype :
       {ACL_STRING, ACL_FLOAT16, ACL_INT32, ACL_UINT64, ACL_BOOL, ACL_COMPLEX64}) {
    faults.push_back({fmt::format("of {}", dtype_name(dtype)),
                      i,
                      [=](Call& call) { call.values()[i] = call.tensor(spec.shape, dtype); },
                      0,
                      {dtype_name(dtype)},
                      /*may_pass=*/dtype != ACL_STRING});
  }
  std::vector<Shape> shapes = {Shape(9, 1), Shape(spec.shape.size(), 1), {}, {7}};
  if (!spec.shape.empty()) {
    shapes.push_back(spec.shape);
    ++shapes.back().front();
    shapes.push_back(spec.shape);
    ++shapes.back().back();
    shapes.push_back(spec.shape);
    shapes.back().push_back(1);
  }
  for (const Shape& shape : shapes) {
    faults.push_back(
        {"of size " + to_string(shape),
         i,
         [=](Call& call) { call.values()[i] = call.tensor(shape, call.dtype_of(i)); },
         wrong_shape,
         {to_string(shape), fmt::format("has {}", shape.size()), "must have", "broadcast"},
         /*may_pass=*/true});
  }
  // What the right call lacks may be refused for what must stand beside it.
  std::vector<std::string> of_format = {"format is"};
  if (spec.optional) of_format.insert(of_format.end(), {"must have", "must be given"});
  faults.push_back({"in a private format", i,
                    [=](Call& call) {
                      call.values()[i] =
                          call.tensor(spec.shape, call.dtype_of(i), 1, ACL_FORMAT_FRACTAL_NZ);
                    },
                    161002, of_format,
                    /*may_pass=*/true});
}

// The number of a parameter.
size_t place_of(const Operator& row, const std::string& name) {
  size_t i = 0;
  while (row.call.parameters.at(i).name != name) ++i;
  return i;
}

OperatorFault fault_of(const Operator& row, const ErrorInput& error_input) {
  return {error_input.what,
          place_of(row, error_input.changes.empty() ? error_input.nulls.front()
                                                    : error_input.changes.front().first),
          [&row, error_input](Call& call) {
            for (const std::string& name : error_input.nulls) {
              Value& value = call.values()[place_of(row, name)];
              std::visit([](auto& held) { held = {}; }, value);
            }
            for (const auto& [name, spec] : error_input.changes) {
              call.values()[place_of(row, name)] = call.make(spec);
            }
          },
          error_input.status,
          error_input.words,
          /*may_pass=*/false,
          error_input.dtype,
          error_input.product};
}

struct AddFaults {
  const Operator& row;
  std::vector<OperatorFault>& faults;
  size_t i;

  void operator()(const TensorSpec& spec) const {
    add_tensor_faults(faults, i, spec, row.domain.wrong_shape);
  }
  void operator()(const ScalarSpec& spec) const {
    add_handle_faults<aclScalar>(faults, i, spec.optional);
    for (const aclDataType dtype : {ACL_COMPLEX64, ACL_UINT64, ACL_HIFLOAT8}) {
      faults.push_back({fmt::format("of {}", dtype_name(dtype)),
                        i,
                        [=, at = i](Call& call) { call.values()[at] = call.scalar(1, dtype); },
                        0,
                        {dtype_name(dtype)},
                        /*may_pass=*/true});
    }
  }
  void operator()(const Shape&) const {
    add_handle_faults<aclIntArray>(faults, i, row.call.parameters[i].nullable);
    for (const Shape& dims : {Shape{7}, Shape{-1, 1}}) {
      faults.push_back({"= " + to_string(dims),
                        i,
                        [=, at = i](Call& call) { call.values()[at] = call.int_array(dims); },
                        161002,
                        {"an entry 7", "dimension 1 twice", to_string(dims)}});
    }
  }
  void operator()(const SizesSpec& spec) const { (*this)(spec.sizes); }
  void operator()(const BoolsSpec& spec) const {
    add_handle_faults<aclBoolArray>(faults, i, spec.optional, spec.if_null);
    if (spec.optional) return;
    std::vector<char> more = spec.values;
    more.push_back(1);
    faults.push_back({"of one value more",
                      i,
                      [=, at = i](Call& call) { call.values()[at] = call.bool_array(more); },
                      spec.if_longer,
                      {fmt::format("has {}", more.size())}});
  }
  void operator()(const ValuesSpec& spec) const {
    add_handle_faults<aclIntArray>(faults, i, spec.optional);
  }
  void operator()(const WordSpec&) const {
    faults.push_back({"null",
                      i,
                      [at = i](Call& call) { call.values()[at] = static_cast<char*>(nullptr); },
                      161001,
                      {"null pointer"}});
    faults.push_back({"= \"sigmoid\"",
                      i,
                      [at = i](Call& call) {
                        static char text[] = "sigmoid";
                        call.values()[at] = text;
                      },
                      161002,
                      {"\"sigmoid\""}});
  }
  void operator()(DtypeSpec spec) const {
    for (const aclDataType dtype : {ACL_STRING, ACL_INT32}) {
      if (spec.dtype && dtype == ACL_INT32)
        continue;  // what another one does is the operator's own
      faults.push_back(
          {fmt::format("= {}", dtype_name(dtype)),
           i,
           [=, at = i](Call& call) { call.values()[at] = static_cast<int64_t>(dtype); },
           161002,
           {dtype_name(dtype)}});
    }
  }
  void operator()(int64_t) const {}  // only the operator knows which are wrong
  void operator()(double) const {}
  void operator()(bool) const {}
};

}  // namespace

std::vector<OperatorFault> faults_of(const Operator& row) {
  std::vector<OperatorFault> faults;
  for (const ErrorInput& error_input : row.error_inputs)
    faults.push_back(fault_of(row, error_input));
  for (size_t i = 0; i < row.call.parameters.size(); ++i) {
    std::visit(AddFaults{row, faults, i}, row.call.parameters[i].spec);
  }
  for (const size_t i : declared_parameters(row)) {
    if (row.call.parameters[i].list.empty()) continue;
    const bool has_tensors = row.call.parameters[i].tensor() != nullptr;
    if (has_tensors) {
      add_handle_faults<aclTensorList>(faults, i, row.call.parameters[i].nullable, 0);
    } else {
      add_handle_faults<aclScalarList>(faults, i, false, 0);
    }
    faults.push_back({has_tensors ? "of one tensor" : "of one scalar",
                      i,
                      [i](Call& call) { call.values()[i] = call.list_of_one(call.values()[i]); },
                      row.domain.wrong_shape,
                      {"must have"},
                      /*may_pass=*/true});
  }
  faults.push_back({"everything of rank 9",
                    0,
                    [](Call& call) {
                      for (size_t i = 0; i < call.values().size(); ++i) {
                        const TensorSpec* spec = call.tensor_spec(i);
                        if (spec == nullptr || spec->optional) continue;
                        Shape shape(9, 1);
                        std::copy(spec->shape.rbegin(), spec->shape.rend(), shape.rbegin());
                        call.values()[i] = call.tensor(shape, call.dtype_of(i));
                      }
                    },
                    row.domain.wrong_shape,
                    {"has 9", "must have"},
                    /*may_pass=*/true});
  if (!has_free_dtype(row)) return faults;
  for (const aclDataType dtype : {ACL_STRING, ACL_INT32, ACL_DOUBLE, ACL_UINT64}) {
    faults.push_back({fmt::format("everything in {}", dtype_name(dtype)),
                      0,
                      [](Call&) {},
                      0,
                      {dtype_name(dtype), "null pointer"},
                      /*may_pass=*/dtype != ACL_STRING,
                      dtype});
  }
  faults.push_back({"everything in DT_BF16 on an old product",
                    0,
                    [](Call&) {},
                    161002,
                    {"DT_BF16"},
                    /*may_pass=*/true,
                    ACL_BF16,
                    "Ascend310P"});
  return faults;
}

}  // namespace aclgrad::contract
