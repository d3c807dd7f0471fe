// SPDX-License-Identifier: Apache-2.0
// bisect(): faults planted in operators are found at their node.
#include "aclgrad/session/bisect.h"

#include <gmock/gmock.h>

#include "faulty.h"
#include "networks.h"

namespace aclgrad {
namespace {

using faulty::Faulty;
using faulty::OverwritingAdd;
using faulty::record;
using faulty::UnrecordedAdd;
using testing::HasSubstr;

TEST(Bisect, FindsAWrongClaimToOverwrite) {
  Faulty<OverwritingAdd> faulty;
  const Difference found = faulty.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found.found, Difference::Found::node_by_node);
  EXPECT_EQ(found.node, faulty.culprit.node().id);
  EXPECT_EQ(found.value, faulty.culprit.id());
  EXPECT_FALSE(bitwise_equal(found.eager, found.replayed));
  EXPECT_THAT(found.to_string(), testing::StartsWith(label(faulty.culprit.node())));
  EXPECT_THAT(found.to_string(), HasSubstr("in shared memory"));
}

TEST(Bisect, FindsWhatOnlyAReplayDoes) {
  Faulty<UnrecordedAdd> faulty;
  const Difference found = faulty.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found.found, Difference::Found::replayed);
  EXPECT_EQ(found.node, faulty.culprit.node().id);
  EXPECT_EQ(found.value, faulty.culprit.id());
  EXPECT_THAT(found.to_string(), HasSubstr("when replayed; element "));
}

TEST(Bisect, NamesTheFirstEvenWhereItsTracesVanish) {
  Graph graph;
  const Value x = graph.input("x", {40, 40});
  const Value first = record<UnrecordedAdd>(x * 0.5);
  const Value none = first * 0;
  Value h = x + none;
  for (int i = 0; i < 9; ++i) h = elu(h + x);
  const Value loss = mean(record<UnrecordedAdd>(h));
  const Difference found = bisect(graph, {loss}, {{x, init::normal({40, 40}, 3)}});
  EXPECT_EQ(found.found, Difference::Found::replayed);
  EXPECT_EQ(found.node, first.node().id) << found.to_string();
  EXPECT_EQ(found.value, first.id());
}

TEST(Bisect, LeavesVariablesAsTheyWere) {
  Faulty<UnrecordedAdd> faulty;
  const Tensor before = faulty.w.variable()->value();
  faulty.find();
  EXPECT_TRUE(bitwise_equal(faulty.w.variable()->value(), before));
}

TEST(Bisect, FindsNothingWhereNothingIs) {
  networks::GegluStack net(2, 8, 4);
  const Difference found = bisect(net.graph, net.fetches, {{net.x, net.feed}});
  EXPECT_FALSE(found) << found.to_string();
  EXPECT_EQ(found.to_string(), "no bits differ");
  EXPECT_THROW(bisect(net.graph, {}), ValueError);
  EXPECT_THROW(bisect(net.graph, net.fetches), ValueError) << "feeds are checked";
}

}  // namespace
}  // namespace aclgrad
