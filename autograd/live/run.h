// SPDX-License-Identifier: Apache-2.0
// A run that pages show and command, wherever they are: it trains as they say, and tells them. It
// knows neither threads nor sockets, and never waits: who has it calls tick() again and again, and
// hands it what pages ask. run.cpp has training, run_commands.cpp what pages ask for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/live.h"
#include "live/commands.h"
#include "live/exchange.h"
#include "live/frame.h"
#include "live/playback.h"

namespace aclgrad::live {

class Run {
 public:
  struct Options {
    std::string title;
    std::size_t history_bytes = 0;
    std::vector<std::string> lessons = {};
  };

  /// Tells `pages`, which must live longer. Throws as Server's constructor, but IoError.
  Run(std::vector<Choice> choices, Maker make, Options options, Pages& pages);

  /// The page, as HTML: one that loads it needs nothing else.
  Answer page();

  /// Carries out a command, as JSON, and answers in JSON.
  Answer obey(const std::string& body);

  /// Trains, where a page has asked for that, until it is time to show something, or somebody asks.
  /// Returns for how long there is nothing to do then, if nobody asks.
  std::chrono::nanoseconds tick();

  /// From any thread: what is long ends early.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  /// A run of fit(), which trains by itself: before each step, whether that may be done now; after
  /// it; and its end, which a sentence explains.
  void begin_following();
  void look_at(const data::Dataset& batch);
  bool may_go_on() const { return playing_ || steps_wanted_ > 0 || stopped_; }
  void go_on();
  void followed(double loss) { playback_->followed(loss); }
  bool is_following() const { return following_; }
  void end_following(std::string note);

 private:
  std::unique_ptr<Playback> made();

  // What pages are told.
  FrameFacts facts();
  std::string publish();
  bool publish_or_say();

  // Training.
  void train();
  void play();
  bool shows_each() const;
  std::chrono::nanoseconds until_next_step() const;
  std::chrono::nanoseconds until_next_look() const;
  void hold_playing(const std::string& note);
  void measure();

  // Going where a link leads.
  void arrive();
  void stop_retracing();

  // Each carries out a command and returns how it is taken back.
  using TakeBack = std::function<void()>;
  template <class Command>
  Answer answer(const Command& command, bool brief);
  Answer answer(const CheckCommand& command, bool brief);
  void refuse_in_fit() const;
  TakeBack back_to(std::int64_t step);
  TakeBack edit_back();
  TakeBack feed(const std::function<void()>& change, std::function<void()> restore);
  TakeBack make_anew(const Chosen& chosen);
  TakeBack obey(const StepCommand& command);
  TakeBack obey(const BackCommand& command);
  TakeBack obey(const GoToCommand& command);
  TakeBack obey(const PlayCommand& command);
  TakeBack obey(const ResetCommand& command);
  TakeBack obey(const UndoCommand& command);
  TakeBack obey(const SetCommand& command);
  TakeBack obey(const ReleaseCommand& command);
  TakeBack obey(const RateCommand& command);
  TakeBack obey(const WatchCommand& command);
  TakeBack obey(const DrawCommand& command);
  TakeBack obey(const TypeCommand& command);
  TakeBack obey(const ChooseCommand& command);
  TakeBack obey(const RestoreCommand& command);

  std::vector<Choice> choices_;
  Maker make_;
  Options options_;
  Pages& pages_;
  std::shared_ptr<Playback> playback_;
  std::int64_t graphs_ = 0;  // recorded by networks before this one
  std::int64_t number_ = 0;
  bool playing_ = false;
  bool following_ = false;
  std::int64_t steps_wanted_ = 0;      // of fit()
  std::optional<std::int64_t> until_;  // where training is held
  std::vector<Edit> then_;             // what is edited there
  std::int64_t played_ = 0;            // since a time
  Clock::time_point since_ = Clock::now(), last_look_ = {};
  double steps_per_second_ = 0, per_second_ = 0;
  Clock::time_point next_step_ = {};
  std::string note_;
  std::map<ValueId, Watched> watched_;
  std::int64_t shown_ = 0;  // the step of the latest frame
  std::atomic<bool> stopped_ = false;
};

}  // namespace aclgrad::live
