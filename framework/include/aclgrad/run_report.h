// SPDX-License-Identifier: Apache-2.0
// RunReport: one HTML page about one training run, written while it runs, so that a reload shows
// how far it is; and a page that compares several runs. Pages need no network.
//
//   RunReport report("out/report.html", {.title = "selu, seed 1"});
//   report.setting("learning rate", "0.005");
//   for (std::int64_t step = 1; step <= steps; ++step) {
//     ...
//     report.point("Loss", "train", step, loss);
//     if (step % 100 == 0) report.activations("hidden1", step, results[hidden]);
//     report.progress(step, steps);                 // writes now and then
//   }
//   report.picture("Confusion", heatmap.svg());
//   report.finish();                                // writes, and says that the run has ended
//
// While the run lasts browsers load the page anew by themselves. A report for one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/report.h"
#include "aclgrad/tensor.h"
#include "aclgrad/training_log.h"

namespace aclgrad {

/// The outputs of one layer for one batch, at one step.
struct ActivationSummary {
  std::int64_t step = 0;
  double mean = 0;    ///< this and the next over all finite elements
  double stddev = 0;  ///< standard deviation
  double low = 0;
  double high = 0;
  std::int64_t units = 0;      ///< the last extent
  std::int64_t dead = 0;       ///< units that give one number, to a millionth of the layer's range,
                               ///< whatever the example
  std::int64_t exploding = 0;  ///< units with an element that is not finite, or a root mean square
                               ///< over a hundred times that of the layer when it was first seen,
                               ///< and over 100
  double layer_rms = 0;        ///< root mean square of the layer
  std::vector<double> shares = {};  ///< of the elements in equal bins from `low` to `high`
};

/// `first_rms` is the layer's root mean square when it was first seen; 0 when that is now. Throws
/// ShapeError for a tensor without elements.
ActivationSummary summarize_activations(const Tensor& outputs, std::int64_t step,
                                        double first_rms = 0);

/// All that is known of a run, in the order in which it came.
struct RunRecord {
  enum class State { running, finished, stopped, failed };

  struct Chart {
    std::string title;
    std::string x_label = "step";
    std::string y_label = {};
    bool log_y = false;
    std::vector<report::Series> series = {};
    std::int64_t values_per_point = 1;  ///< the points of long curves are means of up to so many
  };
  struct Layer {
    std::string name;
    std::vector<ActivationSummary> history = {};
  };

  std::string title;
  std::string page = {};  ///< file name of the run's own page; "" for none
  State state = State::running;
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::string note = {};
  std::string failure = {};  ///< of one that has failed, what it was
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::vector<Chart> charts = {};
  std::vector<Layer> layers = {};
  std::vector<std::pair<std::string, double>> marks = {};  ///< names and steps
};

struct RunReportOptions {
  std::string title = "Run";
  double write_every_s = 2;  ///< least time between two writes by progress(), at least 0
};

class RunReport : public TrainingLog {
 public:
  /// Writes nothing yet; the folder must exist by the first write. A relative path is one from the
  /// folder that the program is in now. Throws ValueError for options outside their range.
  explicit RunReport(const std::filesystem::path& path, RunReportOptions options = {});
  /// A run that was not finished has stopped, or failed where an exception ends the report; the
  /// page, where there is one, says so. One that nothing catches is written before it ends the
  /// program, where the report was made by the thread that throws.
  ~RunReport() override;

  /// A line of the table at the top; a later one of the same name replaces it.
  void setting(const std::string& name, std::string text) override;

  /// Adds a point to a curve. Charts and curves appear in the order of their first mention. A curve
  /// keeps at most 2048 points: of a longer one each is the mean of as many values as needed, but
  /// for the latest value, which is kept as it is.
  void point(const std::string& chart, const std::string& curve, double x, double y) override;
  void look(const std::string& chart, ChartLook look) override;

  void mark(const std::string& name, double x) override;

  /// Adds a layer's outputs, [..., units], to its history. Throws ShapeError for an empty tensor.
  void activations(const std::string& layer, std::int64_t step, const Tensor& outputs) override;

  /// Puts an SVG document (report.h makes them) on the page, in the place of an earlier one of the
  /// same title.
  void picture(const std::string& title, std::string svg);

  /// Says how far the run is, and writes the page when the last write was long enough ago. Throws
  /// IoError.
  void progress(std::int64_t done, std::int64_t total, std::string note = {}) override;

  /// Writes the page of a run that has ended; what comes later needs another finish(). Throws
  /// IoError.
  void finish() override;

  /// Writes the page of a run that an exception has ended, with its text; fit() does. Training that
  /// goes on is running again. Throws IoError.
  void fail(const std::string& why) override;

  /// Writes the page now. Throws IoError.
  void write();

  std::string html() const;
  const RunRecord& record() const { return record_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// The values that the last point of a curve will stand for.
  struct Pending {
    std::int64_t values_per_point = 1;
    std::int64_t count = 0;
    double x = 0;  // sums
    double y = 0;
  };

  std::filesystem::path path_;
  RunReportOptions options_;
  RunRecord record_;
  std::map<std::pair<std::string, std::string>, Pending> pending_;  // by chart and curve
  std::vector<std::pair<std::string, std::string>> pictures_;
  Clock::time_point written_at_ = {};
  bool written_ = false;
  int exceptions_;  // on their way when the report was made
};

/// What a page written by a RunReport says of its run. Throws IoError for a file that cannot be
/// read, ValueError for one that is no such page.
RunRecord read_run(const std::filesystem::path& page);

/// A page with a chart for every curve that any of the runs has, a line a run, and a table of their
/// settings and last values.
std::string compare_runs(const std::string& title, std::span<const RunRecord> runs);

}  // namespace aclgrad
