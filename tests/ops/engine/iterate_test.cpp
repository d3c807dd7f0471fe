// SPDX-License-Identifier: Apache-2.0
// Views in row-major order, and reductions whose chunks the shape decides.
#include "ops/engine/iterate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/engine/reduce.h"

namespace aclgrad::ops {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<int64_t, int64_t>> runs(const StridedIndex& index, int64_t begin,
                                              int64_t end) {
  std::vector<std::pair<int64_t, int64_t>> found;
  index.for_runs(begin, end,
                 [&](int64_t offset, int64_t, int64_t n) { found.emplace_back(offset, n); });
  return found;
}

TEST(Iterate, DimensionsThatLieInOneLineAreOneRun) {
  EXPECT_THAT(runs({{2, 3, 4}, {12, 4, 1}}, 0, 24), ElementsAre(Pair(0, 24)));
  EXPECT_THAT(runs({{2, 1, 3}, {5, 7, 1}}, 1, 6), ElementsAre(Pair(1, 2), Pair(5, 3)));
}

TEST(Iterate, ElementsAreConvertedFromWhereTheyLieAndBack) {
  std::vector<int32_t> memory(20);
  std::iota(memory.begin(), memory.end(), 0);
  void* const addresses[] = {memory.data()};
  const ops::Run run(addresses, nullptr);
  Elements elements;  // the columns 1 and 3 of two rows of 5, from element 5 on
  elements.dtype = ACL_INT32;
  elements.index = {{2, 2}, {5, 2}};
  elements.offset = 6;
  std::vector<double> block(3);
  elements.read(run, 1, 4, block.data());
  EXPECT_THAT(block, ElementsAre(8, 11, 13));
  elements.write(run, block.data(), 0, 3, /*start=*/-5);
  EXPECT_THAT(std::vector(memory.begin(), memory.begin() + 8),
              ElementsAre(0, 8, 2, 11, 4, 5, 13, 7));
}

TEST(Iterate, ADimensionIsSelectedOrLeftOut) {
  const Dims shape{2, 3, 4};
  EXPECT_EQ(selected(shape, dimensions(1, 1), true), (Dims{3}));
  EXPECT_EQ(selected(shape, dimensions(1, 1), false), (Dims{2, 4}));
}

// Joins the numbers of its chunks in the order in which they are merged.
struct Join {
  struct State {
    uint64_t numbers;
  };
  std::vector<uint64_t>* results;

  int64_t outputs() const { return 3; }
  int64_t chunks() const { return 5; }
  int64_t together() const { return 2; }
  int64_t grain() const { return 1; }
  void reduce(const Run&, int64_t first, int64_t count, int64_t chunk, State* states) const {
    for (int64_t i = 0; i < count; ++i) {
      states[i].numbers = static_cast<uint64_t>(10 * (first + i + 1) + chunk);
    }
  }
  void merge(State& state, const State& next) const {
    state.numbers = 100 * state.numbers + next.numbers;
  }
  void finish(const Run&, int64_t first, int64_t count, State* states) const {
    for (int64_t i = 0; i < count; ++i)
      (*results)[static_cast<size_t>(first + i)] = states[i].numbers;
  }
};

TEST(Iterate, StatesOfChunksAreMergedInTheirOrder) {
  for (const int threads : {1, 3}) {
    aclgradSetNumThreads(threads);
    std::vector<uint64_t> results(3);
    const Plan plan = plan_reduction(Join{&results});
    std::vector<std::byte> workspace(plan.workspace_size);
    EXPECT_EQ(plan.body(ops::Run({}, workspace.data())), ACL_SUCCESS);
    EXPECT_THAT(results, ElementsAre(1011121314u, 2021222324u, 3031323334u));
  }
  aclgradSetNumThreads(0);
}

}  // namespace
}  // namespace aclgrad::ops
