// SPDX-License-Identifier: Apache-2.0
// What a call costs beside its work: both phases of an operator on 16 elements, and the steps of
// which they are made.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "aclnnop/aclnn_selu.h"
#include "bench/prepared.h"

namespace {

void require(int status) { aclgrad::bench::require(status, "bench_launch"); }

class Launch : public benchmark::Fixture {
 public:
  void SetUp(benchmark::State&) override {
    require(aclrtSetDevice(0));
    require(aclrtCreateStream(&stream_));
    for (int i = 0; i < 2; ++i) {
      require(aclrtMalloc(&memory_[i], kCount * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
      std::fill_n(static_cast<float*>(memory_[i]), kCount, 0.5f);
      tensor_[i] =
          aclCreateTensor(&kCount, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &kCount, 1, memory_[i]);
    }
  }
  void TearDown(benchmark::State&) override {
    for (int i = 0; i < 2; ++i) {
      aclDestroyTensor(tensor_[i]);
      aclrtFree(memory_[i]);
    }
    require(aclrtDestroyStream(stream_));
    require(aclrtResetDevice(0));
  }

 protected:
  static constexpr int64_t kCount = 16;

  aclOpExecutor* phase_one() {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    require(aclnnSeluGetWorkspaceSize(tensor_[0], tensor_[1], &size, &executor));
    return executor;
  }

  aclrtStream stream_ = nullptr;
  void* memory_[2] = {};
  aclTensor* tensor_[2] = {};
};

BENCHMARK_F(Launch, PhaseOneAndDestroy)(benchmark::State& state) {
  for (auto _ : state) aclDestroyAclOpExecutor(phase_one());
}

BENCHMARK_F(Launch, BothPhasesAndSynchronize)(benchmark::State& state) {
  for (auto _ : state) {
    require(aclnnSelu(nullptr, 0, phase_one(), stream_));
    require(aclrtSynchronizeStream(stream_));
  }
}

BENCHMARK_F(Launch, RepeatableAndSynchronize)(benchmark::State& state) {
  aclOpExecutor* executor = phase_one();
  require(aclSetAclOpExecutorRepeatable(executor));
  for (auto _ : state) {
    require(aclnnSelu(nullptr, 0, executor, stream_));
    require(aclrtSynchronizeStream(stream_));
  }
  aclDestroyAclOpExecutor(executor);
}

BENCHMARK_F(Launch, HundredRepeatableThenSynchronize)(benchmark::State& state) {
  aclOpExecutor* executor = phase_one();
  require(aclSetAclOpExecutorRepeatable(executor));
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) require(aclnnSelu(nullptr, 0, executor, stream_));
    require(aclrtSynchronizeStream(stream_));
  }
  state.SetItemsProcessed(state.iterations() * 100);
  aclDestroyAclOpExecutor(executor);
}

BENCHMARK_F(Launch, HundredReplayedThenSynchronize)(benchmark::State& state) {
  aclOpExecutor* executor = phase_one();
  require(aclSetAclOpExecutorRepeatable(executor));
  aclmdlRI model = nullptr;
  require(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  for (int i = 0; i < 100; ++i) require(aclnnSelu(nullptr, 0, executor, stream_));
  require(aclmdlRICaptureEnd(stream_, &model));
  for (auto _ : state) {
    require(aclmdlRIExecuteAsync(model, stream_));
    require(aclrtSynchronizeStream(stream_));
  }
  state.SetItemsProcessed(state.iterations() * 100);
  require(aclmdlRIDestroy(model));
  aclDestroyAclOpExecutor(executor);
}

}  // namespace

BENCHMARK_MAIN();
