// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/ours.h"

#include <algorithm>

#include "aclgrad_ext.h"
#include "bench/prepared.h"

namespace aclgrad::bench {
namespace {

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
