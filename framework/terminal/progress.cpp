// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/tensor/plain_text.h"
#include "aclgrad/terminal.h"
#include "terminal/characters.h"

namespace aclgrad::report {
namespace {

constexpr double kRedrawInterval = 0.1;
constexpr int kBarCells = 24;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// "de_DE.UTF-8", "C.utf8@euro", "UTF-8": the C library takes the codeset's name in any case, with
// or without the hyphen.
bool is_utf8(std::string_view locale) {
  locale = locale.substr(0, locale.find('@'));
  std::string codeset;
  for (const char c : locale.substr(locale.find('.') + 1)) {  // all of it without a dot
    if (c != '-') codeset += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return codeset == "utf8";
}

bool locale_is_utf8() {
  // The first of these that is set decides, as for the C library.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    return is_utf8(value);
  }
  return false;
}

int columns_of_terminal(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string clock_text(double seconds) {
  if (!(seconds < 360000)) return "--:--";
  const int whole = static_cast<int>(std::lround(std::max(seconds, 0.0)));
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string repeated(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

/// The first `count` characters.
std::string cut(const std::string& text, std::size_t count) {
  std::size_t characters = 0;
  const auto end = std::ranges::find_if(
      text, [&](char c) { return (c & 0xC0) != 0x80 && ++characters > count; });
  return {text.begin(), end};
}

/// Progress must never stop the program: what cannot be written is dropped.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string progress_line(const Progress& progress, const ProgressStyle& style) {
  const double part =
      progress.total > 0
          ? std::clamp(static_cast<double>(progress.done) / static_cast<double>(progress.total),
                       0.0, 1.0)
          : 1.0;
  const bool complete = part >= 1;
  std::string before = plain_text(progress.title);
  if (!before.empty()) before += ' ';
  std::string bar;
  if (style.bar) {
    const int full = static_cast<int>(part * kBarCells);
    if (!style.unicode) bar += '[';
    bar += repeated(style.unicode ? "━" : "#", full);
    bar += repeated(style.unicode ? "╌" : "-", kBarCells - full);
    if (!style.unicode) bar += ']';
  }
  // Rounded down, so that 100% means that all is done.
  std::string after =
      fmt::format("{:3.0f}% {}/{}", std::floor(part * 100), progress.done, progress.total);
  if (complete) {
    after += " in " + clock_text(progress.elapsed_s);
  } else if (progress.done > progress.before) {
    const auto left = static_cast<double>(progress.total - progress.done);
    after += " ETA " + clock_text(progress.elapsed_s * left /
                                  static_cast<double>(progress.done - progress.before));
  } else {
    after += " ETA --:--";
  }
  if (!progress.note.empty()) after.append(" ").append(plain_text(progress.note));

  const std::size_t limit =
      style.columns < 1 ? std::string::npos : static_cast<std::size_t>(style.columns);
  // A bar that the line has no room for goes first.
  if (character_count(before) + character_count(bar) + 1 + character_count(after) > limit) {
    bar.clear();
  }
  const std::string gap = bar.empty() ? "" : " ";
  if (!style.colour || bar.empty()) return cut(before + bar + gap + after, limit);
  constexpr std::string_view kGreen = "\x1b[32m", kCyan = "\x1b[36m", kReset = "\x1b[0m";
  return cut(before, limit)
      .append(complete ? kGreen : kCyan)
      .append(bar)
      .append(kReset)
      .append(gap)
      .append(cut(after, limit));
}

ProgressBar::ProgressBar(std::int64_t total, ProgressOptions options)
    : options_(std::move(options)), start_(Clock::now()) {
  if (total < 0) {
    throw ValueError(fmt::format("progress needs a total of at least 0, got {}", total));
  }
  progress_.title = options_.title;
  progress_.total = total;
  progress_.before = options_.before;
  if (options_.mode == ProgressMode::automatic) {
    const std::string_view terminal = environment("TERM");
    const bool can_redraw =
        ::isatty(options_.descriptor) == 1 && !terminal.empty() && terminal != "dumb";
    options_.mode = can_redraw ? ProgressMode::redraw : ProgressMode::lines;
  }
  if (options_.mode == ProgressMode::redraw) {
    style_.colour = environment("NO_COLOR").empty();
    style_.unicode = locale_is_utf8();
  } else {
    style_.columns = 0;
    style_.bar = false;
  }
}

ProgressBar::~ProgressBar() {
  try {
    finish();
  } catch (...) {
    // Out of memory while unwinding: the line stays as it is.
  }
}

void ProgressBar::update(std::int64_t done, std::string_view note) {
  if (options_.mode == ProgressMode::off || finished_) return;
  progress_.done = done;
  progress_.note = note;
  current_ = false;
  const Clock::time_point now = Clock::now();
  const double interval =
      options_.mode == ProgressMode::redraw ? kRedrawInterval : options_.line_interval_s;
  if (drawn_ && std::chrono::duration<double>(now - drawn_at_).count() < interval) return;
  draw();
}

void ProgressBar::draw() {
  drawn_at_ = Clock::now();
  progress_.elapsed_s = std::chrono::duration<double>(drawn_at_ - start_).count();
  drawn_ = current_ = true;
  if (options_.mode == ProgressMode::redraw) {
    // One column is left free: some terminals wrap when the last one is used.
    style_.columns = columns_of_terminal(options_.descriptor) - 1;
    // Back to the start, text, and clear what a longer line left behind.
    write_all(options_.descriptor, fmt::format("\r{}\x1b[K", progress_line(progress_, style_)));
  } else {
    write_all(options_.descriptor, progress_line(progress_, style_) + "\n");
  }
}

void ProgressBar::finish() {
  if (options_.mode == ProgressMode::off || finished_) return;
  if (drawn_ && !current_) draw();
  if (drawn_ && options_.mode == ProgressMode::redraw) write_all(options_.descriptor, "\n");
  finished_ = true;
}

}  // namespace aclgrad::report
