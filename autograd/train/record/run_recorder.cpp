// SPDX-License-Identifier: Apache-2.0
#include "train/record/run_recorder.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "tensor/fnv1a.h"
#include "train/record/run_header.h"

namespace aclgrad::detail {
namespace {

std::filesystem::path record_path(const FitOptions& options) {
  if (options.record) return absolute_path(*options.record);
  if (options.checkpoint.empty()) return {};
  return absolute_path(options.checkpoint) += ".run.json";
}

// The entries up to this one of the record of a run that is gone on with; none where there is no
// record with such an entry.
std::vector<RunJson> entries_until(const std::filesystem::path& path, const RunJson& last) {
  try {
    RunFile file = read_run_file(path);
    std::vector<RunJson> kept;
    for (RunJson& entry : file.entries) {
      if (entry.contains("end") || entry.at("step") > last.at("step")) continue;
      kept.push_back(std::move(entry));
    }
    const bool reaches = !kept.empty() && kept.back().at("step") == last.at("step") &&
                         kept.back().at("sha256") == last.at("sha256");
    return reaches ? kept : std::vector<RunJson>();
  } catch (const IoError&) {
    return {};
  } catch (const RunJson::exception&) {
    return {};
  }
}

}  // namespace

RunRecorder::RunRecorder(Trainer& trainer, const data::Batches& batches, const FitOptions& options,
                         const FitCall& call)
    : trainer_(trainer),
      ranks_(trainer.ranks()),
      batches_(batches),
      options_(options),
      call_(call),
      path_(record_path(options)) {}

void RunRecorder::require_writable() const { aclgrad::require_writable(path_); }

RunJson RunRecorder::header(std::int64_t total, std::int64_t evaluate_every) const {
  RunJson settings = RunJson::object();
  for (const auto& [name, text] : options_.settings) settings[name] = text;
  RunJson metrics = RunJson::array();
  for (const Metric& metric : options_.metrics) metrics.push_back(metric.name);
  RunJson fit;
  fit["call"] = call_.number();
  fit["steps"] = total;
  fit["evaluate_every"] = evaluate_every;
  fit["ranks"] = ranks_.size();
  fit["micro_batches"] = trainer_.micro_batches().count();
  fit["parameters"] = trainer_.model().parameter_count();
  fit["metrics"] = std::move(metrics);
  fit["checkpoint"] = absolute_path(options_.checkpoint).string();
  RunJson json;
  json["format"] = kRunFormat;
  json["title"] = options_.title;
  json["made_by"] = made_by();
  json["program"] = this_program();
  json["fit"] = std::move(fit);
  json["settings"] = std::move(settings);
  json["data"] = batches_.description();
  json["validation"] = options_.validation ? hash_of(*options_.validation) : RunJson();
  return json;
}

void RunRecorder::begin(std::int64_t total, std::int64_t evaluate_every, bool resumed) {
  if (path_.empty()) return;
  first_step_ = trainer_.steps() + 1;
  const NamedTensors state = trainer_.tensors();
  ranks_.on_first([&] {
    RunJson entry = {{"step", trainer_.steps()}};
    entry.update(hash_of(state));
    std::vector<RunJson> kept;
    if (resumed) kept = entries_until(path_, entry);
    if (kept.empty()) kept.push_back(std::move(entry));
    file_ = std::make_unique<RunFileWriter>(path_, header(total, evaluate_every), kept);
  });
}

void RunRecorder::before_step(const data::Dataset& batch) {
  if (path_.empty()) return;
  const VerifyRequest* const request = call_.request();
  if (request != nullptr && request->values == trainer_.steps() + 1) {
    values_ = std::make_unique<StepValues>(trainer_, batch);
  }
  rates_.push_back(trainer_.learning_rate());
  std::vector<std::pair<std::string, std::uint64_t>> hashes;
  if (ranks_.is_first()) {
    for (const auto& [name, tensor] : batch.tensors()) {
      hashes.emplace_back(name, fnv1a_of_words({tensor->bytes(), tensor->nbytes()}));
    }
  }
  batches_read_.push_back(std::move(hashes));
}

void RunRecorder::after_step(double loss) {
  if (path_.empty()) return;
  losses_.push_back(loss);
  if (!values_) return;
  const NamedTensors state = trainer_.tensors();
  ranks_.on_first([&] { values_->save(call_.request()->values_file, state); });
  values_.reset();
}

// A rate stands where it changes.
RunJson RunRecorder::steps_so_far() {
  RunJson losses = RunJson::array(), rates = RunJson::array();
  for (const double loss : losses_) losses.push_back(number_text(loss));
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    if (i > 0 && rates_[i] == rates_[i - 1]) continue;
    rates.push_back({first_step_ + static_cast<std::int64_t>(i), number_text(rates_[i])});
  }
  std::set<std::string> names;
  for (const auto& batch : batches_read_) {
    for (const auto& [name, hash] : batch) names.insert(name);
  }
  RunJson batches = RunJson::object();
  for (const std::string& name : names) {
    RunJson& hashes = batches[name] = RunJson::array();
    for (const auto& batch : batches_read_) {
      std::string text;
      for (const auto& [part, hash] : batch) {
        if (part == name) text = fmt::format("{:016x}", hash);
      }
      hashes.push_back(std::move(text));
    }
  }
  return {
      {"losses", std::move(losses)}, {"rates", std::move(rates)}, {"batches", std::move(batches)}};
}

void RunRecorder::end_step(const Evaluation* evaluation, bool saves) {
  if (path_.empty()) return;
  const std::int64_t step = trainer_.steps();
  const VerifyRequest* const request = call_.request();
  const bool is_wanted = (request != nullptr && request->first <= step && step <= request->last) ||
                         (options_.record_every > 0 && step % options_.record_every == 0) ||
                         has_enough();
  if (evaluation == nullptr && !saves && !is_wanted) return;
  const NamedTensors state = trainer_.tensors();
  ranks_.on_first([&] {
    RunJson entry = {{"step", step}};
    entry.update(steps_so_far());
    if (evaluation != nullptr) {
      RunJson metrics = RunJson::array();
      for (const double metric : evaluation->metrics) metrics.push_back(number_text(metric));
      entry["evaluation"] = {{"loss", number_text(evaluation->loss)},
                             {"validation_loss", number_text(evaluation->validation_loss)},
                             {"metrics", std::move(metrics)}};
    }
    entry.update(hash_of(state));
    file_->append(entry);
  });
  first_step_ = step + 1;
  losses_.clear();
  rates_.clear();
  batches_read_.clear();
}

bool RunRecorder::has_enough() const {
  const VerifyRequest* const request = call_.request();
  return request != nullptr && request->until >= 0 && trainer_.steps() >= request->until;
}

// The steps that no entry has yet are those of a run that was broken off.
void RunRecorder::end(const RunJson& how) {
  RunJson entry = {{"step", trainer_.steps()}};
  if (!losses_.empty()) entry.update(steps_so_far());
  entry.update(how);
  file_->append(entry);
}

void RunRecorder::finish() {
  if (file_) end({{"end", has_enough() ? "stopped by aclgrad-verify" : "finished"}});
}

void RunRecorder::fail(const std::string& why) noexcept {
  try {
    if (file_) end({{"end", "failed"}, {"why", why}});
  } catch (const std::exception&) {
    // What ended the run gets through.
  }
}

}  // namespace aclgrad::detail
