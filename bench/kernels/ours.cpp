// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/ours.h"

#include <algorithm>

#include "acl/acl.h"
#include "aclgrad_ext.h"
#include "bench/kernels/require.h"
#include "tests/cases/case.h"

namespace aclgrad::bench {
namespace {

aclTensor* tensor_of(const View& view) {
  int64_t storage = 1;
  for (size_t i = 0; i < view.shape.size(); ++i) storage += (view.shape[i] - 1) * view.strides[i];
  return aclCreateTensor(view.shape.data(), view.shape.size(), view.dtype, view.strides.data(), 0,
                         contract::format_of(view.shape.size()), &storage, 1, view.data);
}

struct Tensors {
  explicit Tensors(const std::vector<View>& views) {
    for (const View& view : views) handles.push_back(tensor_of(view));
  }
  ~Tensors() {
    for (aclTensor* handle : handles) aclDestroyTensor(handle);
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;
  std::vector<aclTensor*> handles;
};

// An executor with everything it needs.
class Prepared {
 public:
  Prepared(const cases::Row& row, const std::vector<View>& views, aclrtStream stream)
      : phase_two_(row.phase_two()), stream_(stream), tensors_(views) {
    require(row.phase_one()(tensors_.handles, &size_, &executor_), row.name());
    require(aclSetAclOpExecutorRepeatable(executor_), row.name());
    if (size_ > 0) require(aclrtMalloc(&workspace_, size_, ACL_MEM_MALLOC_HUGE_FIRST), row.name());
  }
  ~Prepared() {
    aclDestroyAclOpExecutor(executor_);
    if (workspace_ != nullptr) aclrtFree(workspace_);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  void run() const {
    require(phase_two_(workspace_, size_, executor_, stream_), "phase two");
    require(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream");
  }

 private:
  cases::PhaseTwo phase_two_;
  aclrtStream stream_;
  Tensors tensors_;
  aclOpExecutor* executor_ = nullptr;
  void* workspace_ = nullptr;
  uint64_t size_ = 0;
};

class Ours : public Contender {
 public:
  explicit Ours(aclrtStream stream) : stream_(stream) {}

  std::string name() const override { return "aclgrad"; }
  std::string version() const override { return ""; }
  void set_threads(int count) override { aclgradSetNumThreads(count); }

  Call prepare(const Problem& problem) override {
    std::vector<View> views = problem.inputs;
    for (const View& out : problem.outputs) {
      const bool in_place = std::ranges::any_of(
          problem.inputs, [&](const View& input) { return input.data == out.data; });
      if (!in_place) views.push_back(out);
    }
    const auto prepared = std::make_shared<Prepared>(cases::find_case(problem.row), views, stream_);
    prepared->run();
    return [prepared] { prepared->run(); };
  }

 private:
  aclrtStream stream_;
};

// Two tensors of 16 elements, and the row that is launched on them.
struct Small {
  Small() {
    for (View* view : {&in, &out}) {
      require(aclrtMalloc(&view->data, 16 * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST),
              "aclrtMalloc");
      require(aclrtMemset(view->data, 16 * sizeof(float), 0, 16 * sizeof(float)), "aclrtMemset");
      view->shape = {16};
      view->strides = {1};
    }
  }
  ~Small() {
    aclrtFree(in.data);
    aclrtFree(out.data);
  }
  Small(const Small&) = delete;
  Small& operator=(const Small&) = delete;
  View in;
  View out;
  const cases::Row& row = cases::find_case("aclnnSelu");
};

}  // namespace

std::unique_ptr<Contender> ours(aclrtStream stream) { return std::make_unique<Ours>(stream); }

Call phase_one_call() {
  const auto small = std::make_shared<Small>();
  const auto tensors = std::make_shared<Tensors>(std::vector<View>{small->in, small->out});
  return [small, tensors] {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    require(small->row.phase_one()(tensors->handles, &size, &executor), "phase one");
    aclDestroyAclOpExecutor(executor);
  };
}

Call phase_two_call(aclrtStream stream) {
  const auto small = std::make_shared<Small>();
  const auto prepared =
      std::make_shared<Prepared>(small->row, std::vector<View>{small->in, small->out}, stream);
  return [small, prepared] { prepared->run(); };
}

}  // namespace aclgrad::bench
