// SPDX-License-Identifier: Apache-2.0
// Recorded backwards beside the derivative of their forward.
#include <cstring>

#include "replay/gradients.h"
#include "tests/replay/support.h"

namespace aclgrad::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

#ifdef EXAMPLE
TEST(ReplayedGradients, AreThoseAtRecordedInputs) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", EXAMPLE, "", false), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded, {.gradients = true});
  EXPECT_THAT(report.findings, IsEmpty()) << all_text(report);
  EXPECT_GE(report.gradients, 8);
  // A gradient that is wrong, and the derivative says so by itself.
  for (const Call& call : recorded.calls()) {
    const auto task = call.plan ? task_of(recorded, call) : std::nullopt;
    if (!task || !task->op->gradient) continue;
    auto after = after_of(recorded, call, *task);
    EXPECT_THAT(check_gradients(*task, after, Forwards(recorded)).wrong, IsEmpty());
    std::vector<std::vector<std::byte>> wrong(after.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (!written_tensors(*task)[i]) continue;
      wrong[i].assign(after[i].begin(), after[i].end());
      float first = 0;
      std::memcpy(&first, wrong[i].data(), sizeof first);
      first += 0.01f;
      std::memcpy(wrong[i].data(), &first, sizeof first);
      after[i] = wrong[i];
    }
    EXPECT_THAT(check_gradients(*task, after, Forwards(recorded)).wrong,
                ElementsAre(HasSubstr("the derivative of aclnnHardswish there is")));
  }
}
#endif

// Backwards that are given results of their forward: the record has the call that made them.
TEST(ReplayedGradients, AreThoseOfForwardsThatTheRecordHas) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " gradients"), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded, {.gradients = true});
  EXPECT_EQ(found(report), marked(recorded)) << all_text(report);
  EXPECT_THAT(report.unchecked, IsEmpty());
  EXPECT_EQ(report.gradients, 3 * (8 + 1));  // at a wrong element it stops
  std::vector<std::string> texts;
  for (const Finding& each : report.findings) {
    if (each.kind == "gradient") texts.push_back(each.text);
  }
  // Of each forward's calls the first.
  std::vector<testing::Matcher<std::string>> expected;
  for (const char* const forward : {"aclnnSigmoid", "aclnnInplaceTanh", "aclnnSoftmax"}) {
    const auto call = std::ranges::find(recorded.calls(), forward, &Call::function);
    ASSERT_NE(call, recorded.calls().end());
    expected.push_back(
        HasSubstr(fmt::format("the derivative of {} at call {} is", forward, call->number)));
  }
  EXPECT_THAT(texts, testing::ElementsAreArray(expected));
}

TEST(ReplayedGradients, AreNamedWhereTheyAreNotChecked) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " gradients",
                   "ACLGRAD_RECORD_FUNCTIONS='aclnnTanh*,aclnnInplaceTanh,aclnnS*Backward'"),
            0);
  const Report report = replayed(Record(folder / "r"), {.gradients = true, .between = false});
  using Counts = std::map<std::string, std::int64_t>;
  const std::string why = ": no forward in the record gave what it keeps";
  EXPECT_EQ(report.unchecked,
            (Counts{{"aclnnSigmoidBackward" + why, 2}, {"aclnnSoftmaxBackward" + why, 2}}));
  EXPECT_EQ(report.gradients, 8 + 1);
  EXPECT_THAT(to_text(report),
              HasSubstr("\ngradients not checked: aclnnSigmoidBackward" + why + " (2)\n"));
  EXPECT_THAT(to_html(report),
              HasSubstr("Gradients not checked: aclnnSigmoidBackward" + why + " (2)"));
  EXPECT_EQ(Json::parse(to_json(report))["gradients_not_checked"].size(), 2u);
}

// A right call of every one of them.
TEST(ReplayedGradients, AreCheckedOfEveryBackwardThatKeepsResults) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", PAIRS, "", false), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded, {.gradients = true});
  EXPECT_THAT(report.findings, IsEmpty()) << all_text(report);
  Forwards forwards(recorded);
  std::map<std::string, std::int64_t> checked;
  for (const Call& call : recorded.calls()) {
    const auto task = call.plan ? task_of(recorded, call) : std::nullopt;
    if (task && task->op->gradient) {
      const auto check = check_gradients(*task, after_of(recorded, call, *task), forwards);
      checked[call.function] += check.checked;
    }
    forwards.see(call);
  }
  // Of sums over the parts of a batch, of which the record's forward has one.
  const std::string of_parts = "aclnnBatchNormElemtBackward";
  for (const auto& [why, count] : report.unchecked) EXPECT_THAT(why, HasSubstr(of_parts)) << count;
  for (const contract::Operator& op : contract::all_contracts()) {
    const bool is_called = op.gradient && (op.gradient->inputs || op.gradient->is_zero);
    if (!is_called || op.name() == of_parts) continue;
    EXPECT_GT(checked[op.name()], 0) << op.name();
  }
}

}  // namespace
}  // namespace aclgrad::replay
