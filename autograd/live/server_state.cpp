// SPDX-License-Identifier: Apache-2.0
#include "live/server_state.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "aclgrad/error.h"
#include "live/page_texts.h"
#include "page/document.h"
#include "report/svg.h"

extern char** environ;

namespace aclgrad::live {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenLooks = 33ms;  // while it plays
constexpr auto kGrace = 5s;           // for a page that is loaded anew

std::vector<Choice> checked(std::vector<Choice> choices) {
  std::set<std::string> names;
  for (Choice& choice : choices) {
    if (choice.options.empty()) {
      throw ValueError(fmt::format("the choice `{}` has no options", choice.name));
    }
    if (!names.insert(choice.name).second) {
      throw ValueError(fmt::format("there are two choices `{}`", choice.name));
    }
    if (choice.now.empty()) choice.now = choice.options.front();
    if (std::ranges::find(choice.options, choice.now) == choice.options.end()) {
      throw ValueError(fmt::format("`{}` is none of the options of `{}`", choice.now, choice.name));
    }
  }
  return choices;
}

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

Server::State::State(std::vector<Choice> choices, Maker make, ServerOptions options)
    : choices_(checked(std::move(choices))),
      make_(std::move(make)),
      options_(std::move(options)),
      playback_(made()),
      http_(options_.port, handlers()) {}

Server::State::~State() { mailbox_.close(); }

void Server::State::wait() {
  if (options_.open_browser) open_browser(address());
  while (!stopped_) {
    mailbox_.answer(playing_ ? 0ms : 1000ms);
    if (playing_ && !stopped_) play();
  }
}

void Server::State::stop() {
  stopped_ = true;
  mailbox_.close();
  http_.end();
}

Callback Server::State::callback() {
  Callback callback;
  callback.begin = [this](FitRun&) {
    following_ = true;
    playing_ = true;
    playback_->begin_following();
  };
  callback.before_step = [this](FitRun& run) { hold(run); };
  callback.after_step = [this](FitRun& run) { playback_->followed(run.loss()); };
  callback.finish = [this](FitRun&) { end_following("the run has ended"); };
  callback.failed = [this](FitRun& run) {
    // Another callback may have thrown before this one had begun.
    if (following_) end_following("the run was broken off: " + run.failure());
  };
  return callback;
}

// They are called by the thread that serves; the one that trains answers.
HttpHandlers Server::State::handlers() {
  HttpHandlers all;
  all.page = [this](Mailbox::Done done) {
    mailbox_.ask([this] { return page(); }, std::move(done));
  };
  all.command = [this](std::string body, Mailbox::Done done) {
    mailbox_.ask([this, body = std::move(body)] { return obey(body); }, std::move(done));
  };
  all.script = [] { return std::string(stream_js()); };
  all.neglected = [this] { return mailbox_.neglected(); };
  return all;
}

std::unique_ptr<Playback> Server::State::made() {
  Chosen chosen;
  for (const Choice& choice : choices_) chosen[choice.name] = choice.now;
  std::shared_ptr<Network> network = make_(chosen);
  if (!network) throw ValueError("the function that makes a network returned none");
  return std::make_unique<Playback>(std::move(network), options_.history_bytes);
}

FrameFacts Server::State::facts() {
  return {
      ++number_, graphs_ + playback_->recordings(), playing_, steps_per_second_, !following_, note_,
      watched_};
}

Answer Server::State::page() {
  try {
    playback_->refresh();
    return {200, page_html(*playback_, facts(), options_.title, choices_)};
  } catch (const std::exception& error) {
    page::Document document;
    document.title = options_.title;
    document.body = "<p>" + report::xml_escape(error.what()) + "</p>";
    return {500, document.html()};
  }
}

// Brings every page up to date and returns what they got.
std::string Server::State::publish() {
  playback_->refresh();
  std::string frame = page::json_text(frame_json(*playback_, facts()));
  last_look_ = Clock::now();
  shown_ = playback_->step();
  http_.publish(frame);
  return frame;
}

void Server::State::end_following(std::string note) {
  playing_ = following_ = false;
  steps_wanted_ = 0;
  note_ = std::move(note);
  playback_->begin_here();
  publish_or_say();
}

void Server::State::train() {
  const double loss = playback_->train();
  ++played_;
  if (std::isfinite(loss)) return;
  playing_ = false;
  note_ = fmt::format("the loss of step {} is not finite: training is held", playback_->step());
}

// What cannot be shown ends no training that the program does by itself.
bool Server::State::publish_or_say() {
  try {
    publish();
    return true;
  } catch (const std::exception& error) {
    last_look_ = Clock::now();
    http_.say(error.what());
    return false;
  }
}

// As many steps as fit between two looks, or until somebody asks. Up to 30 a second the page
// shows every one.
void Server::State::play() {
  const std::int64_t before = playback_->step();
  const Clock::time_point end = Clock::now() + kBetweenLooks;
  const bool each_is_shown =
      per_second_ > 0 && per_second_ * std::chrono::duration<double>(kBetweenLooks).count() <= 1;
  try {
    // A page that was closed is no reason to go on until the machine is switched off.
    if (http_.abandoned() > kGrace) {
      hold_playing("the last page was closed: training is held");
      return;
    }
    do {
      if (!wait_for_step()) break;
      train();
    } while (playing_ && !each_is_shown && Clock::now() < end && !mailbox_.has_questions() &&
             !stopped_);
    measure();
    if (playback_->step() != before && http_.has_listeners()) publish();
  } catch (const std::exception& error) {
    // The next step cannot be done, or not be looked at: the page stays at the last that can.
    hold_playing(error.what());
  }
}

void Server::State::hold_playing(const std::string& note) {
  playing_ = false;
  note_ = note;
  if (publish_or_say()) return;
  try {
    playback_->go_to(std::clamp(shown_, playback_->first_step(), playback_->step()));
  } catch (const std::exception&) {
    return;  // said already
  }
  publish_or_say();
}

// Where the page asked for so many steps a second; false where somebody asks first.
bool Server::State::wait_for_step() {
  if (per_second_ <= 0) return true;
  const Clock::time_point now = Clock::now();
  if (now < next_step_) {
    // Not longer than until a page that closes is noticed.
    mailbox_.wait_for_question(std::min<Clock::duration>(next_step_ - now, 1s));
    if (Clock::now() < next_step_) return false;
  }
  constexpr double kMost = 24 * 3600;  // a clock's counter ends
  const auto between = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(kMost, 1 / per_second_)));
  next_step_ = std::max(next_step_ + between, Clock::now() - between);
  return true;
}

void Server::State::measure() {
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  constexpr double kWindow = 0.5;
  if (seconds < kWindow) return;
  steps_per_second_ = static_cast<double>(played_) / seconds;
  played_ = 0;
  since_ = Clock::now();
}

// Before a step of fit(): until the page lets it go on.
void Server::State::hold(FitRun& run) {
  playback_->follow(run.batch());
  const bool shows =
      http_.has_listeners() && (!playing_ || Clock::now() - last_look_ > kBetweenLooks);
  if (shows) publish_or_say();
  mailbox_.answer();
  while (!playing_ && steps_wanted_ == 0 && !stopped_) mailbox_.answer(1000ms);
  if (steps_wanted_ > 0) --steps_wanted_;
  ++played_;
  measure();
}

// ---- Server -------------------------------------------------------------------------------------

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
