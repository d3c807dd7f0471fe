// SPDX-License-Identifier: Apache-2.0
// What a program says on the terminal: progress, tables of text; and curves, as numbers that charts
// (report.h) draw. All texts may hold any bytes: what would break a line is replaced
// (plain_text.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aclgrad::report {

/// What a progress line says.
struct Progress {
  std::string title = {};
  std::int64_t done = 0;
  std::int64_t total = 0;
  double elapsed_s = 0;
  std::string note = {};    ///< free text, such as "loss 0.123 acc 97.5%"
  std::int64_t before = 0;  ///< what was done before the time began to count, by a run resumed
};

/// How progress_line() writes.
struct ProgressStyle {
  int columns = 80;  ///< the line is cut to this many characters; below 1 means no limit
  bool bar = true;
  bool unicode = false;
  bool colour = false;
};

/// One line without line end: "title [#####-----]  50% 5/10 ETA 0:07 loss 0.123", and the time used
/// instead of the one to come when all is done.
std::string progress_line(const Progress& progress, const ProgressStyle& style = {});

/// When and how a progress bar is written.
enum class ProgressMode {
  automatic,  ///< redraw on a terminal that can move its cursor (TERM is set and not "dumb"),
              ///< lines otherwise
  redraw,     ///< one line, drawn over
  lines,      ///< a new line now and then, for files and pipes
  off,
};

struct ProgressOptions {
  std::string title = {};
  ProgressMode mode = ProgressMode::automatic;
  int descriptor = 2;           ///< where to write, standard error
  double line_interval_s = 10;  ///< least time between lines; first and last always come
  std::int64_t before = 0;      ///< done already when it begins
};

/// Progress of a loop. Colours are used on a terminal unless NO_COLOR is set and not empty.
class ProgressBar {
 public:
  /// Throws ValueError when total is below 0.
  explicit ProgressBar(std::int64_t total, ProgressOptions options = {});
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();  ///< ends the line

  /// Says how much is done; cheap enough for every step, since it draws ten times a second at most.
  void update(std::int64_t done, std::string_view note = {});

  /// Draws the last state and ends the line; later calls do nothing.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void draw();

  Progress progress_;
  ProgressOptions options_;
  ProgressStyle style_;
  Clock::time_point start_;
  Clock::time_point drawn_at_;
  bool drawn_ = false;
  bool current_ = false;  ///< what was drawn last is the present state
  bool finished_ = false;
};

/// Columns of text, as wide as they must be; columns of numbers are set to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> headers);

  /// Throws ValueError when there are not as many cells as columns.
  void add_row(std::vector<std::string> cells);

  /// The lines, each with its end.
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the headers first
};

/// Points of a line or a cloud. Values that are not finite, or beyond 1e250, are left out and
/// interrupt a line.
struct Series {
  std::string name = {};  ///< for the legend, which an unnamed series does not enter
  std::vector<double> x = {};
  std::vector<double> y = {};  ///< as many as x, else svg() throws ShapeError
  std::string colour = {};
};

}  // namespace aclgrad::report
