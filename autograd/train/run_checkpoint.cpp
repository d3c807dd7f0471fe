// SPDX-License-Identifier: Apache-2.0
#include "train/run_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"

namespace aclgrad::detail {
namespace {

constexpr std::string_view kBest = "@best@", kOldBest = "best.";
constexpr const char* kProgress = "progress";
constexpr const char* kMadeWith = "made_with";

// Moves the best weights out of a run's tensors. In those of old names a part of the model may be
// called "best", too: its tensors have no namesakes without that.
NamedTensors take_best(NamedTensors& tensors) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : tensors) names.insert(name);
  const bool is_new =
      std::ranges::any_of(names, [](const std::string& name) { return name.starts_with(kBest); });
  const std::string_view prefix = is_new ? kBest : kOldBest;
  NamedTensors best;
  std::erase_if(tensors, [&](auto& named) {
    if (!named.first.starts_with(prefix)) return false;
    std::string name = named.first.substr(prefix.size());
    if (!names.contains(name)) return false;
    best.emplace_back(std::move(name), std::move(named.second));
    return true;
  });
  return best;
}

}  // namespace

RunCheckpoint::RunCheckpoint(const data::Batches& batches, const FitOptions& options)
    : batches_(batches), options_(options), path_(absolute_path(options.checkpoint)) {}

void RunCheckpoint::require_writable() const { require_checkpoint_writable(path_); }

// What a run that goes on must have, too.
std::string RunCheckpoint::made_with() const {
  std::vector<std::string> all;
  for (const auto& [name, text] : options_.settings) all.push_back(name + " " + text);
  for (const Metric& metric : options_.metrics) all.push_back("metric " + metric.name);
  if (!options_.monitor.empty()) all.push_back("monitor " + options_.monitor);
  return fmt::format("{}", fmt::join(all, ", "));
}

void RunCheckpoint::save(const RunState& state, NamedTensors tensors,
                         const NamedTensors& best) const {
  for (const auto& [name, tensor] : best) {
    tensors.emplace_back(std::string(kBest) + name, tensor);
  }
  save_checkpoint(path_, {.step = state.step,
                          .position = state.next,
                          .data_order = batches_.description(),
                          .notes = {{kProgress, to_json(state)}, {kMadeWith, made_with()}},
                          .tensors = std::move(tensors)});
}

RunCheckpoint::Loaded RunCheckpoint::load() const {
  std::optional<Checkpoint> last = load_checkpoint(path_);
  if (!last) return {};
  if (!last->fallback_reason.empty()) {
    fmt::print(stderr, "{}; the checkpoint before it is whole\n", last->fallback_reason);
  }
  require_same_order(*last, batches_);
  if (last->notes[kMadeWith] != made_with()) {
    const auto named = [](const std::string& all) {
      return all.empty() ? "no settings and no metrics" : all;
    };
    throw ValueError(fmt::format("{} was made with {}, but this run has {}", path_.string(),
                                 named(last->notes[kMadeWith]), named(made_with())));
  }
  Loaded loaded{.progress = last->notes[kProgress], .checkpoint = std::move(*last), .best = {}};
  const Checkpoint& whole = loaded.checkpoint;
  const RunState state = run_state_from(loaded.progress, options_.metrics.size());
  if (whole.step != state.step || whole.position != state.next || state.begin > state.step) {
    throw ValueError(fmt::format(
        "{}: step {}, batch {} of epoch {} and a record of {} steps are not of one place",
        path_.string(), whole.step, whole.position.batch, whole.position.epoch, state.step));
  }
  if (state.has_best) loaded.best = take_best(loaded.checkpoint.tensors);
  return loaded;
}

}  // namespace aclgrad::detail
