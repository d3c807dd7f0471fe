// SPDX-License-Identifier: Apache-2.0
// The run behind pages, without a server: what a web worker has of it.
#include "live/run.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "aclgrad/error.h"
#include "tests/live/served.h"

namespace aclgrad::live {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct Told final : Pages {
  void publish(const std::string& frame) override { frames.push_back(json::parse(frame)); }
  void say(const std::string& sentence) override { said = sentence; }
  bool any() const override { return true; }
  std::chrono::nanoseconds abandoned() const override { return 0ns; }
  bool ask() const override { return asks; }

  std::vector<json> frames;
  std::string said;
  bool asks = false;
};

struct Shown {
  json ask(const json& command) {
    const Answer answer = run.obey(command.dump());
    status = answer.status;
    return json::parse(answer.body);
  }
  // As a worker does, but without the waiting.
  json play(const json& command) {
    for (ask(command); status == 200 && told.frames.back()["playing"] == true;) run.tick();
    return told.frames.back();
  }
  int id_of(const std::string& name) {
    const std::string page = run.page().body, begin = "id=\"data\">";
    const std::size_t at = page.find(begin) + begin.size();
    const json data = json::parse(page.substr(at, page.find("</script>", at) - at));
    for (const auto& [id, value] : data["values"].items()) {
      if (value["name"] == name) return std::stoi(id);
    }
    throw ValueError("no value " + name);
  }

  Told told;
  Run run{choices(), maker(), {.title = "A test", .history_bytes = std::size_t{1} << 20}, told};
  int status = 0;
};

TEST(LiveRun, TrainsFromTickToTick) {
  Shown shown;
  EXPECT_GT(shown.run.tick(), 0ns);
  EXPECT_TRUE(shown.told.frames.empty()) << "nobody has asked for anything";
  shown.ask({{"do", "play"}});
  while (shown.told.frames.back()["step"] < 50) shown.run.tick();
  const json held = shown.ask({{"do", "pause"}});
  EXPECT_GT(shown.run.tick(), 0ns);
  EXPECT_EQ(shown.told.frames.back()["step"], held["step"]);
}

TEST(LiveRun, ATickEndsWhenSomebodyAsks) {
  Shown shown;
  shown.told.asks = true;
  shown.ask({{"do", "play"}});
  shown.run.tick();
  EXPECT_EQ(shown.ask({{"do", "pause"}})["step"], 1);
}

TEST(LiveRun, ATickSaysWhenTheNextStepIsDue) {
  Shown shown;
  shown.ask({{"do", "play"}, {"per_second", 0.1}});
  EXPECT_GT(shown.run.tick(), 0ns);
  EXPECT_EQ(shown.told.frames.back()["step"], 1) << "the first is due at once";
  shown.run.tick();
  EXPECT_EQ(shown.told.frames.back()["step"], 1);
}

TEST(LiveRun, TrainsUntilAStepAndNoFurther) {
  Shown shown;
  EXPECT_EQ(shown.play({{"do", "play"}, {"until", 40}})["step"], 40);
  EXPECT_THAT(shown.ask({{"do", "play"}, {"until", 40}})["error"].get<std::string>(),
              HasSubstr("a step behind 40"));
  EXPECT_EQ(shown.status, 400);
}

// What stands in the address leads another run to the same numbers, also when it had been somewhere
// else, and to the same address.
TEST(LiveRun, ALinkLeadsToTheSameBits) {
  Shown first;
  first.ask({{"do", "choose"}, {"name", "rate"}, {"to", "0.1"}});
  const int weight = first.id_of("hidden.weight"), hidden = first.id_of("hidden");
  first.ask({{"do", "set"}, {"value", weight}, {"index", 1}, {"to", 0.75}});
  first.ask({{"do", "step"}, {"count", 5}});
  first.ask({{"do", "rate"}, {"to", 0.02}});
  first.ask({{"do", "set"}, {"value", weight}, {"index", 0}, {"to", -2}});
  first.ask({{"do", "step"}, {"count", 7}});
  const json there = first.ask({{"do", "set"}, {"value", hidden}, {"index", 2}, {"to", 1.5}});
  json link = there["link"];
  EXPECT_EQ(link["step"], 12);
  EXPECT_EQ(link["changes"].size(), 3U);
  EXPECT_EQ(link["edits"].size(), 1U);

  Shown second;
  second.ask({{"do", "step"}, {"count", 3}});
  link["do"] = "restore";
  const json here = second.play(link);
  EXPECT_EQ(here["values"], there["values"]);
  EXPECT_EQ(here["loss"], there["loss"]);
  EXPECT_EQ(here["link"], there["link"]);
}

// Whoever loads the page while it is on its way must get there, too; who takes over goes on from
// where it is.
TEST(LiveRun, OnItsWayALinkStaysWhatItWas) {
  Shown shown;
  const int weight = shown.id_of("hidden.weight");
  const json link = {{"choices", {{"rate", "0.05"}}},
                     {"step", 1000000},
                     {"changes", json::array({json::array({900000, "hidden.weight", 0, 1})})},
                     {"edits", json::array({json::array({weight, 0, 2})})},
                     {"texts", json::object()}};
  json command = link;
  command["do"] = "restore";
  shown.ask(command);
  shown.run.tick();
  EXPECT_EQ(shown.told.frames.back()["link"], link);
  const json held = shown.ask({{"do", "pause"}});
  EXPECT_LT(held["step"], 1000000);
  EXPECT_EQ(held["link"]["step"], held["step"]);
  EXPECT_TRUE(held["link"]["changes"].empty());
}

TEST(LiveRun, ALinkThatLeadsNowhereChangesNothing) {
  Shown shown;
  const json before = shown.ask({{"do", "step"}, {"count", 2}});
  for (const char* body :
       {R"({"do": "restore", "choices": {"rate": "7"}})",
        R"({"do": "restore", "choices": {"x": "1"}})", R"({"do": "restore", "choices": []})",
        R"({"do": "restore", "step": -1})", R"({"do": "restore", "step": 1.5})",
        R"({"do": "restore", "changes": [[0, "x", 0, 1]]})",
        R"({"do": "restore", "changes": [[0, "hidden.weight", 99999, 1]]})",
        R"({"do": "restore", "changes": [[-1, "hidden.weight", 0, 1]]})",
        R"({"do": "restore", "changes": [[0, "hidden.weight", 0, null]]})",
        R"({"do": "restore", "changes": [[0, "", 0, -1]]})",
        R"({"do": "restore", "changes": [[0]]})", R"({"do": "restore", "changes": [7]})",
        R"({"do": "restore", "edits": [[0, 0]]})",
        R"({"do": "restore", "texts": {"none": "x"}})"}) {
    const Answer answer = shown.run.obey(body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_FALSE(json::parse(answer.body)["error"].get<std::string>().empty()) << body;
  }
  const json after = shown.ask({{"do", "watch"}, {"values", json::array()}});
  EXPECT_EQ(after["step"], before["step"]);
  EXPECT_EQ(after["values"], before["values"]);
}

TEST(LiveRun, UndoTakesALinkBack) {
  Shown shown;
  const json before = shown.ask({{"do", "step"}, {"count", 6}});
  shown.play({{"do", "restore"}, {"step", 2}});
  EXPECT_EQ(shown.told.frames.back()["step"], 2);
  const json after = shown.ask({{"do", "undo"}});
  EXPECT_EQ(after["link"], before["link"]);
  EXPECT_EQ(after["loss"], before["loss"]);
  EXPECT_EQ(after["gradients"], before["gradients"]);
}

}  // namespace
}  // namespace aclgrad::live
