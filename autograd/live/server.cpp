// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/live.h"
#include "live/browser.h"
#include "live/commands.h"
#include "live/exchange.h"
#include "live/frame.h"
#include "live/http.h"
#include "live/page_texts.h"
#include "live/playback.h"
#include "page/document.h"
#include "report/svg.h"

namespace aclgrad::live {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenLooks = 33ms;  // while it plays
constexpr auto kGrace = 5s;           // for a page that is loaded anew

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
        http_(options_.port, handlers()) {}

  ~State() { mailbox_.close(); }

  const std::string& address() const { return http_.address(); }

  void wait() {
    // fit() may have been left by an exception, and then has finished nothing.
    if (following_) end_following("the run of fit() was broken off");
    if (options_.open_browser) open_browser(address());
    while (!stopped_) {
      mailbox_.answer(playing_ ? 0ms : 1000ms);
      if (playing_ && !stopped_) play();
    }
  }

  void stop() {
    stopped_ = true;
    mailbox_.close();
    http_.end();
  }

  Callback callback() {
    Callback callback;
    callback.begin = [this](FitRun&) {
      following_ = true;
      playing_ = true;
      playback_->begin_following();
    };
    callback.before_step = [this](FitRun& run) { hold(run); };
    callback.after_step = [this](FitRun& run) { playback_->followed(run.loss()); };
    callback.finish = [this](FitRun&) { end_following("the run has ended"); };
    return callback;
  }

 private:
  // They are called by the thread that serves; the one that trains answers.
  HttpHandlers handlers() {
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
    try {
      playback_->refresh();
      return {200, page_of(*playback_, facts(), options_.title, choices_)};
    } catch (const std::exception& error) {
      page::Document document;
      document.title = options_.title;
      document.body = "<p>" + report::xml_escape(error.what()) + "</p>";
      return {500, document.html()};
    }
  }

  // Brings every page up to date and returns what they got.
  std::string publish() {
    playback_->refresh();
    std::string frame = frame_of(*playback_, facts())
                            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    last_look_ = Clock::now();
    shown_ = playback_->step();
    http_.publish(frame);
    return frame;
  }

  Answer obey(const std::string& body) {
    try {
      const Asked asked = parse_command(body);
      note_.clear();
      return std::visit([&](const auto& each) { return answer(each, asked.brief); }, asked.command);
    } catch (const std::exception& error) {
      // Of several steps some may be done.
      if (!following_ && playback_->step() != shown_) publish_or_say();
      return refusal(400, error.what());
    }
  }

  using TakeBack = std::function<void()>;

  // What every page is to show is part of a command: where that cannot be, it is taken back.
  template <class Command>
  Answer answer(const Command& command, bool brief) {
    const TakeBack take_back = obey(command);
    std::string frame;
    try {
      frame = publish();
    } catch (const std::exception&) {
      if (take_back) take_back();
      throw;
    }
    if (!brief) return {200, std::move(frame)};
    return {200, nlohmann::json{{"sent", number_}, {"step", playback_->step()}}.dump()};
  }
  Answer answer(const CheckCommand& command, bool) {
    const Check check = playback_->check(command.value, command.index);
    const Value value = playback_->look().step().graph.value(command.value);
    return {200, nlohmann::json{{"check", check_data(check, value, command.index)}}.dump()};
  }

  void refuse_in_fit() const {
    if (following_) throw ValueError("fit() trains here: the page can hold it and go on only");
  }

  // Each carries out a command and returns how it is taken back.
  TakeBack back_to(std::int64_t step) {
    if (following_) return {};
    return [this, step] { playback_->go_to(std::min(step, playback_->step())); };
  }
  TakeBack edit_back() {
    return [this] { playback_->take_back(); };
  }

  TakeBack obey(const StepCommand& command) {
    playing_ = false;
    if (following_) {
      steps_wanted_ += command.count;
      return {};
    }
    const std::int64_t before = playback_->step();
    for (std::int64_t i = 0; i < command.count && note_.empty() && !stopped_; ++i) train();
    return back_to(before);
  }
  TakeBack obey(const BackCommand& command) {
    refuse_in_fit();
    playing_ = false;
    // More clicks than there are steps lead to the first.
    const std::int64_t first = playback_->first_step(), now = playback_->step();
    playback_->go_to(now > first ? std::max(first, now - command.count) : now - 1);
    return {};
  }
  TakeBack obey(const GoToCommand& command) {
    refuse_in_fit();
    playback_->go_to(command.step);
    playing_ = false;
    return {};
  }
  TakeBack obey(const PlayCommand& command) {
    if (command.per_second < 0) throw ValueError("steps per second are 0, for all it can, or more");
    playing_ = command.plays;
    if (playing_) steps_wanted_ = 0;
    per_second_ = command.per_second;
    next_step_ = Clock::now();
    steps_per_second_ = 0;
    played_ = 0;
    since_ = Clock::now();
    return {};
  }
  TakeBack obey(const ResetCommand&) {
    refuse_in_fit();
    playing_ = false;
    playback_->restart();
    return {};
  }
  TakeBack obey(const UndoCommand&) {
    refuse_in_fit();
    playing_ = false;
    playback_->undo();
    return {};
  }
  TakeBack obey(const SetCommand& command) {
    playback_->set(command.value, command.index, command.to);
    return edit_back();
  }
  TakeBack obey(const ReleaseCommand& command) {
    playback_->release(command.value);
    return edit_back();
  }
  TakeBack obey(const RateCommand& command) {
    playback_->set_rate(command.to);
    return edit_back();
  }
  TakeBack obey(const WatchCommand& command) {
    for (const auto& [value, from] : command.values) playback_->require(value);
    watched_ = command.values;
    return {};
  }
  TakeBack obey(const DrawCommand& command) {
    Network& network = playback_->network();
    for (const Drawing& drawing : network.drawings()) {
      if (drawing.name != command.name) continue;
      const auto fits = [&](double pixel) { return pixel >= 0 && pixel <= drawing.high; };
      if (!std::ranges::all_of(command.pixels, fits)) {
        throw ValueError(fmt::format("a pixel lies between 0 and {}", drawing.high));
      }
      TakeBack back = [this, &network, name = command.name, before = drawing.pixels] {
        playback_->redraw();
        network.drawn(name, before);
      };
      const Tensor pixels = Tensor::from(drawing.pixels.shape(), command.pixels);
      playback_->redraw();
      attempt([&] { network.drawn(command.name, pixels); }, back);
      return back;
    }
    throw ValueError(fmt::format("there is nothing to draw named `{}`", command.name));
  }
  TakeBack obey(const TypeCommand& command) {
    Network& network = playback_->network();
    for (const Text& text : network.texts()) {
      if (text.name != command.name) continue;
      if (static_cast<std::int64_t>(command.text.size()) > text.max) {
        throw ValueError(
            fmt::format("at most {} bytes of text, not {}", text.max, command.text.size()));
      }
      TakeBack back = [this, &network, name = command.name, before = text.text] {
        playback_->redraw();
        network.typed(name, before);
      };
      playback_->redraw();
      attempt([&] { network.typed(command.name, command.text); }, back);
      return back;
    }
    throw ValueError(fmt::format("there is nothing to type named `{}`", command.name));
  }
  TakeBack obey(const ChooseCommand& command) {
    refuse_in_fit();
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
      const std::shared_ptr<Playback> old = playback_;
      playback_ = made();
      const std::int64_t graphs = std::exchange(graphs_, graphs_ + old->recordings());
      return [this, choice, before, old, graphs, watched = std::exchange(watched_, {})] {
        choice->now = before;
        playback_ = old;
        graphs_ = graphs;
        watched_ = watched;
      };
    } catch (...) {
      choice->now = before;
      throw;
    }
  }

  static void attempt(const std::function<void()>& change, const TakeBack& back) {
    try {
      change();
    } catch (...) {
      back();
      throw;
    }
  }

  void end_following(const char* note) {
    playing_ = following_ = false;
    steps_wanted_ = 0;
    playback_->begin_here();
    note_ = note;
    publish_or_say();
  }

  void train() {
    const double loss = playback_->train();
    ++played_;
    if (std::isfinite(loss)) return;
    playing_ = false;
    note_ = fmt::format("the loss of step {} is not finite: training is held", playback_->step());
  }

  // What cannot be shown ends no training that the program does by itself.
  bool publish_or_say() {
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
  void play() {
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

  void hold_playing(const std::string& note) {
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
  bool wait_for_step() {
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
        http_.has_listeners() && (!playing_ || Clock::now() - last_look_ > kBetweenLooks);
    if (shows) publish_or_say();
    mailbox_.answer();
    while (!playing_ && steps_wanted_ == 0 && !stopped_) mailbox_.answer(1000ms);
    if (steps_wanted_ > 0) --steps_wanted_;
    ++played_;
    measure();
  }

  std::vector<Choice> choices_;
  Maker make_;
  ServerOptions options_;
  std::shared_ptr<Playback> playback_;
  std::int64_t graphs_ = 0;  // recorded by networks before this one
  std::int64_t number_ = 0;
  bool playing_ = false;
  bool following_ = false;
  std::int64_t steps_wanted_ = 0;  // of fit()
  std::int64_t played_ = 0;        // since a time
  Clock::time_point since_ = Clock::now(), last_look_ = {};
  double steps_per_second_ = 0, per_second_ = 0;
  Clock::time_point next_step_ = {};
  std::string note_;
  std::map<ValueId, Watched> watched_;
  std::int64_t shown_ = 0;  // the step of the latest frame
  std::atomic<bool> stopped_ = false;
  Mailbox mailbox_;
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
