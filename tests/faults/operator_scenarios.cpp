// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tests/contract/call.h"
#include "tests/faults/scenarios.h"

namespace aclgrad::faults {
namespace {

using contract::Operator;
using contract::Shape;
using contract::Value;

// What every size of a larger call is multiplied by: enough for workspaces and threads, and little
// enough for products of batches.
int64_t larger_by(const contract::Operator& row) {
  size_t rank = 0;
  for (const contract::Parameter& each : row.call.parameters) {
    if (each.tensor() != nullptr) rank = std::max(rank, each.tensor()->shape.size());
  }
  return rank > 2 ? 8 : 64;
}

constexpr size_t kLargestElement = 16;

size_t count_of(const Shape& shape) {
  size_t count = 1;
  for (int64_t size : shape) count *= static_cast<size_t>(size);
  return count;
}

// What the memory of a tensor holds at first. Kept: making it takes longer than all the rest.
const std::vector<unsigned char>& content(aclDataType dtype, size_t count, double fill) {
  static std::map<std::tuple<aclDataType, size_t, double>, std::vector<unsigned char>> all;
  std::vector<unsigned char>& bytes = all[{dtype, count, fill}];
  if (bytes.empty()) {
    bytes.resize(count * kLargestElement);
    for (size_t i = 0; i < count; ++i) contract::write_number(bytes.data(), dtype, i, fill);
  }
  return bytes;
}

// Makes the arguments of the right call; `scale` multiplies every size but 1.
class Maker {
 public:
  Maker(Run& run, aclDataType dtype, int64_t scale) : run_(run), dtype_(dtype), scale_(scale) {}

  Value operator()(const contract::ParameterSpec& spec) {
    if (const auto* tensor_spec = std::get_if<contract::TensorSpec>(&spec)) {
      return tensor(*tensor_spec);
    }
    if (const auto* sizes = std::get_if<contract::SizesSpec>(&spec)) {
      return int_array(scaled(sizes->sizes));
    }
    return contract::bind(
        spec,
        {.scalar = [this](double value, aclDataType dtype) { return scalar(value, dtype); },
         .int_array = [this](const Shape& values) { return int_array(values); },
         .bool_array = [this](const std::vector<char>& values) { return bool_array(values); }},
        dtype_);
  }

  // Of the tensor made last.
  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  Shape scaled(Shape sizes) const {
    for (int64_t& size : sizes) size *= size == 1 ? 1 : scale_;
    return sizes;
  }
  aclTensor* tensor(const contract::TensorSpec& spec) {
    if (spec.optional) return nullptr;
    const aclDataType dtype = spec.dtype.value_or(dtype_);
    const Shape shape = scaled(spec.shape);
    const std::vector<unsigned char>& bytes = content(dtype, count_of(shape), spec.fill);
    void* data = nullptr;
    size_ = bytes.size();
    run_.call("aclrtMalloc", [&] { return aclrtMalloc(&data, size_, ACL_MEM_MALLOC_HUGE_FIRST); });
    run_.later("aclrtFree", [data] { return aclrtFree(data); });
    run_.call("aclrtMemcpy", [&] {
      return aclrtMemcpy(data, size_, bytes.data(), size_, ACL_MEMCPY_HOST_TO_DEVICE);
    });
    data_ = data;
    aclTensor* made = run_.make("aclCreateTensor", [&] {
      return aclCreateTensor(shape.data(), shape.size(), dtype, nullptr, 0,
                             contract::format_of(shape.size()), shape.data(), shape.size(), data);
    });
    run_.later("aclDestroyTensor", [made] { return aclDestroyTensor(made); });
    return made;
  }
  aclScalar* scalar(double value, aclDataType dtype) {
    alignas(16) unsigned char bytes[kLargestElement] = {};
    contract::write_number(bytes, dtype, 0, value);
    aclScalar* made = run_.make("aclCreateScalar", [&] { return aclCreateScalar(bytes, dtype); });
    run_.later("aclDestroyScalar", [made] { return aclDestroyScalar(made); });
    return made;
  }
  aclIntArray* int_array(const Shape& values) {
    aclIntArray* made = run_.make("aclCreateIntArray",
                                  [&] { return aclCreateIntArray(values.data(), values.size()); });
    run_.later("aclDestroyIntArray", [made] { return aclDestroyIntArray(made); });
    return made;
  }
  aclBoolArray* bool_array(const std::vector<char>& values) {
    bool flags[8] = {};
    std::copy(values.begin(), values.end(), flags);
    aclBoolArray* made =
        run_.make("aclCreateBoolArray", [&] { return aclCreateBoolArray(flags, values.size()); });
    run_.later("aclDestroyBoolArray", [made] { return aclDestroyBoolArray(made); });
    return made;
  }

  Run& run_;
  const aclDataType dtype_;
  const int64_t scale_;
  void* data_ = nullptr;
  size_t size_ = 0;
};

// A repeatable executor, run once on the stream and once more from a recording.
void run_operator(Run& run, const Operator& row, aclDataType dtype, int64_t scale) {
  static const contract::Library library;
  void* const phase_one = library.find(row.name() + "GetWorkspaceSize");
  auto* const phase_two = library.get<contract::PhaseTwo>(row.name());
  const contract::Find find = library.finder();

  run.call("aclrtSetDevice", [] { return aclrtSetDevice(0); });
  run.later("aclrtResetDevice", [] { return aclrtResetDevice(0); });
  aclrtStream stream = nullptr;
  run.call("aclrtCreateStream", [&] { return aclrtCreateStream(&stream); });
  run.later("aclrtDestroyStream", [&] { return aclrtDestroyStream(stream); });

  Maker maker(run, dtype, scale);
  std::vector<Value> values;
  void* output = nullptr;
  size_t output_size = 0;
  for (const contract::Parameter& parameter : row.call.parameters) {
    values.push_back(maker(parameter.spec));
    if (values.size() != row.output() + 1) continue;
    output = maker.data();
    output_size = maker.size();
  }

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  run.call("phase one", [&] {
    return contract::call_phase_one(row, phase_one, values, find, &workspace_size, &executor);
  });
  run.later("aclDestroyAclOpExecutor", [&] { return aclDestroyAclOpExecutor(executor); });
  run.call("aclSetAclOpExecutorRepeatable",
           [&] { return aclSetAclOpExecutorRepeatable(executor); });
  void* workspace = nullptr;
  if (workspace_size > 0) {
    run.call("aclrtMalloc",
             [&] { return aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST); });
    run.later("aclrtFree", [&] { return aclrtFree(workspace); });
  }
  const auto launch = [&] { return phase_two(workspace, workspace_size, executor, stream); };
  const auto synchronize = [&] { return aclrtSynchronizeStream(stream); };
  run.call("phase two", launch);
  run.call("aclrtSynchronizeStream", synchronize);
  run.result(output, output_size);

  aclmdlRI model = nullptr;
  if (run.call("aclmdlRICaptureBegin",
               [&] { return aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL); })) {
    run.call("recorded phase two", launch);
    if (!run.call("aclmdlRICaptureEnd", [&] { return aclmdlRICaptureEnd(stream, &model); })) {
      // The capture ends whatever was recorded, with an error or with a model that is not wanted.
      in_library([&] { return aclmdlRICaptureEnd(stream, &model); });
    }
    if (model != nullptr) {
      const bool wanted = !run.failed();
      if (wanted) {
        run.later("aclmdlRIDestroy", [&] { return aclmdlRIDestroy(model); });
      } else {
        in_library([&] { return aclmdlRIDestroy(model); });
      }
    }
  }
  run.call("aclmdlRIExecuteAsync", [&] { return aclmdlRIExecuteAsync(model, stream); });
  run.call("aclrtSynchronizeStream", synchronize);
  run.result(output, output_size);
  // Whatever failed, nothing may run on while its memory goes away.
  in_library(synchronize);
  run.finish();
}

// More dimensions than have room in a tensor itself; an operator for any number of them.
void run_wide_tensors(Run& run) {
  static const contract::Library library;
  auto* const phase_one =
      library.get<aclnnStatus(const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**)>(
          "aclnnSeluGetWorkspaceSize");
  const Shape shape(9, 2);
  std::vector<float> in(512, 1);
  std::vector<float> out(512);
  const auto make = [&](std::vector<float>& data) {
    aclTensor* made = run.make("aclCreateTensor", [&] {
      return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                             shape.data(), shape.size(), data.data());
    });
    run.later("aclDestroyTensor", [made] { return aclDestroyTensor(made); });
    return made;
  };
  aclTensor* const self = make(in);
  aclTensor* const result = make(out);
  run.call("aclInitTensor", [&] {
    return aclInitTensor(self, shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                         shape.data(), shape.size(), in.data());
  });
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  run.call("phase one", [&] { return phase_one(self, result, &size, &executor); });
  run.later("aclDestroyAclOpExecutor", [&] { return aclDestroyAclOpExecutor(executor); });
  run.finish();
}

}  // namespace

std::vector<Scenario> operator_scenarios() {
  std::vector<Scenario> scenarios{{"tensors of nine dimensions", run_wide_tensors}};
  for (const Operator& row : contract::all_contracts()) {
    if (!contract::is_repeatable(row)) continue;
    for (const int64_t scale : {int64_t{1}, larger_by(row)}) {
      if (scale != 1 && !row.domain.grows) continue;
      scenarios.push_back({row.name() + (scale == 1 ? "" : ", larger"), [&row, scale](Run& run) {
                             run_operator(run, row, row.domain.everywhere.front(), scale);
                           }});
    }
  }
  return scenarios;
}

}  // namespace aclgrad::faults
