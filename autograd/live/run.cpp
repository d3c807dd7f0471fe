// SPDX-License-Identifier: Apache-2.0
#include "live/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "aclgrad/error.h"
#include "page/document.h"
#include "report/svg.h"

namespace aclgrad::live {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenLooks = 33ms;  // while it plays
constexpr auto kGrace = 5s;           // for a page that is loaded anew
constexpr std::chrono::nanoseconds kIdle = 1s;

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

Run::Run(std::vector<Choice> choices, Maker make, Options options, Pages& pages)
    : choices_(checked(std::move(choices))),
      make_(std::move(make)),
      options_(std::move(options)),
      pages_(pages),
      playback_(made()) {}

std::unique_ptr<Playback> Run::made() {
  Chosen chosen;
  for (const Choice& choice : choices_) chosen[choice.name] = choice.now;
  std::shared_ptr<Network> network = make_(chosen);
  if (!network) throw ValueError("the function that makes a network returned none");
  return std::make_unique<Playback>(std::move(network), options_.history_bytes);
}

FrameFacts Run::facts() {
  return {++number_,   graphs_ + playback_->recordings(),
          playing_,    steps_per_second_,
          !following_, note_,
          watched_,    choices_,
          until_,      then_};
}

Answer Run::page() {
  try {
    playback_->refresh();
    return {200, page_html(*playback_, facts(), options_.title, options_.lessons)};
  } catch (const std::exception& error) {
    page::Document document;
    document.title = options_.title;
    document.body = "<p>" + report::xml_escape(error.what()) + "</p>";
    return {500, document.html()};
  }
}

// Brings every page up to date and returns what they got.
std::string Run::publish() {
  playback_->refresh();
  std::string frame = page::json_text(frame_json(*playback_, facts()));
  last_look_ = Clock::now();
  shown_ = playback_->step();
  pages_.publish(frame);
  return frame;
}

// What cannot be shown ends no training that the program does by itself.
bool Run::publish_or_say() {
  try {
    publish();
    return true;
  } catch (const std::exception& error) {
    last_look_ = Clock::now();
    pages_.say(error.what());
    return false;
  }
}

// ---- Training -----------------------------------------------------------------------------------

std::chrono::nanoseconds Run::tick() {
  if (playing_ && !stopped_) play();
  if (!playing_ || stopped_) return kIdle;
  const std::chrono::nanoseconds wait = std::min(until_next_step(), kIdle);
  const bool news = playback_->step() != shown_ && pages_.any();
  return news ? std::min(wait, until_next_look()) : wait;
}

// As many steps as fit between two looks, or until somebody asks. Up to 30 a second the page
// shows every one.
void Run::play() {
  const Clock::time_point end = Clock::now() + kBetweenLooks;
  try {
    // A page that was closed is no reason to go on until the machine is switched off.
    if (pages_.abandoned() > kGrace) {
      hold_playing("the last page was closed: training is held");
      return;
    }
    while (playing_ && until_next_step() == 0ns) {
      train();
      if (shows_each() || Clock::now() >= end || pages_.ask() || stopped_) break;
    }
    measure();
    // The last of them is for a page to come, too.
    const bool due = !playing_ || (until_next_look() == 0ns && pages_.any());
    if (playback_->step() != shown_ && due) publish();
  } catch (const std::exception& error) {
    // The next step cannot be done, or not be looked at: the page stays at the last that can.
    hold_playing(error.what());
  }
}

void Run::train() {
  if (per_second_ > 0) {
    constexpr double kMost = 24 * 3600;  // a clock's counter ends
    const auto between = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(kMost, 1 / per_second_)));
    next_step_ = std::max(next_step_ + between, Clock::now() - between);
  }
  const double loss = playback_->train();
  ++played_;
  if (until_ && playback_->step() >= *until_) arrive();
  if (std::isfinite(loss)) return;
  stop_retracing();
  playing_ = false;
  note_ = fmt::format("the loss of step {} is not finite: training is held", playback_->step());
}

bool Run::shows_each() const {
  return per_second_ > 0 && per_second_ * std::chrono::duration<double>(kBetweenLooks).count() <= 1;
}

// Where a page asked for so many steps a second.
std::chrono::nanoseconds Run::until_next_step() const {
  if (per_second_ <= 0) return 0ns;
  return std::max<std::chrono::nanoseconds>(0ns, next_step_ - Clock::now());
}

std::chrono::nanoseconds Run::until_next_look() const {
  if (shows_each()) return 0ns;
  return std::max<std::chrono::nanoseconds>(0ns, last_look_ + kBetweenLooks - Clock::now());
}

void Run::hold_playing(const std::string& note) {
  stop_retracing();
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

void Run::measure() {
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  constexpr double kWindow = 0.5;
  if (seconds < kWindow) return;
  steps_per_second_ = static_cast<double>(played_) / seconds;
  played_ = 0;
  since_ = Clock::now();
}

// The step that training was to go to: what a link has set by hand there comes last.
void Run::arrive() {
  const std::vector<Edit> edits = std::exchange(then_, {});
  stop_retracing();
  playing_ = false;
  for (const Edit& edit : edits) {
    try {
      playback_->set(edit.value, edit.index, edit.to);
    } catch (const std::exception& error) {
      note_ = error.what();
    }
  }
}

void Run::stop_retracing() {
  until_.reset();
  then_.clear();
  playback_->stop_retracing();
}

// ---- A run of fit() -----------------------------------------------------------------------------

void Run::begin_following() {
  following_ = true;
  playing_ = true;
  playback_->begin_following();
}

void Run::look_at(const data::Dataset& batch) {
  playback_->follow(batch);
  const bool shows = pages_.any() && (!playing_ || Clock::now() - last_look_ > kBetweenLooks);
  if (shows) publish_or_say();
}

void Run::go_on() {
  if (steps_wanted_ > 0) --steps_wanted_;
  ++played_;
  measure();
}

void Run::end_following(std::string note) {
  playing_ = following_ = false;
  steps_wanted_ = 0;
  note_ = std::move(note);
  playback_->begin_here();
  publish_or_say();
}

}  // namespace aclgrad::live
