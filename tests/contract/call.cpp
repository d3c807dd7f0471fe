// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/call.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "aclgrad_ext.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::contract {
namespace {

constexpr int64_t kMaxElements = 4096;
constexpr size_t kLargestElement = 16;

int64_t memory_for(const Shape& shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return kMaxElements;
  }
  return std::clamp<int64_t>(count, 1, kMaxElements);
}

bool has_numbers(aclDataType dtype) {
  for (const NamedDtype& each : all_dtypes()) {
    if (each.dtype == dtype) return each.has_numbers;
  }
  return false;
}

}  // namespace

Library::Library() : handles_{RTLD_DEFAULT} {}

Find Library::finder() const {
  return [this](const char* name) -> void* {
    for (void* handle : handles_) {
      if (void* found = dlsym(handle, name)) return found;
    }
    return nullptr;
  };
}

void* Library::find(const std::string& name) const {
  if (void* found = finder()(name.c_str())) return found;
  throw std::runtime_error("no library has " + name);
}

std::string Library::message() const {
  const char* text = get<decltype(aclGetRecentErrMsg)>("aclGetRecentErrMsg")();
  return text == nullptr ? "" : text;
}

const std::vector<NamedDtype>& all_dtypes() {
  static const std::vector<NamedDtype> all = {
      {ACL_FLOAT, "DT_FLOAT", true},
      {ACL_FLOAT16, "DT_FLOAT16", true},
      {ACL_BF16, "DT_BF16", true},
      {ACL_DOUBLE, "DT_DOUBLE", true},
      {ACL_INT8, "DT_INT8", true},
      {ACL_INT16, "DT_INT16", true},
      {ACL_INT32, "DT_INT32", true},
      {ACL_INT64, "DT_INT64", true},
      {ACL_UINT8, "DT_UINT8", true},
      {ACL_UINT16, "DT_UINT16", true},
      {ACL_UINT32, "DT_UINT32", true},
      {ACL_UINT64, "DT_UINT64", true},
      {ACL_BOOL, "DT_BOOL", true},
      {ACL_COMPLEX64, "DT_COMPLEX64", true},
      {ACL_COMPLEX128, "DT_COMPLEX128", true},
      {ACL_COMPLEX32, "DT_COMPLEX32", false},
      {ACL_STRING, "DT_STRING", false},
      {ACL_INT4, "DT_INT4", false},
      {ACL_UINT1, "DT_UINT1", false},
      {ACL_HIFLOAT8, "DT_HIFLOAT8", false},
      {ACL_FLOAT8_E5M2, "DT_FLOAT8_E5M2", false},
      {ACL_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN", false},
      {ACL_FLOAT8_E8M0, "DT_FLOAT8_E8M0", false},
      {ACL_FLOAT6_E3M2, "DT_FLOAT6_E3M2", false},
      {ACL_FLOAT6_E2M3, "DT_FLOAT6_E2M3", false},
      {ACL_FLOAT4_E2M1, "DT_FLOAT4_E2M1", false},
      {ACL_FLOAT4_E1M2, "DT_FLOAT4_E1M2", false},
      {ACL_DT_UNDEFINED, "DT_UNDEFINED", false},
  };
  return all;
}

aclDataType usual_dtype(const Operator& row) {
  const DTypes& dtypes = row.domain.everywhere;
  const bool is_free = has_free_dtype(row) && std::ranges::count(dtypes, ACL_FLOAT) == 0;
  return is_free && !dtypes.empty() ? dtypes.front() : ACL_FLOAT;
}

const char* dtype_name(aclDataType dtype) {
  for (const NamedDtype& each : all_dtypes()) {
    if (each.dtype == dtype) return each.name;
  }
  throw std::invalid_argument("a dtype without a name");
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

double read_number(const void* data, aclDataType dtype) {
  if (dtype == ACL_COMPLEX64) return static_cast<double>(testing::load_as<float>(data, 0));
  if (dtype == ACL_COMPLEX128) return testing::load_as<double>(data, 0);
  return static_cast<double>(testing::get_element(data, dtype, 0));
}

void write_number(void* data, aclDataType dtype, size_t index, double value) {
  if (dtype == ACL_COMPLEX64) {
    testing::store_as(data, 2 * index, static_cast<float>(value));
    testing::store_as(data, 2 * index + 1, 0.0f);
  } else if (dtype == ACL_COMPLEX128) {
    testing::store_as(data, 2 * index, value);
    testing::store_as(data, 2 * index + 1, 0.0);
  } else {
    testing::set_element(data, dtype, index, static_cast<long double>(value));
  }
}

Value Call::make(const ParameterSpec& spec) {
  if (const auto* tensor_spec = std::get_if<TensorSpec>(&spec)) {
    if (tensor_spec->optional) return static_cast<aclTensor*>(nullptr);
    return tensor(tensor_spec->shape, tensor_spec->dtype.value_or(dtype_), tensor_spec->fill,
                  tensor_spec->format);
  }
  return bind(
      spec,
      {.scalar = [this](double value, aclDataType dtype) { return scalar(value, dtype); },
       .int_array = [this](const Shape& values) { return int_array(values); },
       .bool_array = [this](const std::vector<char>& values) { return bool_array(values); }},
      dtype_);
}

Call::Call(const Library& library, const Operator& row, aclDataType dtype)
    : library_(library), row_(row), dtype_(dtype) {
  for (const Parameter& parameter : row.call.parameters) {
    values_.push_back(make(parameter.spec));
    if (values_.size() == row.output() + 1) output_ = memory_.back();
  }
}

Call::~Call() {
  if (executor_ != nullptr) {
    library_.get<decltype(aclDestroyAclOpExecutor)>("aclDestroyAclOpExecutor")(executor_);
  }
  for (const void* each : lists_) {
    library_.get<decltype(aclgradReleaseTensorList)>("aclgradReleaseTensorList")(each);
  }
  for (const aclTensor* each : tensors_) {
    library_.get<decltype(aclDestroyTensor)>("aclDestroyTensor")(each);
  }
  for (const aclScalar* each : scalars_) {
    library_.get<decltype(aclDestroyScalar)>("aclDestroyScalar")(each);
  }
  for (const aclIntArray* each : int_arrays_) {
    library_.get<decltype(aclDestroyIntArray)>("aclDestroyIntArray")(each);
  }
  for (const aclBoolArray* each : bool_arrays_) {
    library_.get<decltype(aclDestroyBoolArray)>("aclDestroyBoolArray")(each);
  }
  for (void* each : memory_) library_.get<decltype(aclrtFree)>("aclrtFree")(each);
}

void* Call::allocate(size_t bytes) {
  void* memory = nullptr;
  if (library_.get<decltype(aclrtMalloc)>("aclrtMalloc")(&memory, bytes,
                                                         ACL_MEM_MALLOC_HUGE_FIRST) != 0) {
    throw std::runtime_error(library_.message());
  }
  memory_.push_back(memory);
  std::memset(memory, 0, bytes);
  return memory;
}

aclTensor* Call::tensor(const Shape& shape, aclDataType dtype, double fill,
                        std::optional<aclFormat> format) {
  const auto count = static_cast<size_t>(memory_for(shape));
  void* data = allocate(count * kLargestElement);
  if (has_numbers(dtype)) {
    for (size_t i = 0; i < count; ++i) write_number(data, dtype, i, fill);
  }
  aclTensor* made = library_.get<decltype(aclCreateTensor)>("aclCreateTensor")(
      shape.data(), shape.size(), dtype, nullptr, 0, format.value_or(format_of(shape.size())),
      shape.data(), shape.size(), data);
  tensors_.push_back(made);
  return made;
}

aclTensor* Call::view(const Shape& shape, const Shape& strides, int64_t offset,
                      const Shape& storage, aclDataType dtype) {
  aclTensor* made = library_.get<decltype(aclCreateTensor)>("aclCreateTensor")(
      shape.data(), shape.size(), dtype, strides.data(), offset, format_of(shape.size()),
      storage.data(), storage.size(), allocate(kMaxElements * kLargestElement));
  tensors_.push_back(made);
  return made;
}

aclTensor* Call::scattered(const Shape& shape, aclDataType dtype, double fill) {
  Shape strides;
  int64_t size = 2;
  for (const int64_t extent : shape) {
    strides.push_back(size);
    size *= extent;
  }
  void* data = allocate(kMaxElements * kLargestElement);
  if (has_numbers(dtype)) {
    for (int64_t i = 0; i < size; ++i) {
      write_number(data, dtype, static_cast<size_t>(i), fill);
    }
  }
  aclTensor* made = library_.get<decltype(aclCreateTensor)>("aclCreateTensor")(
      shape.data(), shape.size(), dtype, strides.data(), 0, format_of(shape.size()), &size, 1,
      data);
  tensors_.push_back(made);
  return made;
}

void Call::scatter() {
  for (size_t i = 0; i < values_.size(); ++i) {
    const TensorSpec* const spec = tensor_spec(i);
    if (spec == nullptr || spec->optional || spec->shape.empty()) continue;
    values_[i] = scattered(spec->shape, dtype_of(i), spec->fill);
  }
}

aclScalar* Call::scalar(double value, aclDataType dtype) {
  alignas(16) unsigned char bytes[kLargestElement] = {};
  if (has_numbers(dtype)) write_number(bytes, dtype, 0, value);
  aclScalar* made = library_.get<decltype(aclCreateScalar)>("aclCreateScalar")(bytes, dtype);
  library_.message();  // a dtype that no scalar holds leaves one, and null is what the test wants
  scalars_.push_back(made);
  return made;
}

Value Call::list_of_one(const Value& member) {
  const auto keep = [this](auto* list) -> Value {
    lists_.push_back(list);
    return list;
  };
  if (const auto* scalar = std::get_if<aclScalar*>(&member)) {
    return keep(library_.get<decltype(aclCreateScalarList)>("aclCreateScalarList")(scalar, 1));
  }
  return keep(library_.get<decltype(aclCreateTensorList)>("aclCreateTensorList")(
      &std::get<aclTensor*>(member), 1));
}

aclIntArray* Call::int_array(const Shape& values) {
  aclIntArray* made =
      library_.get<decltype(aclCreateIntArray)>("aclCreateIntArray")(values.data(), values.size());
  int_arrays_.push_back(made);
  return made;
}

aclBoolArray* Call::bool_array(const std::vector<char>& values) {
  const auto bools = std::make_unique<bool[]>(values.size());
  std::copy(values.begin(), values.end(), bools.get());
  aclBoolArray* made =
      library_.get<decltype(aclCreateBoolArray)>("aclCreateBoolArray")(bools.get(), values.size());
  bool_arrays_.push_back(made);
  return made;
}

const TensorSpec* Call::tensor_spec(size_t parameter) const {
  return row_.call.parameters[parameter].tensor();
}

aclDataType Call::dtype_of(size_t parameter) const {
  return tensor_spec(parameter)->dtype.value_or(dtype_);
}

aclnnStatus Call::plan() { return plan(&workspace_size_, &executor_); }

aclnnStatus Call::plan(uint64_t* workspace_size, aclOpExecutor** executor) {
  return call_phase_one(row_, library_.find(row_.name() + "GetWorkspaceSize"), values_,
                        library_.finder(), workspace_size, executor);
}

aclnnStatus Call::run(aclrtStream stream) {
  void* workspace = workspace_size_ > 0 ? allocate(workspace_size_) : nullptr;
  const aclnnStatus status =
      library_.get<PhaseTwo>(row_.name())(workspace, workspace_size_, executor_, stream);
  executor_ = nullptr;
  if (status != 0) return status;
  return library_.get<decltype(aclrtSynchronizeStream)>("aclrtSynchronizeStream")(stream);
}

double Call::output() const { return read_number(output_, dtype_of(row_.output())); }

}  // namespace aclgrad::contract
