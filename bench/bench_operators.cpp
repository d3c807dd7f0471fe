// SPDX-License-Identifier: Apache-2.0
// Every row of the case table as a benchmark: one call of phase two with a repeatable executor and
// the wait for its result, over contiguous tensors. "items" are the elements of the largest tensor.
//
//   bench_operators --benchmark_filter='SeluBackward.*float32'
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>

#include "acl/acl.h"
#include "tests/cases/case.h"

namespace {

using namespace aclgrad::cases;

// About a million elements in the largest tensor of an elementwise row.
constexpr int64_t kElements = 1 << 20;

void require(int status, const char* what) {
  if (status == 0) return;
  const char* message = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s: status %d\n%s\n", what, status, message != nullptr ? message : "");
  std::exit(1);
}

// The size for which the row's largest tensor has about kElements.
int64_t size_of_row(const Row& row) {
  int64_t per_unit = 1;
  for (const size_t place : places_of_tensors(row.arguments())) {
    const TensorSpec& tensor = *row.arguments().parameters()[place].tensor();
    per_unit = std::max(per_unit, count_of(tensor.shape) / 2);
  }
  return std::max<int64_t>(2, kElements / per_unit / 2 * 2);
}

// A contiguous tensor on the device, filled with a small positive number of its dtype.
class Tensor {
 public:
  Tensor(const TensorSpec& spec, aclDataType dtype) {
    const std::vector<int64_t>& shape = spec.shape;
    const aclDataType type = spec.dtype.value_or(dtype);
    count_ = count_of(shape);
    bytes_ = static_cast<size_t>(count_) * aclDataTypeSize(type);
    require(aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    fill(type);
    tensor_ = aclCreateTensor(shape.data(), shape.size(), type, nullptr, 0,
                              aclgrad::contract::format_of(shape.size()), shape.data(),
                              shape.size(), memory_);
  }
  ~Tensor() {
    aclDestroyTensor(tensor_);
    aclrtFree(memory_);
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  aclTensor* get() const { return tensor_; }
  int64_t count() const { return count_; }
  size_t bytes() const { return bytes_; }

 private:
  void fill(aclDataType dtype) {
    if (dtype == ACL_FLOAT) return fill_with(0.75f);
    if (dtype == ACL_DOUBLE) return fill_with(0.75);
    if (dtype == ACL_FLOAT16) return fill_with(uint16_t{0x3A00});
    if (dtype == ACL_BF16) return fill_with(uint16_t{0x3F40});
    std::memset(memory_, 0, bytes_);
  }
  template <class T>
  void fill_with(T value) {
    std::fill_n(static_cast<T*>(memory_), count_, value);
  }

  void* memory_ = nullptr;
  aclTensor* tensor_ = nullptr;
  int64_t count_ = 0;
  size_t bytes_ = 0;
};

void run(benchmark::State& state, const Row& row, aclDataType dtype) {
  require(aclrtSetDevice(0), "aclrtSetDevice");
  aclrtStream stream = nullptr;
  require(aclrtCreateStream(&stream), "aclrtCreateStream");
  const Arguments call = row.of_size(size_of_row(row));
  std::deque<Tensor> tensors;
  std::vector<aclTensor*> handles;
  for (const size_t place : places_of_tensors(call)) {
    handles.push_back(tensors.emplace_back(*call.parameters()[place].tensor(), dtype).get());
  }
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  require(row.phase_one()(handles, &size, &executor), row.name().c_str());
  require(aclSetAclOpExecutorRepeatable(executor), "aclSetAclOpExecutorRepeatable");
  void* workspace = nullptr;
  if (size > 0) require(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");

  for (auto _ : state) {
    require(row.phase_two()(workspace, size, executor, stream), row.name().c_str());
    require(aclrtSynchronizeStream(stream), row.name().c_str());
  }

  int64_t elements = 0;
  size_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    elements = std::max(elements, tensor.count());
    bytes += tensor.bytes();
  }
  state.SetItemsProcessed(state.iterations() * elements);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
  aclDestroyAclOpExecutor(executor);
  if (workspace != nullptr) aclrtFree(workspace);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
}

const char* label(aclDataType dtype) {
  if (dtype == ACL_FLOAT) return "float32";
  if (dtype == ACL_FLOAT16) return "float16";
  return dtype == ACL_BF16 ? "bfloat16" : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Row& row : all_cases()) {
    for (aclDataType dtype : row.dtypes()) {
      if (label(dtype) == nullptr) continue;  // other dtypes are not timed
      benchmark::RegisterBenchmark(
          (row.name() + " " + label(dtype)).c_str(),
          [&row, dtype](benchmark::State& state) { run(state, row, dtype); })
          ->UseRealTime();
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
