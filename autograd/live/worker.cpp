// SPDX-License-Identifier: Apache-2.0
// A run in a web worker, whose page is the one that it has made: live/static/worker.js calls the
// functions below, and passes on what they say.
#include <emscripten.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "aclgrad/runtime.h"
#include "live/exchange.h"
#include "live/run.h"
#include "page/document.h"

// What the linter of JavaScript would say of it does not concern a file of C++.
EM_JS(void, aclgrad_live_tell, (const char* type, const char* data),
      {postMessage({type : UTF8ToString(type), data : UTF8ToString(data)})});

namespace aclgrad::live {
namespace {

// The page that has the worker: it cannot go without it, and what it asks comes between two ticks.
class OnePage final : public Pages {
 public:
  void publish(const std::string& frame) override { aclgrad_live_tell("frame", frame.c_str()); }
  void say(const std::string& sentence) override {
    aclgrad_live_tell("trouble", page::json_text({{"error", sentence}}).c_str());
  }
  bool any() const override { return true; }
  std::chrono::nanoseconds abandoned() const override { return std::chrono::nanoseconds(0); }
  bool ask() const override { return false; }
};

OnePage page_of_worker;
std::unique_ptr<Run> run;
Answer latest;

}  // namespace

void run_in_worker(std::vector<Choice> choices, Maker make, ServerOptions options) {
  set_num_threads(1);
  run = std::make_unique<Run>(
      std::move(choices), std::move(make),
      Run::Options{std::move(options.title), options.history_bytes, std::move(options.lessons)},
      page_of_worker);
}

}  // namespace aclgrad::live

using aclgrad::live::latest;
using aclgrad::live::run;

extern "C" {

// The status of the answer, whose text aclgrad_live_text() has until the next one.
EMSCRIPTEN_KEEPALIVE int aclgrad_live_page() {
  latest = run->page();
  return latest.status;
}
EMSCRIPTEN_KEEPALIVE int aclgrad_live_obey(const char* command) {
  latest = run->obey(command);
  return latest.status;
}
EMSCRIPTEN_KEEPALIVE const char* aclgrad_live_text() { return latest.body.c_str(); }

// Milliseconds for which there is nothing to do.
EMSCRIPTEN_KEEPALIVE double aclgrad_live_tick() {
  return std::chrono::duration<double, std::milli>(run->tick()).count();
}
}
