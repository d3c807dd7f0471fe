// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/live.h"
#include "live/browser.h"
#include "live/commands.h"
#include "live/exchange.h"
#include "live/frame.h"
#include "live/http.h"
#include "live/playback.h"

namespace aclgrad::live {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kBetweenLooks = 33ms;  // while it plays

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

Answer refusal(int status, const std::string& sentence) {
  return {status, nlohmann::json{{"error", sentence}}.dump(
                      -1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

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

}  // namespace

class Server::State {
 public:
  State(std::vector<Choice> choices, Maker make, ServerOptions options)
      : choices_(checked(std::move(choices))),
        make_(std::move(make)),
        options_(std::move(options)),
        playback_(made()),
        http_(
            options_.port, [this] { return mailbox_.ask([this] { return page(); }); },
            [this](const std::string& body) {
              return mailbox_.ask([this, &body] { return obey(body); });
            },
            frames_) {}

  ~State() { mailbox_.close(); }

  const std::string& address() const { return http_.address(); }

  void wait() {
    if (options_.open_browser) open_browser(address());
    while (!stopped_) {
      mailbox_.answer(playing_ ? 0ms : 1000ms);
      if (playing_ && !stopped_) play();
    }
  }

  void stop() {
    stopped_ = true;
    mailbox_.close();
    frames_.close();
  }

  Callback callback() {
    following_ = true;
    playing_ = true;
    Callback callback;
    callback.before_step = [this](FitRun& run) { hold(run); };
    callback.after_step = [this](FitRun& run) { playback_->followed(run.loss()); };
    callback.finish = [this](FitRun&) {
      playing_ = following_ = false;
      playback_->begin_here();
      note_ = "the run has ended";
      publish();
    };
    return callback;
  }

 private:
  std::unique_ptr<Playback> made() {
    Chosen chosen;
    for (const Choice& choice : choices_) chosen[choice.name] = choice.now;
    std::shared_ptr<Network> network = make_(chosen);
    if (!network) throw ValueError("the function that makes a network returned none");
    return std::make_unique<Playback>(std::move(network), options_.history_bytes);
  }

  FrameFacts facts() {
    return {++number_,   graphs_ + playback_->recordings(),
            playing_,    steps_per_second_,
            !following_, note_,
            watched_};
  }

  Answer page() {
    playback_->refresh();
    return {200, page_of(*playback_, facts(), options_.title, choices_)};
  }

  // Brings every page up to date and returns what they got.
  std::string publish() {
    playback_->refresh();
    last_look_ = Clock::now();
    std::string frame = frame_of(*playback_, facts())
                            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    frames_.publish(frame);
    return frame;
  }

  Answer obey(const std::string& body) {
    try {
      const Command command = parse_command(body);
      note_.clear();
      return std::visit([this](const auto& each) { return answer(each); }, command);
    } catch (const std::exception& error) {
      return refusal(400, error.what());
    }
  }

  template <class Command>
  Answer answer(const Command& command) {
    obey(command);
    return {200, publish()};
  }
  Answer answer(const CheckCommand& command) {
    const Check check = playback_->check(command.value, command.index);
    const Value value = playback_->look().step().graph.value(command.value);
    return {200, nlohmann::json{{"check", check_data(check, value, command.index)}}.dump()};
  }

  void refuse_in_fit() const {
    if (following_) throw ValueError("fit() trains here: the page can hold it and go on only");
  }

  void obey(const StepCommand&) {
    playing_ = false;
    if (following_) {
      steps_wanted_ = 1;
    } else {
      train();
    }
  }
  void obey(const BackCommand&) {
    refuse_in_fit();
    playing_ = false;
    playback_->go_to(playback_->step() - 1);
  }
  void obey(const GoToCommand& command) {
    refuse_in_fit();
    playing_ = false;
    playback_->go_to(command.step);
  }
  void obey(const PlayCommand& command) {
    if (command.per_second < 0) throw ValueError("steps per second are 0, for all it can, or more");
    playing_ = command.plays;
    per_second_ = command.per_second;
    next_step_ = Clock::now();
    steps_per_second_ = 0;
    played_ = 0;
    since_ = Clock::now();
  }
  void obey(const ResetCommand&) {
    refuse_in_fit();
    playing_ = false;
    playback_->go_to(playback_->first_step());
  }
  void obey(const SetCommand& command) { playback_->set(command.value, command.index, command.to); }
  void obey(const ReleaseCommand& command) { playback_->release(command.value); }
  void obey(const RateCommand& command) { playback_->set_rate(command.to); }
  void obey(const WatchCommand& command) {
    watched_ = {command.values.begin(), command.values.end()};
  }
  void obey(const DrawCommand& command) {
    for (const Drawing& drawing : playback_->network().drawings()) {
      if (drawing.name != command.name) continue;
      playback_->network().drawn(command.name,
                                 Tensor::from(drawing.pixels.shape(), command.pixels));
      return;
    }
    throw ValueError(fmt::format("there is nothing to draw named `{}`", command.name));
  }
  void obey(const TypeCommand& command) {
    for (const Text& text : playback_->network().texts()) {
      if (text.name != command.name) continue;
      if (static_cast<std::int64_t>(command.text.size()) > text.max) {
        throw ValueError(
            fmt::format("at most {} bytes of text, not {}", text.max, command.text.size()));
      }
      playback_->network().typed(command.name, command.text);
      return;
    }
    throw ValueError(fmt::format("there is nothing to type named `{}`", command.name));
  }
  void obey(const ChooseCommand& command) {
    const auto choice = std::ranges::find(choices_, command.name, &Choice::name);
    if (choice == choices_.end()) {
      throw ValueError(fmt::format("there is nothing named `{}` to choose", command.name));
    }
    if (std::ranges::find(choice->options, command.to) == choice->options.end()) {
      throw ValueError(
          fmt::format("`{}` is none of the options of `{}`", command.to, command.name));
    }
    playing_ = false;
    const std::string before = std::exchange(choice->now, command.to);
    try {
      std::unique_ptr<Playback> next = made();
      graphs_ += playback_->recordings();
      playback_ = std::move(next);
    } catch (...) {
      choice->now = before;
      throw;
    }
  }

  void train() {
    const double loss = playback_->train();
    ++played_;
    if (std::isfinite(loss)) return;
    playing_ = false;
    note_ = fmt::format("the loss of step {} is not finite: training is held", playback_->step());
  }

  // As many steps as fit between two looks, or until somebody asks. Up to 30 a second the page
  // shows every one.
  void play() {
    const std::int64_t before = playback_->step();
    const Clock::time_point end = Clock::now() + kBetweenLooks;
    const bool each_is_shown =
        per_second_ > 0 && per_second_ * std::chrono::duration<double>(kBetweenLooks).count() <= 1;
    try {
      do {
        if (!wait_for_step()) break;
        train();
      } while (playing_ && !each_is_shown && Clock::now() < end && !mailbox_.has_questions() &&
               !stopped_);
      measure();
      if (playback_->step() != before && frames_.has_listeners()) publish();
    } catch (const std::exception& error) {
      playing_ = false;
      note_ = error.what();
    }
  }

  // Where the page asked for so many steps a second; false where somebody asks first.
  bool wait_for_step() {
    if (per_second_ <= 0) return true;
    const Clock::time_point now = Clock::now();
    if (now < next_step_) {
      mailbox_.wait_for_question(next_step_ - now);
      if (Clock::now() < next_step_) return false;
    }
    const auto between =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / per_second_));
    next_step_ = std::max(next_step_ + between, Clock::now() - between);
    return true;
  }

  void measure() {
    const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
    constexpr double kWindow = 0.5;
    if (seconds < kWindow) return;
    steps_per_second_ = static_cast<double>(played_) / seconds;
    played_ = 0;
    since_ = Clock::now();
  }

  // Before a step of fit(): until the page lets it go on.
  void hold(FitRun& run) {
    playback_->follow(run.batch());
    const bool shows =
        frames_.has_listeners() && (!playing_ || Clock::now() - last_look_ > kBetweenLooks);
    if (shows) publish();
    mailbox_.answer();
    while (!playing_ && steps_wanted_ == 0 && !stopped_) mailbox_.answer(1000ms);
    if (steps_wanted_ > 0) --steps_wanted_;
    ++played_;
    measure();
  }

  std::vector<Choice> choices_;
  Maker make_;
  ServerOptions options_;
  std::unique_ptr<Playback> playback_;
  std::int64_t graphs_ = 0;  // recorded by networks before this one
  std::int64_t number_ = 0;
  bool playing_ = false;
  bool following_ = false;
  int steps_wanted_ = 0;
  std::int64_t played_ = 0;  // since a time
  Clock::time_point since_ = Clock::now(), last_look_ = {};
  double steps_per_second_ = 0, per_second_ = 0;
  Clock::time_point next_step_ = {};
  std::string note_;
  std::set<ValueId> watched_;
  std::atomic<bool> stopped_ = false;
  Mailbox mailbox_;
  Broadcast frames_;
  Http http_;
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
