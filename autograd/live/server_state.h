// SPDX-License-Identifier: Apache-2.0
// What a Server does: it trains as its pages say, and tells them. server_state.cpp has training,
// server_commands.cpp what pages ask for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "aclgrad/live.h"
#include "live/commands.h"
#include "live/exchange.h"
#include "live/frame.h"
#include "live/http.h"
#include "live/playback.h"

namespace aclgrad::live {

class Server::State {
 public:
  State(std::vector<Choice> choices, Maker make, ServerOptions options);
  ~State();

  const std::string& address() const { return http_.address(); }
  void wait();
  void stop();
  Callback callback();

 private:
  HttpHandlers handlers();
  std::unique_ptr<Playback> made();

  // What pages are told.
  FrameFacts facts();
  Answer page();
  std::string publish();
  bool publish_or_say();

  // Training.
  void train();
  void play();
  void hold_playing(const std::string& note);
  bool wait_for_step();
  void measure();
  void hold(FitRun& run);
  void end_following(std::string note);

  // Each carries out a command and returns how it is taken back.
  using TakeBack = std::function<void()>;
  Answer obey(const std::string& body);
  template <class Command>
  Answer answer(const Command& command, bool brief);
  Answer answer(const CheckCommand& command, bool brief);
  void refuse_in_fit() const;
  TakeBack back_to(std::int64_t step);
  TakeBack edit_back();
  TakeBack feed(const std::function<void()>& change, std::function<void()> restore);
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

}  // namespace aclgrad::live
