// SPDX-License-Identifier: Apache-2.0
// What a page may ask for, and what becomes of what cannot be.
#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <thread>

#include "live/commands.h"
#include "tests/live/served.h"

namespace aclgrad::live {
namespace {

// 64 rows of 20 numbers, each with its place.
class WideNetwork : public Network {
 public:
  WideNetwork()
      : model_("wide", 20, 1, {.seed = 1}),
        trainer_(
            model_,
            [model = model_](const Value& x, const Value& t) { return mse_loss(model(x), t); },
            optimizer_) {}
  std::vector<Trainer*> trainers() override { return {&trainer_}; }
  data::Dataset batch(std::int64_t) override {
    Tensor features = Tensor::zeros({64, 20}, DType::float64).to(DType::float32);
    for (std::int64_t i = 0; i < features.numel(); ++i) {
      features.set(i, static_cast<double>(i / 20 * 100 + i % 20));
    }
    return {features, Tensor::zeros({64, 1})};
  }

 private:
  Linear model_;
  AdamW optimizer_;
  Trainer trainer_;
};

// Its pictures cannot be drawn of everything.
class Choosy : public SmallNetwork {
 public:
  explicit Choosy(std::string kind) : kind_(std::move(kind)) {}
  std::vector<Picture> pictures() override {
    if (kind_ == "bad" || text_ == "bad" || pixels_.get(0) == 1) throw ValueError("cannot draw");
    return {{.title = text_, .values = pixels_, .labels = {"a", "b"}}};
  }
  std::vector<Drawing> drawings() override { return {{"pad", pixels_}}; }
  void drawn(const std::string&, const Tensor& pixels) override { pixels_ = pixels; }
  std::vector<Text> texts() override { return {{"text", text_}}; }
  void typed(const std::string&, const std::string& text) override { text_ = text; }

 private:
  std::string kind_, text_ = "good";
  Tensor pixels_ = Tensor::zeros({2});
};

// Numbers are numbers: nothing is made of a text, of true, or of a half.
TEST(LiveCommands, TakesNoNumberThatIsNone) {
  Served served;
  const double rate = served.ask({{"do", "step"}})["rate"];
  for (const char* body : {R"({"do": "goto", "step": ""})",
                           R"({"do": "goto", "step": null})",
                           R"({"do": "goto", "step": 0.5})",
                           R"({"do": "goto", "step": true})",
                           R"({"do": "goto", "step": 1e300})",
                           R"({"do": "goto", "step": 18446744073709551615})",
                           R"({"do": "goto"})",
                           R"({"do": "rate", "to": ""})",
                           R"({"do": "rate"})",
                           R"({"do": "rate", "to": "0.1"})",
                           R"({"do": "rate", "to": false})",
                           R"({"do": "set", "value": 1, "index": 0, "to": ""})",
                           R"({"do": "set", "value": 1, "index": 0.5, "to": 1})",
                           R"({"do": "set", "value": 4294967297, "index": 0, "to": 1})",
                           R"({"do": "set", "value": 1, "index": 0, "to": null})",
                           R"({"do": "step", "count": 0})",
                           R"({"do": "step", "count": 1.5})",
                           R"({"do": "play", "per_second": "fast"})",
                           R"({"do": "watch", "values": 3})",
                           R"({"do": "watch", "values": [99999]})",
                           R"({"do": "watch", "values": [{"value": 1, "row": -1}]})"}) {
    const Response answer = served.post(body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_FALSE(json::parse(answer.body)["error"].get<std::string>().empty()) << body;
  }
  const json after = served.ask({{"do", "watch"}, {"values", json::array()}});
  EXPECT_EQ(after["step"], 1);
  EXPECT_EQ(after["rate"], rate);
  EXPECT_EQ(after["undo"], "");
}

// A body of 200 KB can hold 100,000 lists in each other, and what names them must not follow them.
TEST(LiveCommands, ListsInListsEndNoProgram) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& body :
       {R"({"do": )" + deep + "}", R"({"do": "step", "count": )" + deep + "}",
        R"({"do": "watch", "values": [)" + deep + "]}",
        R"({"do": "drawing", "name": "x", "pixels": [)" + deep + "]}"}) {
    EXPECT_THROW(parse_command(body), ValueError);
  }
}

TEST(LiveCommands, ClicksThatComeTogetherAllCount) {
  Served served;
  EXPECT_EQ(served.ask({{"do", "step"}, {"count", 57}})["step"], 57);
  EXPECT_EQ(served.ask({{"do", "back"}, {"count", 7}})["step"], 50);
  const json brief = served.ask({{"do", "back"}, {"count", 99}, {"brief", true}});
  EXPECT_EQ(brief["step"], 0);
  EXPECT_FALSE(brief.contains("values"));
}

TEST(LiveCommands, ShowsAnotherPartOfALargeTensor) {
  const auto make = [](const Chosen&) { return std::make_unique<WideNetwork>(); };
  Served served({}, make);
  const json data = served.data("data");
  std::string input;
  for (const auto& [id, value] : data["values"].items()) {
    if (value["name"] == "features") input = id;
  }
  const auto cells = [&](const json& values) {
    return served.ask({{"do", "watch"}, {"values", values}})["values"][input];
  };
  EXPECT_EQ(cells(json::array())["cells"].size(), 16U);
  const json moved = cells({{{"value", std::stoi(input)}, {"row", 48}, {"column", 3}}});
  EXPECT_EQ(moved["row"], 48);
  EXPECT_EQ(moved["column"], 3);
  EXPECT_EQ(moved["cells"][15][15], "6318");  // row 63, column 18
  // There are enough of them where the window would leave the tensor.
  EXPECT_EQ(cells({{{"value", std::stoi(input)}, {"row", 1000}, {"column", 1000}}})["row"], 48);
}

TEST(LiveCommands, WhatCannotBeShownIsNotDone) {
  const auto make = [](const Chosen& chosen) {
    return std::make_unique<Choosy>(chosen.at("kind"));
  };
  Served served({{.name = "kind", .options = {"good", "bad"}}}, make);
  const json before = served.ask({{"do", "watch"}, {"values", json::array()}});
  for (const char* body : {R"({"do": "choose", "name": "kind", "to": "bad"})",
                           R"({"do": "text", "name": "text", "text": "bad"})",
                           R"({"do": "drawing", "name": "pad", "pixels": [1, 1]})",
                           R"({"do": "drawing", "name": "pad", "pixels": [0, 2]})",
                           R"({"do": "drawing", "name": "pad", "pixels": [0]})"}) {
    EXPECT_EQ(served.post(body).status, 400) << body;
    EXPECT_EQ(served.client().get(served.root()).status, 200) << body;
  }
  EXPECT_EQ(served.ask({{"do", "watch"}, {"values", json::array()}})["pictures"],
            before["pictures"]);
  EXPECT_EQ(served.ask({{"do", "text"}, {"name", "text"}, {"text", "fine"}})["step"], 0);
}

TEST(LiveCommands, KnowsThatFitHasThrown) {
  SmallNetwork network;
  const data::Dataset all = {init::normal({12, 3}, 1, 1), init::normal({12, 1}, 2, 1)};
  const data::Batches batches(all, {.batch_size = 6, .shuffle = false});
  Server server(network.trainer(), {.example = all.slice(0, 6)});
  const Callback breaks{.after_step = [](FitRun& run) {
    if (run.step() == 3) throw ValueError("no more");
  }};
  const Callback watches = server.callback();
  EXPECT_THROW(fit(network.trainer(), batches, {.epochs = 9, .callbacks = {watches, breaks}}),
               ValueError);
  std::thread waiting([&] { server.wait(); });
  const Client client(server.address());
  const auto ask = [&](const json& what) { return json::parse(client.command(what.dump()).body); };
  const json frame = ask({{"do", "watch"}, {"values", json::array()}});
  EXPECT_EQ(frame["step"], 3);
  EXPECT_FALSE(frame["playing"]);
  EXPECT_EQ(ask({{"do", "step"}})["step"], 4);
  EXPECT_EQ(ask({{"do", "back"}})["step"], 3);
  server.stop();
  waiting.join();
}

TEST(LiveCommands, TheSlowestPaceIsSlow) {
  Served served;
  served.ask({{"do", "play"}, {"per_second", 1e-12}});
  while (served.ask({{"do", "watch"}, {"values", json::array()}})["step"] == 0) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const json frame = served.ask({{"do", "pause"}});
  EXPECT_EQ(frame["step"], 1);
}

TEST(LiveCommands, TrainingIsHeldWhenTheLastPageIsClosed) {
  Served served;
  std::future<void> page = std::async(std::launch::async, [&] {
    int frames = 0;
    served.client().listen(
        [&](std::string_view event) { return !event.starts_with("event: frame") || ++frames < 3; });
  });
  served.ask({{"do", "play"}, {"per_second", 20}});
  page.wait();
  json frame;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    frame = served.ask({{"do", "watch"}, {"values", json::array()}});
  } while (frame["playing"] && std::chrono::steady_clock::now() < end);
  EXPECT_FALSE(frame["playing"]);
  EXPECT_GT(frame["step"], 60);  // not at once: a page may be loaded anew
}

}  // namespace
}  // namespace aclgrad::live
