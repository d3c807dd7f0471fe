// SPDX-License-Identifier: Apache-2.0
// live::Server: a run whose pages are served over HTTP. One thread trains and answers, another one
// talks to browsers.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "aclgrad/error.h"
#include "live/exchange.h"
#include "live/http.h"
#include "live/page_texts.h"
#include "live/run.h"

extern char** environ;

namespace aclgrad::live {
namespace {

using namespace std::chrono_literals;

// The shell leaves at once, and what it has started is nobody's child here: nothing waits for it.
void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string shell = "/bin/sh", option = "-c", name = "sh", place = address;
  std::string line = "xdg-open \"$1\" >/dev/null 2>&1 &";
  char* const arguments[] = {shell.data(), option.data(), line.data(),
                             name.data(),  place.data(),  nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, shell.c_str(), nullptr, nullptr, arguments, environ) == 0) {
    waitpid(child, nullptr, 0);
  }
}

// A trainer of the program's.
class OneTrainer final : public Network {
 public:
  OneTrainer(Trainer& trainer, data::Dataset example)
      : trainer_(trainer), example_(std::move(example)) {
    if (example_.size() == 0) throw ValueError("`example` needs examples, at least one");
  }
  std::vector<Trainer*> trainers() override { return {&trainer_}; }
  data::Dataset batch(std::int64_t) override { return example_; }

 private:
  Trainer& trainer_;
  data::Dataset example_;
};

}  // namespace

class Server::State final : private Pages {
 public:
  State(std::vector<Choice> choices, Maker make, ServerOptions options)
      : opens_browser_(options.open_browser),
        http_(options.port, handlers()),
        run_(std::move(choices), std::move(make),
             {std::move(options.title), options.history_bytes, std::move(options.lessons)}, *this) {
  }
  ~State() override { mailbox_.close(); }

  const std::string& address() const { return http_.address(); }

  void wait() {
    if (opens_browser_) open_browser(address());
    for (std::chrono::nanoseconds idle{0}; !run_.stopped(); idle = run_.tick()) {
      mailbox_.answer(idle);
    }
  }

  void stop() {
    run_.stop();
    mailbox_.close();
    http_.end();
  }

  Callback callback() {
    Callback callback;
    callback.begin = [this](FitRun&) { run_.begin_following(); };
    callback.before_step = [this](FitRun& run) { hold(run); };
    callback.after_step = [this](FitRun& run) { run_.followed(run.loss()); };
    callback.finish = [this](FitRun&) { run_.end_following("the run has ended"); };
    callback.failed = [this](FitRun& run) {
      // Another callback may have thrown before this one had begun.
      if (run_.is_following()) run_.end_following("the run was broken off: " + run.failure());
    };
    return callback;
  }

 private:
  // Before a step of fit(): until the page lets it go on.
  void hold(FitRun& run) {
    run_.look_at(run.batch());
    mailbox_.answer();
    while (!run_.may_go_on()) mailbox_.answer(1s);
    run_.go_on();
  }

  // They are called by the thread that serves; the one that trains answers.
  HttpHandlers handlers() {
    HttpHandlers all;
    all.page = [this](Mailbox::Done done) {
      mailbox_.ask([this] { return run_.page(); }, std::move(done));
    };
    all.command = [this](std::string body, Mailbox::Done done) {
      mailbox_.ask([this, body = std::move(body)] { return run_.obey(body); }, std::move(done));
    };
    all.script = [] { return std::string(stream_js()); };
    all.neglected = [this] { return mailbox_.neglected(); };
    return all;
  }

  void publish(const std::string& frame) override { http_.publish(frame); }
  void say(const std::string& sentence) override { http_.say(sentence); }
  bool any() const override { return http_.has_listeners(); }
  std::chrono::nanoseconds abandoned() const override { return http_.abandoned(); }
  bool ask() const override { return mailbox_.has_questions(); }

  bool opens_browser_;
  Mailbox mailbox_;
  Http http_;
  Run run_;  // of all the first to go: nothing of it is asked any more then
};

Server::Server(Trainer& trainer, ServerOptions options) {
  Maker make = [&trainer, example = std::exchange(options.example, {})](const Chosen&) {
    return std::make_unique<OneTrainer>(trainer, example);
  };
  state_ = std::make_unique<State>(std::vector<Choice>(), std::move(make), std::move(options));
}

Server::Server(std::vector<Choice> choices, Maker make, ServerOptions options)
    : state_(std::make_unique<State>(std::move(choices), std::move(make), std::move(options))) {}

Server::~Server() = default;

const std::string& Server::address() const { return state_->address(); }
void Server::wait() { state_->wait(); }
void Server::stop() { state_->stop(); }
Callback Server::callback() { return state_->callback(); }

}  // namespace aclgrad::live
