// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/live/served.h"

namespace aclgrad::live {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(LiveServer, ServesThePageToThoseWhoKnowItsAddress) {
  Served served;
  const auto page = served.client().get(served.root());
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<title>A &lt;test&gt;</title>"));
  EXPECT_THAT(page.head, HasSubstr("Content-Security-Policy: default-src 'none'"));
  EXPECT_EQ(page.body.find("http://"), std::string::npos);
  EXPECT_EQ(page.body.find("https://"), std::string::npos);
  EXPECT_EQ(served.data("live")["frame"]["step"], 0);
  EXPECT_EQ(served.data("live")["choices"][0]["now"], "0.05");
  EXPECT_FALSE(served.data("data")["order"].empty());
}

TEST(LiveServer, ServesNothingElse) {
  Served served;
  std::string wrong = served.root();
  wrong[3] = wrong[3] == '0' ? '1' : '0';
  const std::string near = served.root().substr(0, served.root().size() - 1);
  for (const std::string& path :
       {std::string("/"), std::string("/index.html"), std::string("/etc/passwd"), wrong, near}) {
    EXPECT_EQ(served.client().get(path).status, 403) << path;
  }
  for (const char* path : {"etc/passwd", "../../../etc/passwd", "live.js", "%2e%2e/", "command"}) {
    EXPECT_EQ(served.client().get(served.root() + path).status, 404) << path;
  }
  EXPECT_EQ(served.client().ask("POST", wrong + "command", R"({"do": "step"})").status, 403);
  EXPECT_EQ(served.data("live")["frame"]["step"], 0);
}

// A page of another site that has found the port, also under a name that leads to 127.0.0.1.
TEST(LiveServer, AnswersNoOtherSite) {
  Served served;
  const auto status = [&](const Client::Fields& fields) {
    return served.client().get(served.root(), fields).status;
  };
  const std::string port = std::to_string(served.port());
  EXPECT_EQ(status({{"Host", "example.org:" + port}}), 403);
  EXPECT_EQ(status({{"Host", "127.0.0.1"}}), 403);
  EXPECT_EQ(status({{"Host", "127.0.0.1:" + port}, {"Origin", "http://example.org"}}), 403);
  EXPECT_EQ(status({{"Host", "127.0.0.1:" + port}, {"Origin", "null"}}), 403);
  EXPECT_EQ(status({{"Host", "localhost:" + port}, {"Origin", "http://localhost:" + port}}), 200);
}

TEST(LiveServer, RefusesWhatIsNoCommand) {
  Served served;
  for (const char* body :
       {"", "x", "[]", "{}", R"({"do": 1})", R"({"do": "fly"})", R"({"do": "set"})",
        R"({"do": "set", "value": "a", "index": 0, "to": 1})",
        R"({"do": "set", "value": 99999, "index": 0, "to": 1})", R"({"do": "goto", "step": 7})",
        R"({"do": "back"})", R"({"do": "choose", "name": "rate", "to": "2"})",
        R"({"do": "choose", "name": "colour", "to": "red"})",
        R"({"do": "drawing", "name": "digit", "pixels": []})",
        R"({"do": "text", "name": "text", "text": ""})", R"({"do": "rate", "to": -1})",
        R"({"do": "play", "per_second": -1})"}) {
    const Response answer = served.post(body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_FALSE(json::parse(answer.body)["error"].get<std::string>().empty()) << body;
  }
  EXPECT_EQ(served.post(std::string(std::size_t{100} << 20, 'x')).status, 413);
  EXPECT_EQ(served.ask({{"do", "step"}})["step"], 1);
}

TEST(LiveServer, StepsBackAndForthAsTheProgramWould) {
  Served served;
  const double first = std::stod(served.data("live")["frame"]["loss"].get<std::string>());
  EXPECT_EQ(served.ask({{"do", "step"}})["step"], 1);
  const json second = served.ask({{"do", "step"}});
  const json back = served.ask({{"do", "back"}});
  EXPECT_EQ(back["step"], 1);
  EXPECT_EQ(served.ask({{"do", "step"}})["values"], second["values"]);
  const json start = served.ask({{"do", "reset"}});
  EXPECT_EQ(start["step"], 0);
  EXPECT_EQ(std::stod(start["loss"].get<std::string>()), first);
}

TEST(LiveServer, AChoiceMakesTheNetworkAnew) {
  Served served;
  const json before = served.ask({{"do", "step"}});
  const json after = served.ask({{"do", "choose"}, {"name", "rate"}, {"to", "0.1"}});
  EXPECT_NE(after["graph"], before["graph"]);
  EXPECT_EQ(after["step"], 0);
  EXPECT_EQ(after["rate"], 0.1);
  EXPECT_EQ(served.data("live")["choices"][0]["now"], "0.1");
}

TEST(LiveServer, EditsAndChecks) {
  Served served;
  const json data = served.data("data");
  int weight = -1;
  for (const auto& [id, value] : data["values"].items()) {
    if (value["name"] == "hidden.weight" && weight < 0) weight = std::stoi(id);
  }
  const json edited = served.ask({{"do", "set"}, {"value", weight}, {"index", 0}, {"to", 2}});
  EXPECT_EQ(edited["values"][std::to_string(weight)]["cells"][0][0], "2");
  const json check = served.ask({{"do", "check"}, {"value", weight}, {"index", 0}})["check"];
  EXPECT_TRUE(check["agrees"]) << check;
  EXPECT_EQ(check["rows"].size(), 6U);
}

TEST(LiveServer, PlaysUntilItIsHeld) {
  Served served;
  EXPECT_TRUE(served.ask({{"do", "play"}})["playing"]);
  std::int64_t step = 0;
  while (step < 50) step = served.ask({{"do", "watch"}, {"values", json::array()}})["step"];
  const json held = served.ask({{"do", "pause"}});
  EXPECT_FALSE(held["playing"]);
  EXPECT_EQ(served.data("live")["frame"]["step"], held["step"]);
  // One step in ten seconds: the first is due at once, the next one not before the pause.
  served.ask({{"do", "play"}, {"per_second", 0.1}});
  while (served.ask({{"do", "watch"}, {"values", json::array()}})["step"] == held["step"]) {
  }
  EXPECT_EQ(served.ask({{"do", "pause"}})["step"], held["step"].get<std::int64_t>() + 1);
}

// Reads the first events of a page that listens.
TEST(LiveServer, EveryPageIsToldAndOneThatClosesHarmsNone) {
  Served served;
  std::atomic<int> told = 0;
  const auto listen = [&](int enough) {
    int events = 0;
    served.client().listen([&](std::string_view event) {
      if (!event.starts_with("event: frame")) return true;
      ++told;
      return ++events < enough;
    });
    return events;
  };
  std::future<int> first = std::async(std::launch::async, listen, 2);
  std::future<int> second = std::async(std::launch::async, listen, 6);
  const auto waiting = [](const std::future<int>& page) {
    return page.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready;
  };
  while (waiting(first) || waiting(second)) served.ask({{"do", "step"}});
  EXPECT_GE(first.get(), 2);
  EXPECT_GE(second.get(), 6);
  EXPECT_GE(told, 8);
}

// A page that draws 30 frames a second sees every step where no more are asked for: between two
// frames lie as many steps as frames were published, however many this page missed.
TEST(LiveServer, ShowsEveryStepAtAPaceThatAScreenCanShow) {
  Served served;
  json first, last;
  std::future<void> page = std::async(std::launch::async, [&] {
    served.client().listen([&](std::string_view event) {
      constexpr std::string_view kHead = "event: frame\ndata: ";
      if (!event.starts_with(kHead)) return true;
      const json frame = json::parse(event.substr(kHead.size()));
      if (!frame["playing"] || frame["step"] == 0) return true;
      (first.is_null() ? first : last) = frame;
      return last.is_null() || last["step"] < 8;
    });
  });
  served.ask({{"do", "play"}, {"per_second", 30}});
  page.wait();
  served.ask({{"do", "pause"}});
  const auto between = [&](const char* what) {
    return last[what].get<std::int64_t>() - first[what].get<std::int64_t>();
  };
  EXPECT_GT(between("step"), 0);
  EXPECT_EQ(between("step"), between("number"));
}

TEST(LiveServer, AThousandCommandsAtOnce) {
  Served served;
  std::vector<std::future<int>> askers;
  for (int asker = 0; asker < 8; ++asker) {
    askers.push_back(std::async(std::launch::async, [&] {
      int done = 0;
      for (int i = 0; i < 125; ++i) {
        const auto answer = served.post(R"({"do": "step"})");
        done += answer.status == 200 ? 1 : 0;
      }
      return done;
    }));
  }
  int done = 0;
  for (std::future<int>& asker : askers) done += asker.get();
  EXPECT_EQ(done, 1000);
  EXPECT_EQ(served.ask({{"do", "pause"}})["step"], 1000);
}

TEST(LiveServer, StopsWhileItPlaysAndListens) {
  auto served = std::make_unique<Served>();
  served->ask({{"do", "play"}});
  std::future<bool> ended = std::async(std::launch::async, [client = served->client()] {
    client.listen([](std::string_view) { return true; });
    return true;
  });
  served->ask({{"do", "watch"}, {"values", json::array()}});
  served.reset();
  EXPECT_TRUE(ended.get());
}

TEST(LiveServer, ServesATrainerOfTheProgram) {
  SmallNetwork network;
  Server server(network.trainer(), {.example = batch_of(0)});
  server.stop();
  server.wait();  // returns at once
  EXPECT_THAT(server.address(), HasSubstr("http://127.0.0.1:"));
  EXPECT_THAT([&] { Server(network.trainer(), {}); },
              ThrowsMessage<ValueError>(HasSubstr("example")));
  EXPECT_THAT([&] { Server({{.name = "empty", .options = {}}}, maker()); },
              ThrowsMessage<ValueError>(HasSubstr("no options")));
  const int port = std::stoi(server.address().substr(server.address().rfind(':') + 1));
  EXPECT_THAT(
      [&] {
        Server(network.trainer(),
               {.example = batch_of(0), .port = static_cast<std::uint16_t>(port)});
      },
      ThrowsMessage<IoError>(HasSubstr("is another program there?")));
}

// The page holds a run of fit(), steps through it, edits, and lets it go on.
TEST(LiveServer, HoldsARunOfFit) {
  SmallNetwork network;
  const data::Dataset all = {init::normal({12, 3}, 1, 1), init::normal({12, 1}, 2, 1)};
  const data::Batches batches(all, {.batch_size = 6, .shuffle = false});
  Server server(network.trainer(), {.example = all.slice(0, 6)});
  const Client client(server.address());
  const auto ask = [&](const json& what) {
    const Response answer = client.command(what.dump());
    return answer.status == 0 ? json() : json::parse(answer.body);
  };
  std::future<void> user = std::async(std::launch::async, [&] {
    EXPECT_FALSE(ask({{"do", "pause"}})["playing"]);
    const std::int64_t step = ask({{"do", "step"}})["step"];
    EXPECT_TRUE(ask({{"do", "back"}}).contains("error"));
    while (ask({{"do", "watch"}, {"values", json::array()}})["step"] == step) {
    }
    EXPECT_EQ(ask({{"do", "watch"}, {"values", json::array()}})["step"], step + 1);
    ask({{"do", "play"}});
  });
  fit(network.trainer(), batches, {.epochs = 2000, .callbacks = {server.callback()}});
  user.get();
  EXPECT_EQ(network.trainer().steps(), 4000);

  // From here on it is the page's.
  std::thread waiting([&] { server.wait(); });
  EXPECT_EQ(ask({{"do", "step"}})["step"], 4001);
  EXPECT_TRUE(ask({{"do", "goto"}, {"step", 3999}}).contains("error"));
  EXPECT_EQ(ask({{"do", "back"}})["step"], 4000);
  server.stop();
  waiting.join();
  EXPECT_EQ(client.command("{}").status, 503);
}

// What fit() has thrown the program may catch, and compute on without the page.
TEST(LiveServer, SaysThatARunWasBrokenOffWhenItIs) {
  SmallNetwork network;
  const data::Dataset all = {init::normal({12, 3}, 1, 1), init::normal({12, 1}, 2, 1)};
  const data::Batches batches(all, {.batch_size = 6, .shuffle = false});
  Server server(network.trainer(), {.example = all.slice(0, 6)});
  const Client client(server.address());
  json last;
  std::future<void> page = std::async(std::launch::async, [&] {
    client.listen([&](std::string_view event) {
      constexpr std::string_view kHead = "event: frame\ndata: ";
      if (event.starts_with(kHead)) last = json::parse(event.substr(kHead.size()));
      return last.is_null() ||
             last["note"].get<std::string>().find("broken off") == std::string::npos;
    });
  });
  Callback throws;
  throws.after_step = [&](FitRun& run) {
    if (run.done() == 3) throw std::runtime_error("the disk is full");
  };
  EXPECT_THROW(
      fit(network.trainer(), batches, {.epochs = 10, .callbacks = {server.callback(), throws}}),
      std::runtime_error);
  const bool is_told = page.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
  if (!is_told) server.stop();  // or it would listen for ever
  ASSERT_TRUE(is_told);
  EXPECT_EQ(last["note"], "the run was broken off: the disk is full");
  EXPECT_FALSE(last["playing"]);
  EXPECT_EQ(last["step"], 3);

  // Where it stopped the page goes on, as after fit() that has ended.
  std::thread waiting([&] { server.wait(); });
  EXPECT_EQ(json::parse(client.command(R"({"do": "step"})").body)["step"], 4);
  server.stop();
  waiting.join();
}

}  // namespace
}  // namespace aclgrad::live
