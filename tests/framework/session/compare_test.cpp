// SPDX-License-Identifier: Apache-2.0
// Sessions that hold every run against an eager one, and ACLGRAD_SESSION, which asks for it from
// outside.
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>

#include "aclgrad/aclgrad.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/runtime.h"
#include "aclgrad_ext.h"
#include "faulty.h"
#include "networks.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using faulty::Faulty;
using faulty::OverwritingAdd;
using faulty::UnrecordedAdd;
using testing::HasSubstr;
using testing::StartsWith;

// Runs that are compared: what they leave is what others leave.
TEST(Compare, ChangesNothingWhereNothingDiffers) {
  networks::GegluStack plain(2, 8, 4);
  networks::GegluStack compared(2, 8, 4);
  EXPECT_TRUE(compared.session({.compare = true}).replays());
  networks::expect_same_training(plain, {}, compared, {.compare = true}, 3);
}

template <class OpType>
void expect_found(const char* how) {
  Faulty<OpType> faulty;
  const Tensor before = faulty.w.variable()->value();
  Session session(faulty.graph, {faulty.loss, Update{{faulty.updated}}}, {.compare = true});
  const std::string message = message_of<ValueError>([&] {
    session.run({{faulty.x, faulty.feed}});
  });
  EXPECT_THAT(message,
              StartsWith("a run differs from an eager one: " + label(faulty.culprit.node())));
  EXPECT_THAT(message, HasSubstr(how));
  EXPECT_TRUE(bitwise_equal(faulty.w.variable()->value(), before));
}

TEST(Compare, NamesTheNodeThatOnlyAReplayGetsWrong) {
  expect_found<UnrecordedAdd>("when replayed");
}

TEST(Compare, NamesTheNodeThatSharedMemoryGetsWrong) {
  expect_found<OverwritingAdd>("in shared memory");
}

TEST(Compare, SeesUpdatesThatAreNotRead) {
  Faulty<UnrecordedAdd> faulty;
  Session session(faulty.graph, {Update{{faulty.updated}}}, {.compare = true});
  EXPECT_THROW(session.run({{faulty.x, faulty.feed}}), ValueError);
}

// Copies, and counts how often.
struct CountingCopy final : StreamOp {
  explicit CountingCopy(int* counter) : times(counter) {}
  std::string_view name() const override { return "counting_copy"; }
  std::string_view call_name() const override { return "aclgradLaunchTask"; }
  void queue(const StreamCall& call, aclrtStream stream) const override {
    const auto run = [](void* argument) -> aclError {
      const Work& work = *static_cast<Work*>(argument);
      const StreamCall::Buffer& from = work.call.inputs().front();
      const auto bytes = static_cast<std::size_t>(from.spec->shape.numel()) * sizeof(float);
      std::memcpy(work.call.outputs().front().address, from.address, bytes);
      ++*work.times;
      return 0;
    };
    const auto end = [](void* argument) { delete static_cast<Work*>(argument); };
    check_status(aclgradLaunchTask(stream, "copy", run, new Work{call, times}, end), "copy");
  }

  struct Work {
    StreamCall call;
    int* times;
  };
  int* times;
};

// Work that others may have to take part in is not repeated in search of the node.
TEST(Compare, NamesAValueWhereOtherWorkIsDone) {
  int times = 0;
  Graph graph;
  const Value x = graph.input("x", {3, 3});
  const Value wrong = faulty::record<UnrecordedAdd>(x);
  const Value loss = mean(Recorder("copy", {wrong}, std::source_location::current())
                              .add(std::make_shared<CountingCopy>(&times), {{3, 3}}));
  Session session(graph, {loss}, {.compare = true});
  const std::string message = message_of<ValueError>([&] {
    session.run({{x, init::normal({3, 3}, 1)}});
  });
  EXPECT_THAT(message, HasSubstr(label(loss.node()) + ": after it value"));
  EXPECT_EQ(times, 2);
}

TEST(Compare, ChecksFeedsFirst) {
  networks::GegluStack net(1, 8, 4);
  Session session = net.session({.compare = true});
  EXPECT_THROW(session.run({{net.x, Tensor::zeros({1})}}), ShapeError);
  EXPECT_THROW(session.run(), ValueError);
}

TEST(Compare, IsRefusedInAnEagerSession) {
  networks::GegluStack net(1, 8, 4);
  EXPECT_THAT(message_of<ValueError>([&] { net.session({.eager = true, .compare = true}); }),
              HasSubstr("compare has no effect in an eager session"));
}

class Environment : public testing::Test {
 protected:
  ~Environment() override { ::unsetenv("ACLGRAD_SESSION"); }
  static void set(const char* words) { ::setenv("ACLGRAD_SESSION", words, 1); }
  static bool replays(const SessionOptions& options = {}) {
    return networks::GegluStack(1, 8, 4).session(options).replays();
  }
};

TEST_F(Environment, TurnsReplayOff) {
  EXPECT_TRUE(replays());
  for (const char* words : {"eager", "launch", "poison", "trace_nonfinite", "eager,launch"}) {
    set(words);
    EXPECT_FALSE(replays()) << words;
  }
  set("");
  EXPECT_TRUE(replays());
}

TEST_F(Environment, ComparesSessionsThatKnowNothingOfIt) {
  set("compare");
  Faulty<UnrecordedAdd> faulty;
  Session session(faulty.graph, {faulty.loss});
  EXPECT_THAT(message_of<ValueError>([&] {
                session.run({{faulty.x, faulty.feed}});
              }),
              HasSubstr("a run differs from an eager one"));
}

TEST_F(Environment, TracesAndPoisonsThem) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value square = mul(x, x);
  set("trace_nonfinite,poison");
  Session session(graph, {square});
  EXPECT_THAT(message_of<ValueError>([&] {
                session.run({{x, Tensor::full({2}, 1e30)}});
              }),
              HasSubstr("makes 0 NaN and 2 infinities"));
}

TEST_F(Environment, LeavesOffWhatAProgramRulesOut) {
  set("poison,compare");
  EXPECT_FALSE(replays({.eager = true}));
  set("eager");
  EXPECT_FALSE(replays({.poison = true}));
  EXPECT_TRUE(replays({.compare = true}));
}

TEST_F(Environment, AWordThatIsNoneIsNamed) {
  set("eager,fast");
  EXPECT_THAT(message_of<ValueError>([] { replays(); }),
              HasSubstr("ACLGRAD_SESSION: there is no \"fast\"; known are eager, launch"));
}

}  // namespace
}  // namespace aclgrad
