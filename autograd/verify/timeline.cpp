// SPDX-License-Identifier: Apache-2.0
#include "verify/timeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "aclgrad/error.h"

namespace aclgrad::verify {
namespace {

void add_steps(Timeline& timeline, const RunJson& entry) {
  if (!entry.contains("losses")) return;
  const auto& losses = entry.at("losses");
  const std::int64_t first =
      entry.at("step").get<std::int64_t>() - static_cast<std::int64_t>(losses.size()) + 1;
  std::map<std::int64_t, std::string> rates;
  for (const RunJson& change : entry.at("rates")) {
    rates.emplace(change.at(0).get<std::int64_t>(), change.at(1).get<std::string>());
  }
  std::string rate;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const std::int64_t number = first + static_cast<std::int64_t>(i);
    if (const auto changed = rates.find(number); changed != rates.end()) rate = changed->second;
    Step& step = timeline.steps[number];
    step.loss = losses[i].get<std::string>();
    step.rate = rate;
    for (const auto& [name, hashes] : entry.at("batches").items()) {
      step.batch[name] = hashes.at(i).get<std::string>();
    }
  }
}

void add(Timeline& timeline, const RunJson& entry) {
  add_steps(timeline, entry);
  const std::int64_t step = entry.at("step");
  if (entry.contains("end")) {
    timeline.end = entry.at("end");
    if (entry.contains("why")) timeline.end += ": " + entry.at("why").get<std::string>();
    timeline.ended = step;
    return;
  }
  State state{.sha256 = entry.at("sha256"), .tensors = {}, .evaluation = {}};
  for (const auto& [name, hash] : entry.at("tensors").items()) state.tensors[name] = hash;
  if (entry.contains("evaluation")) state.evaluation = entry.at("evaluation");
  timeline.states[step] = std::move(state);
}

// What of two maps by names is another: the names, and the first one's two texts.
template <class Map, class Text>
std::optional<Parting> other_of(const Map& here, const Map& recorded, const Text& text) {
  std::vector<std::string> names;
  std::optional<Parting> first;
  const auto see = [&](const std::string& name, const std::string& ours,
                       const std::string& theirs) {
    if (ours == theirs) return;
    names.push_back("`" + name + "`");
    if (!first) first = Parting{.what = {}, .here = ours, .recorded = theirs};
  };
  for (const auto& [name, value] : recorded) {
    const auto found = here.find(name);
    see(name, found == here.end() ? "none" : text(found->second), text(value));
  }
  for (const auto& [name, value] : here) {
    if (!recorded.contains(name)) see(name, text(value), "none");
  }
  if (!first) return {};
  constexpr std::size_t kNamed = 6;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  first->what = fmt::format("{}{}", fmt::join(names, ", "),
                            more > 0 ? fmt::format(" and {} more", more) : "");
  return first;
}

std::optional<Parting> parting_of(const Step& here, const Step& recorded) {
  if (here.rate != recorded.rate) {
    return Parting{.what = "the learning rate", .here = here.rate, .recorded = recorded.rate};
  }
  const auto as_it_is = [](const std::string& hash) { return "hash " + hash; };
  if (auto other = other_of(here.batch, recorded.batch, as_it_is)) {
    other->what += " of the batch";
    return other;
  }
  if (here.loss == recorded.loss) return {};
  return Parting{.what = "the loss", .here = here.loss, .recorded = recorded.loss};
}

std::string hash_text(const RunJson& hash) {
  if (!hash.is_array() || hash.size() != 3) return hash.dump();
  return fmt::format("{} {} {}", hash[0].get<std::string>(), hash[1].dump(),
                     hash[2].get<std::string>().substr(0, 16));
}

std::optional<Parting> parting_of(const State& here, const State& recorded) {
  if (auto other = other_of(here.tensors, recorded.tensors, hash_text)) return other;
  if (here.sha256 != recorded.sha256) {
    return Parting{.what = "the state", .here = here.sha256, .recorded = recorded.sha256};
  }
  if (!here.evaluation || !recorded.evaluation || here.evaluation == recorded.evaluation) return {};
  return Parting{.what = "the evaluation",
                 .here = here.evaluation->dump(),
                 .recorded = recorded.evaluation->dump()};
}

}  // namespace

Timeline read_timeline(const std::filesystem::path& path) {
  detail::RunFile file = detail::read_run_file(path);
  Timeline timeline;
  timeline.header = std::move(file.header);
  std::size_t number = 0;
  try {
    for (const RunJson& entry : file.entries) {
      ++number;
      add(timeline, entry);
    }
  } catch (const RunJson::exception& error) {
    throw IoError(
        fmt::format("{}: entry {} is no entry of a run: {}", path.string(), number, error.what()));
  }
  return timeline;
}

std::optional<Parting> first_parting(const Timeline& here, const Timeline& recorded, bool is_over) {
  std::int64_t equal = -1;
  const auto at = [&](Parting parting, std::int64_t step, bool is_begin = false) {
    parting.step = step;
    parting.equal = equal;
    parting.is_begin = is_begin;
    return parting;
  };
  std::vector<std::int64_t> numbers;
  for (const auto& [step, state] : here.states) numbers.push_back(step);
  for (const auto& [step, text] : here.steps) numbers.push_back(step);
  std::ranges::sort(numbers);
  const auto last = std::ranges::unique(numbers).begin();
  numbers.erase(last, numbers.end());
  for (const std::int64_t step : numbers) {
    const auto ours = here.steps.find(step), theirs = recorded.steps.find(step);
    const bool both = ours != here.steps.end() && theirs != recorded.steps.end();
    if (both) {
      if (auto parting = parting_of(ours->second, theirs->second)) return at(*parting, step);
    }
    const auto state = here.states.find(step), other = recorded.states.find(step);
    if (state == here.states.end() || other == recorded.states.end()) continue;
    if (auto parting = parting_of(state->second, other->second)) {
      return at(*parting, step, ours == here.steps.end() && theirs == recorded.steps.end());
    }
    equal = step;
  }
  if (!is_over || here.end.empty() || recorded.end.empty()) return {};
  if (here.ended == recorded.ended && here.end == recorded.end) return {};
  return at({.what = "the end of the run",
             .here = fmt::format("{} after step {}", here.end, here.ended),
             .recorded = fmt::format("{} after step {}", recorded.end, recorded.ended)},
            std::min(here.ended, recorded.ended) + 1);
}

}  // namespace aclgrad::verify
