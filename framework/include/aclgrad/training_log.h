// SPDX-License-Identifier: Apache-2.0
// TrainingLog: what fit() and Trainer::observe() (trainer.h) tell of a run, step by step. RunReport
// (run_report.h) makes a page of it; a class of one's own can write it anywhere else:
//
//   struct Csv : TrainingLog {
//     void point(const std::string& chart, const std::string& curve, double x, double y) override {
//       fmt::print(file, "{},{},{},{}\n", chart, curve, x, y);
//     }
//   };
#pragma once

#include <cstdint>
#include <string>

#include "aclgrad/tensor.h"

namespace aclgrad {

/// How a curve is to be drawn.
struct ChartLook {
  std::string x_label = "step";
  std::string y_label = {};
  bool log_y = false;
};

class TrainingLog {
 public:
  TrainingLog() = default;
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;
  virtual ~TrainingLog() = default;

  /// A point of a curve in a chart; a chart of one curve leaves `curve` empty.
  virtual void point(const std::string& chart, const std::string& curve, double x, double y) = 0;
  virtual void look(const std::string& /*chart*/, ChartLook /*look*/) {}

  /// Something that holds for the whole run; a later one of the same name replaces it.
  virtual void setting(const std::string& /*name*/, std::string /*text*/) {}

  /// A step that curves are marked at, such as the best evaluation; a later one of the same name
  /// replaces it.
  virtual void mark(const std::string& /*name*/, double /*x*/) {}

  /// A layer's outputs, [..., units].
  virtual void activations(const std::string& /*layer*/, std::int64_t /*step*/,
                           const Tensor& /*outputs*/) {}

  /// How far the run is, in steps. Called once before the first step, too.
  virtual void progress(std::int64_t /*done*/, std::int64_t /*total*/, std::string /*note*/) {}

  /// The training has ended, and was not broken off. More may come all the same.
  virtual void finish() {}

  /// The training was broken off by an exception with this text, which goes on.
  virtual void fail(const std::string& /*why*/) {}
};

}  // namespace aclgrad
