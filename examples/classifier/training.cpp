// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/training.h"

#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>
#include <aclgrad/report.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>

#include "examples/classifier/probe.h"
#include "examples/classifier/stepper.h"

namespace {

using namespace aclgrad;

// What a run has to show beside its weights, as text in a checkpoint: bits of numbers, so that a
// resumed run prints and draws the very same.
std::string text_of(double sum, const std::vector<Epoch>& epochs) {
  std::string text = fmt::format("{:a}", sum);
  for (const Epoch& epoch : epochs) {
    text += fmt::format(" {:a} {:a} {:a}", epoch.loss, epoch.train_accuracy, epoch.test_accuracy);
  }
  return text;
}

void read_text(const std::string& text, double& sum, std::vector<Epoch>& epochs) {
  const char* at = text.c_str();
  const auto next = [&at] {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at || !std::isfinite(value)) {
      throw ValueError("the checkpoint's record of epochs is not whole");
    }
    at = end;
    return value;
  };
  sum = next();
  while (*at != '\0') {
    const double loss = next();
    const double train = next();
    epochs.push_back({loss, train, next()});
  }
}

Schedule schedule_of(const TrainingOptions& options, std::int64_t steps) {
  if (options.schedule == "constant") return schedule::constant(options.learning_rate);
  return schedule::cosine(options.learning_rate, steps / 20, steps, options.learning_rate / 100);
}

// What a checkpoint must agree about with the run that goes on from it.
std::string settings(const std::string& activation, const TrainingOptions& options) {
  return fmt::format("{}, {}, {} epochs, learning rate {} ({})", activation, options.dtype,
                     options.epochs, options.learning_rate, options.schedule);
}

class Run {
 public:
  Run(const std::string& activation, const Widths& widths, const data::Split& examples,
      const TrainingOptions& options, const Communicator& communicator, RunReport* report)
      : options_(options),
        communicator_(communicator),
        network_(make_network(activation, widths, options.seed)),
        batches_(examples.train,
                 {.batch_size = options.batch, .drop_last = true, .seed = options.seed},
                 communicator, options.micro_batches),
        stepper_(network_, widths.front(), options, batches_, communicator),
        total_(options.epochs * batches_.batches_per_epoch()),
        path_(checkpoint_path(activation, options)) {
    run_.activation = activation;
    if (report != nullptr) {
      watch_.emplace(Watch{*report, Probe(network_, batches_.part_size(), widths.front()),
                           Classifier(network_, examples.train, options.dtype),
                           Classifier(network_, examples.test, options.dtype)});
      describe(widths);
    }
    if (options.resume) resume();
  }

  TrainingRun run() {
    const Schedule rate = schedule_of(options_, total_);
    report::ProgressBar progress(total_, {.title = fmt::format("{:<9}", run_.activation)});
    while (step_ < total_) {
      const data::ShardedBatches::Epoch epoch = batches_.epoch(at_.epoch);
      while (step_ < total_ && at_.batch < epoch.size()) {
        if (options_.schedule != "constant") stepper_.set_learning_rate(rate(step_));
        const std::vector<data::Dataset> batch = epoch[at_.batch];
        if (watch_) {
          if (at_.batch == 0) watch_->probe.look(batch.front(), step_, watch_->report);
          watch_->report.point("Learning rate", "", static_cast<double>(step_), rate(step_));
        }
        one_step(batch);
        const bool last = at_.batch + 1 == epoch.size();
        ++step_;
        if (watch_) show(progress, last);
        at_ = batches_.after(at_);
        if (options_.checkpoint_every > 0 && step_ % options_.checkpoint_every == 0) save();
        if (last) break;
      }
    }
    if (!watch_) return {};
    progress.finish();
    return finished();
  }

 private:
  // What only the first rank does.
  struct Watch {
    RunReport& report;
    Probe probe;
    Classifier on_train;
    Classifier on_test;
  };

  void one_step(const std::vector<data::Dataset>& batch) {
    const auto begin = std::chrono::steady_clock::now();
    const double loss = stepper_.step(batch);
    run_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ++run_.steps;
    if (!std::isfinite(loss)) {
      throw Diverged(fmt::format("{}: the loss became {} in epoch {}; try a smaller --lr",
                                 run_.activation, loss, at_.epoch + 1));
    }
    sum_ += loss;
    if (watch_) watch_->report.point("Loss", "step", static_cast<double>(step_ + 1), loss);
  }

  void show(report::ProgressBar& progress, bool ends_epoch) {
    if (ends_epoch) end_epoch();
    const std::string state = state_text();
    progress.update(step_, state);
    watch_->report.progress(step_, total_, state);
  }

  void describe(const Widths& widths) {
    run_.parameters = network_.parameter_count();
    RunReport& report = watch_->report;
    report.setting("activation", run_.activation);
    report.setting("layers", fmt::format("{}", fmt::join(widths, "-")));
    report.setting("parameters", std::to_string(run_.parameters));
    report.setting("dtype", to_string(options_.dtype));
    report.setting("epochs", std::to_string(options_.epochs));
    report.setting("batch", std::to_string(options_.batch));
    report.setting("learning rate",
                   fmt::format("{} ({})", options_.learning_rate, options_.schedule));
    if (communicator_.size() > 1) {
      report.setting("ranks", std::to_string(communicator_.size()));
    }
    report.setting("seed", std::to_string(options_.seed));
    report.look("Loss", {.y_label = "cross-entropy", .log_y = true});
    report.look("Accuracy", {.y_label = "percent correct"});
    report.look("Gradient norms", {.y_label = "Euclidean norm", .log_y = true});
    report.look("Learning rate", {});
  }

  void report_epoch(const Epoch& epoch, std::int64_t step) {
    const auto x = static_cast<double>(step);
    watch_->report.point("Loss", "mean of epoch", x, epoch.loss);
    watch_->report.point("Accuracy", "train", x, 100 * epoch.train_accuracy);
    watch_->report.point("Accuracy", "test", x, 100 * epoch.test_accuracy);
  }

  void end_epoch() {
    run_.epochs.push_back({sum_ / static_cast<double>(batches_.batches_per_epoch()),
                           watch_->on_train.accuracy(), watch_->on_test.accuracy()});
    report_epoch(run_.epochs.back(), step_);
    sum_ = 0;
  }

  // The mean loss of the epoch so far, or of the one that just ended.
  std::string state_text() const {
    const bool ended = sum_ == 0 && !run_.epochs.empty();
    const double loss = ended ? run_.epochs.back().loss : sum_ / static_cast<double>(at_.batch + 1);
    if (run_.epochs.empty()) return fmt::format("loss {:.4f}", loss);
    return fmt::format("loss {:.4f}  acc {:.1f}%", loss, 100 * run_.epochs.back().test_accuracy);
  }

  void save() const {
    const NamedTensors tensors = stepper_.tensors();
    if (!watch_) return;
    save_checkpoint(path_, {.step = step_,
                            .position = at_,
                            .data_order = batches_.order().description(),
                            .notes = {{"settings", settings(run_.activation, options_)},
                                      {"epochs", text_of(sum_, run_.epochs)}},
                            .tensors = tensors});
  }

  // The first rank reads the checkpoint and hands on what is in it.
  void resume() {
    NamedTensors tensors;
    const bool found = !watch_ || load(tensors);
    struct {
      std::int64_t step, epoch, batch, found;
      double sum;
    } place{step_, static_cast<std::int64_t>(at_.epoch), at_.batch, found ? 1 : 0, sum_};
    communicator_.broadcast(std::as_writable_bytes(std::span(&place, 1)));
    if (place.found == 0) return;
    stepper_.restore(tensors);
    step_ = place.step;
    at_ = {static_cast<std::uint64_t>(place.epoch), place.batch};
    sum_ = place.sum;
  }

  bool load(NamedTensors& tensors) {
    const std::optional<Checkpoint> last = load_checkpoint(path_);
    if (!last) return false;
    if (!last->fallback_reason.empty()) {
      fmt::print(stderr, "{}; the checkpoint before it is whole\n", last->fallback_reason);
    }
    require_same_order(*last, batches_.order());
    const auto note = [&](const char* key) {
      const auto found = last->notes.find(key);
      return found == last->notes.end() ? std::string() : found->second;
    };
    const std::string now = settings(run_.activation, options_);
    if (note("settings") != now) {
      throw ValueError(fmt::format("{} was made with {}, but this run has {}", path_.string(),
                                   note("settings"), now));
    }
    tensors = last->tensors;
    read_text(note("epochs"), sum_, run_.epochs);
    require_same_place(*last);
    for (std::size_t i = 0; i < run_.epochs.size(); ++i) {
      report_epoch(run_.epochs[i], static_cast<std::int64_t>(i + 1) * batches_.batches_per_epoch());
    }
    step_ = last->step;
    watch_->report.setting("resumed", fmt::format("after step {}", step_));
    at_ = last->position;
    fmt::print(stderr, "{} goes on after step {} of {}\n", run_.activation, step_, total_);
    return true;
  }

  // The step says where the run was; the position and the finished epochs must be those of it.
  void require_same_place(const Checkpoint& last) const {
    const std::int64_t epochs = last.step / batches_.batches_per_epoch();
    const data::Position place{static_cast<std::uint64_t>(epochs),
                               last.step % batches_.batches_per_epoch()};
    if (last.step <= total_ && last.position == place &&
        run_.epochs.size() == static_cast<std::size_t>(epochs)) {
      return;
    }
    throw ValueError(fmt::format(
        "{}: step {} of {}, batch {} of epoch {} and {} finished epochs are not of one place",
        path_.string(), last.step, total_, last.position.batch, last.position.epoch,
        run_.epochs.size()));
  }

  TrainingRun finished() {
    run_.test_predictions = watch_->on_test.predict();
    for (const Variable& variable : network_.parameters()) {
      run_.weights.emplace_back(variable.name(), variable.value());
    }
    run_.graph_dot = stepper_.dot();
    return std::move(run_);
  }

  const TrainingOptions& options_;
  const Communicator& communicator_;
  Sequential network_;
  data::ShardedBatches batches_;
  Stepper stepper_;
  std::optional<Watch> watch_;
  std::int64_t total_;  // steps
  std::filesystem::path path_;
  std::int64_t step_ = 0;
  data::Position at_;
  double sum_ = 0;  // of the losses in this epoch
  TrainingRun run_;
};

}  // namespace

std::filesystem::path checkpoint_path(const std::string& activation,
                                      const TrainingOptions& options) {
  return options.out / fmt::format("checkpoint_{}.safetensors", activation);
}

TrainingRun train(const std::string& activation, const Widths& widths, const data::Split& examples,
                  const TrainingOptions& options, const Communicator& communicator,
                  RunReport* report) {
  return Run(activation, widths, examples, options, communicator, report).run();
}
