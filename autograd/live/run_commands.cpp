// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "aclgrad/error.h"
#include "live/run.h"
#include "page/document.h"

namespace aclgrad::live {
namespace {

Answer refusal(int status, const std::string& sentence) {
  return {status, page::json_text({{"error", sentence}})};
}

}  // namespace

Answer Run::obey(const std::string& body) {
  try {
    const Asked asked = parse_command(body);
    note_.clear();
    const bool looks_only = std::holds_alternative<WatchCommand>(asked.command) ||
                            std::holds_alternative<CheckCommand>(asked.command);
    if (!looks_only) stop_retracing();  // who takes over goes on from here
    return std::visit([&](const auto& command) { return answer(command, asked.brief); },
                      asked.command);
  } catch (const std::exception& error) {
    // Of several steps some may be done.
    if (!following_ && playback_->step() != shown_) publish_or_say();
    return refusal(400, error.what());
  }
}

// What every page is to show is part of a command: where that cannot be, it is taken back.
template <class Command>
Answer Run::answer(const Command& command, bool brief) {
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
Answer Run::answer(const CheckCommand& command, bool) {
  const Check check = playback_->check(command.value, command.index);
  const Value value = playback_->preview().step().graph.value(command.value);
  return {200, nlohmann::json{{"check", check_json(check, value, command.index)}}.dump()};
}

void Run::refuse_in_fit() const {
  if (following_) throw ValueError("fit() trains here: the page can hold it and go on only");
}

// Each carries out a command and returns how it is taken back.
Run::TakeBack Run::back_to(std::int64_t step) {
  if (following_) return {};
  return [this, step] { playback_->go_to(std::min(step, playback_->step())); };
}
Run::TakeBack Run::edit_back() {
  return [this] { playback_->take_back(); };
}

Run::TakeBack Run::obey(const StepCommand& command) {
  playing_ = false;
  if (following_) {
    steps_wanted_ += command.count;
    return {};
  }
  const std::int64_t before = playback_->step();
  for (std::int64_t i = 0; i < command.count && note_.empty() && !stopped_; ++i) train();
  return back_to(before);
}
Run::TakeBack Run::obey(const BackCommand& command) {
  refuse_in_fit();
  playing_ = false;
  // More clicks than there are steps lead to the first.
  const std::int64_t first = playback_->first_step(), now = playback_->step();
  playback_->go_to(now > first ? std::max(first, now - command.count) : now - 1);
  return {};
}
Run::TakeBack Run::obey(const GoToCommand& command) {
  refuse_in_fit();
  playback_->go_to(command.step);
  playing_ = false;
  return {};
}
Run::TakeBack Run::obey(const PlayCommand& command) {
  if (command.per_second < 0) throw ValueError("steps per second are 0, for all it can, or more");
  if (command.until) {
    refuse_in_fit();
    if (*command.until <= playback_->step()) {
      throw ValueError(fmt::format("training goes on to a step behind {}, which {} is not",
                                   playback_->step(), *command.until));
    }
  }
  playing_ = command.plays;
  until_ = command.until;
  if (playing_) steps_wanted_ = 0;
  per_second_ = command.per_second;
  next_step_ = Clock::now();
  steps_per_second_ = 0;
  played_ = 0;
  since_ = Clock::now();
  return {};
}
Run::TakeBack Run::obey(const ResetCommand&) {
  refuse_in_fit();
  playing_ = false;
  playback_->restart();
  return {};
}
Run::TakeBack Run::obey(const UndoCommand&) {
  refuse_in_fit();
  playing_ = false;
  playback_->undo();
  return {};
}
Run::TakeBack Run::obey(const SetCommand& command) {
  playback_->set(command.value, command.index, command.to);
  return edit_back();
}
Run::TakeBack Run::obey(const ReleaseCommand& command) {
  playback_->release(command.value);
  return edit_back();
}
Run::TakeBack Run::obey(const RateCommand& command) {
  playback_->set_rate(command.to);
  return edit_back();
}
Run::TakeBack Run::obey(const WatchCommand& command) {
  for (const auto& [value, from] : command.values) playback_->require(value);
  watched_ = command.values;
  return {};
}
// Changes what the network is fed; its pictures are drawn anew.
Run::TakeBack Run::feed(const std::function<void()>& change, std::function<void()> restore) {
  TakeBack back = [this, restore = std::move(restore)] {
    playback_->redraw();
    restore();
  };
  playback_->redraw();
  try {
    change();
  } catch (...) {
    back();
    throw;
  }
  return back;
}
Run::TakeBack Run::obey(const DrawCommand& command) {
  Network& network = playback_->network();
  for (const Drawing& drawing : network.drawings()) {
    if (drawing.name != command.name) continue;
    const auto fits = [&](double pixel) { return pixel >= 0 && pixel <= drawing.high; };
    if (!std::ranges::all_of(command.pixels, fits)) {
      throw ValueError(fmt::format("a pixel lies between 0 and {}", drawing.high));
    }
    const Tensor pixels = Tensor::from(drawing.pixels.shape(), command.pixels);
    return feed([&] { network.drawn(command.name, pixels); },
                [&network, drawing] { network.drawn(drawing.name, drawing.pixels); });
  }
  throw ValueError(fmt::format("there is nothing to draw named `{}`", command.name));
}
Run::TakeBack Run::obey(const TypeCommand& command) {
  Network& network = playback_->network();
  for (const Text& text : network.texts()) {
    if (text.name != command.name) continue;
    if (static_cast<std::int64_t>(command.text.size()) > text.max) {
      throw ValueError(
          fmt::format("at most {} bytes of text, not {}", text.max, command.text.size()));
    }
    return feed([&] { network.typed(command.name, command.text); },
                [&network, text] { network.typed(text.name, text.text); });
  }
  throw ValueError(fmt::format("there is nothing to type named `{}`", command.name));
}
// The network again, as chosen.
Run::TakeBack Run::make_anew(const Chosen& chosen) {
  std::vector<Choice> wanted = choices_;
  for (const auto& [name, to] : chosen) {
    const auto choice = std::ranges::find(wanted, name, &Choice::name);
    if (choice == wanted.end()) {
      throw ValueError(fmt::format("there is nothing named `{}` to choose", name));
    }
    if (std::ranges::find(choice->options, to) == choice->options.end()) {
      throw ValueError(fmt::format("`{}` is none of the options of `{}`", to, name));
    }
    choice->now = to;
  }
  playing_ = false;
  const std::vector<Choice> before = std::exchange(choices_, std::move(wanted));
  try {
    const std::shared_ptr<Playback> old = playback_;
    playback_ = made();
    const std::int64_t graphs = std::exchange(graphs_, graphs_ + old->recordings());
    return [this, before, old, graphs, watched = std::exchange(watched_, {})] {
      choices_ = before;
      playback_ = old;
      graphs_ = graphs;
      watched_ = watched;
    };
  } catch (...) {
    choices_ = before;
    throw;
  }
}
Run::TakeBack Run::obey(const ChooseCommand& command) {
  refuse_in_fit();
  return make_anew({{command.name, command.to}});
}

// What was trained is trained again, with what was changed on the way, so that a link has the same
// bits as the page that it was made on; tick() does that, and arrive() what comes last.
Run::TakeBack Run::obey(const RestoreCommand& command) {
  refuse_in_fit();
  const bool as_chosen = std::ranges::all_of(command.choices, [&](const auto& one) {
    const auto choice = std::ranges::find(choices_, one.first, &Choice::name);
    return choice != choices_.end() && choice->now == one.second;
  });
  TakeBack back = [this] { playback_->undo(); };
  if (!as_chosen) back = make_anew(command.choices);
  bool is_other = !as_chosen;
  try {
    playback_->retrace(command.changes);
    is_other = true;
    for (const auto& [name, text] : command.texts) obey(TypeCommand{name, text});
  } catch (...) {
    if (is_other) back();
    throw;
  }
  obey(PlayCommand{true});
  then_ = command.edits;
  until_ = std::max(command.step, playback_->first_step());
  if (*until_ == playback_->step()) arrive();
  return back;
}

}  // namespace aclgrad::live
