// SPDX-License-Identifier: Apache-2.0
// Every row of the case table as a benchmark: one call of phase two with a repeatable executor and
// the wait for its result, over contiguous tensors. "items" are the elements of the largest tensor.
//
//   bench_operators --benchmark_filter='SeluBackward.*float32'
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "bench/prepared.h"

namespace {

using namespace aclgrad::bench;
using namespace aclgrad::cases;

// About a million elements in the largest tensor of an elementwise row.
constexpr int64_t kElements = 1 << 20;

// The size for which the row's largest tensor has about kElements.
int64_t size_of_row(const Row& row) {
  int64_t per_unit = 1;
  for (const size_t place : places_of_tensors(row.arguments())) {
    const TensorSpec& tensor = *row.arguments().parameters()[place].tensor();
    per_unit = std::max(per_unit, count_of(tensor.shape) / 2);
  }
  return std::max<int64_t>(2, kElements / per_unit / 2 * 2);
}

template <class T>
void fill(const View& view, T value) {
  std::fill_n(static_cast<T*>(view.data), view.count(), value);
}

// Memory on the device with a small positive number of its dtype in each place.
View allocate(const TensorSpec& spec, aclDataType dtype) {
  View view{nullptr, spec.dtype.value_or(dtype), spec.shape, contiguous_strides(spec.shape)};
  const auto bytes = static_cast<size_t>(view.bytes());
  require(aclrtMalloc(&view.data, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  std::memset(view.data, 0, bytes);
  if (view.dtype == ACL_FLOAT) fill(view, 0.75f);
  if (view.dtype == ACL_DOUBLE) fill(view, 0.75);
  if (view.dtype == ACL_FLOAT16) fill(view, uint16_t{0x3A00});
  if (view.dtype == ACL_BF16) fill(view, uint16_t{0x3F40});
  return view;
}

void run(benchmark::State& state, const Row& row, aclDataType dtype) {
  require(aclrtSetDevice(0), "aclrtSetDevice");
  aclrtStream stream = nullptr;
  require(aclrtCreateStream(&stream), "aclrtCreateStream");
  const Arguments call = row.of_size(size_of_row(row));
  std::vector<View> views;
  for (const size_t place : places_of_tensors(call)) {
    views.push_back(allocate(*call.parameters()[place].tensor(), dtype));
  }
  std::optional<Prepared> prepared;
  prepared.emplace(row, views, stream);

  for (auto _ : state) prepared->run();

  int64_t elements = 0;
  int64_t bytes = 0;
  for (const View& view : views) {
    elements = std::max(elements, view.count());
    bytes += view.bytes();
  }
  state.SetItemsProcessed(state.iterations() * elements);
  state.SetBytesProcessed(state.iterations() * bytes);
  prepared.reset();
  for (const View& view : views) aclrtFree(view.data);
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
