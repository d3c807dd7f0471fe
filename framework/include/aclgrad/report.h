// SPDX-License-Identifier: Apache-2.0
// Showing results: progress on the terminal, text tables, and pictures as self-contained SVG text.
// A picture is a plain struct to fill in (members carry a default, so any of them may be left out);
// svg() draws it, write_file_atomically (aclgrad/file.h) stores it. All texts may hold any
// characters. Colours are SVG colours such as "#0072B2" or "tomato"; an empty colour takes the next
// one of a palette that colour-blind people can tell apart.
//
//   report::LineChart chart{.title = "Training", .x_label = "epoch", .y_label = "loss"};
//   chart.series.push_back({.name = "train", .x = epochs, .y = losses});
//   write_file_atomically("training.svg", chart.svg());
#ifndef ACLGRAD_REPORT_H_
#define ACLGRAD_REPORT_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aclgrad/tensor.h"

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

struct ProgressStyle {
  int columns = 80;  ///< the line is cut to this many characters; below 1 means no limit
  bool bar = true;
  bool unicode = false;
  bool colour = false;
};

/// One line without line end: "title [#####-----]  50% 5/10 ETA 0:07 loss 0.123", and the time used
/// instead of the one to come when all is done.
std::string progress_line(const Progress& progress, const ProgressStyle& style = {});

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
  std::vector<double> y;  ///< as many as x, else svg() throws ShapeError
  std::string colour = {};
};

struct LineChart {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Series> series = {};
  bool log_y = false;  ///< decades; values that are not positive are left out
  double width = 720;
  double height = 440;

  std::string svg() const;
};

/// A table of numbers in colours. Throws ShapeError when labels or values do not fit.
struct Heatmap {
  std::string title = {};
  std::string row_title = {};
  std::string column_title = {};
  std::vector<std::string> row_labels = {};
  std::vector<std::string> column_labels = {};
  Tensor values = {};      ///< [rows, columns]
  bool confusion = false;  ///< counts: diagonal framed and blue, everything beside it orange

  std::string svg() const;
};

/// counts[i][j]: how many examples of class i were taken for class j; int64 [classes, classes].
/// Throws ShapeError for tensors that are not rank 1 and equally long, ValueError for a value that
/// is not a class.
Tensor confusion_matrix(const Tensor& actual, const Tensor& predicted, std::int64_t classes);

struct GridImage {
  Tensor pixels = {};  ///< [height, width]
  std::string caption = {};
  std::string colour = {};  ///< of the caption; dark grey when empty
};

/// Small grey images with captions. Throws ShapeError for images that are not rank 2.
struct ImageGrid {
  std::string title = {};
  std::vector<GridImage> images = {};
  int columns = 8;
  double light = 0;  ///< the value drawn white
  double dark = 1;   ///< the value drawn black; smaller than `light` for light ink on dark ground

  std::string svg() const;
};

/// A function of two variables as a coloured plane, with clouds of points on it.
struct DecisionMap {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::array<double, 2> x_range = {-1, 1};
  std::array<double, 2> y_range = {-1, 1};
  Tensor field = {};  ///< [rows, columns] at the centres of equal cells, row 0 at the lowest y; may
                      ///< be empty
  std::array<double, 2> field_range = {0, 1};  ///< values drawn in the first and second colour
  std::array<std::string, 2> field_colours = {"#0072B2", "#D55E00"};  ///< in hexadecimal
  std::vector<Series> points = {};  ///< an empty colour takes the field's colours in turn

  std::string svg() const;
};

}  // namespace aclgrad::report

#endif  // ACLGRAD_REPORT_H_
