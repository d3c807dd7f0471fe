// SPDX-License-Identifier: Apache-2.0
#include "verify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <cstdio>
#include <limits>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "aclgrad/io/safetensors.h"
#include "verify/program.h"
#include "verify/step_comparison.h"
#include "verify/timeline.h"

namespace aclgrad::verify {
namespace {

namespace fs = std::filesystem;
using detail::VerifyRequest;

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "aclgrad-verify-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw IoError(pattern + ": cannot make a folder");
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string text_at(const RunJson& json, const char* pointer) {
  const RunJson::json_pointer at(pointer);
  if (!json.contains(at)) return "";
  const RunJson& value = json.at(at);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

class Verification {
 public:
  explicit Verification(const Options& options)
      : options_(options), recorded_(read_timeline(options.record)) {
    try {
      const RunJson& program = recorded_.header.at("program");
      theirs_.command = program.at("command").get<std::vector<std::string>>();
      theirs_.folder = program.at("folder").get<std::string>();
      for (const auto& [name, text] : program.at("environment").items()) {
        theirs_.environment[name] = text.get<std::string>();
      }
      theirs_.is_recorded = true;
      asked_.fit = recorded_.header.at("fit").at("call");
    } catch (const RunJson::exception& error) {
      throw IoError(
          fmt::format("{}: is no record of a run: {}", options.record.string(), error.what()));
    }
    if (recorded_.states.empty()) throw IoError(options.record.string() + ": has no state");
    begin_ = recorded_.states.begin()->first;
    ours_ = theirs_;
    ours_.is_recorded = false;
    if (!options.command.empty()) {
      ours_.command = options.command;
      ours_.folder.clear();
    }
    if (!options.folder.empty()) ours_.folder = theirs_.folder = options.folder;
    if (ours_.command.empty()) {
      throw ValueError("the record has no command line: give the program after --");
    }
    asked_.record = (scratch_.path() / "run.json").string();
    if (options.from) asked_.from = checkpoint_of(*options.from);
  }

  Verdict run() {
    fmt::print("{}: {} steps, recorded on {}, {} threads, aclgrad {}\n", options_.record.string(),
               text_at(recorded_.header, "/fit/steps"),
               text_at(recorded_.header, "/made_by/processor"),
               text_at(recorded_.header, "/made_by/threads"),
               text_at(recorded_.header, "/made_by/aclgrad"));
    return options_.at ? look_at(*options_.at) : train_again();
  }

 private:
  // The file of the two that a run leaves which is of this step.
  std::string checkpoint_of(std::int64_t step) const {
    const std::string name = options_.checkpoint.empty()
                                 ? text_at(recorded_.header, "/fit/checkpoint")
                                 : absolute_path(options_.checkpoint).string();
    if (name.empty()) throw ValueError("the run has no checkpoint: give one with --checkpoint");
    std::vector<std::string> found;
    for (const std::string& path : {name, name + ".previous"}) {
      std::error_code ignored;
      if (!fs::exists(path, ignored)) continue;
      const Metadata metadata = load_safetensors(path).metadata;
      const auto its = metadata.find("step");
      if (its != metadata.end() && its->second == std::to_string(step)) return path;
      found.push_back(
          fmt::format("{} is of step {}", path, its == metadata.end() ? "none" : its->second));
    }
    throw ValueError(fmt::format(
        "there is no checkpoint of step {}: {}", step,
        found.empty() ? name + " is not there" : fmt::format("{}", fmt::join(found, ", "))));
  }

  void say(const std::string& text) const {
    if (options_.quiet) return;
    fmt::print(stderr, "{}\n", text);
  }

  // What is not the same around the two runs, before anything else is blamed.
  void note_other_settings(const Timeline& here) const {
    constexpr std::array<std::pair<const char*, const char*>, 10> kNotes = {
        {{"/made_by/processor", "processor"},
         {"/made_by/aclgrad", "aclgrad"},
         {"/made_by/compiler", "compiler"},
         {"/made_by/threads", "threads"},
         {"/fit/ranks", "ranks"},
         {"/fit/micro_batches", "micro-batches"},
         {"/fit/steps", "steps"},
         {"/fit/evaluate_every", "steps between evaluations"},
         {"/data", "data"},
         {"/validation", "examples for validation"}}};
    const auto note = [](const std::string& name, const std::string& ours,
                         const std::string& theirs) {
      if (ours != theirs) fmt::print("note: {}: here {}, recorded {}\n", name, ours, theirs);
    };
    for (const auto& [pointer, name] : kNotes) {
      note(name, text_at(here.header, pointer), text_at(recorded_.header, pointer));
    }
    for (const char* kind : {"settings", "made_by/builds"}) {
      const RunJson::json_pointer at(std::string("/") + kind);
      const RunJson ours = here.header.value(at, RunJson::object());
      const RunJson theirs = recorded_.header.value(at, RunJson::object());
      const std::string word = std::string(kind) == "settings" ? "setting" : "build of";
      for (const auto& [name, value] : theirs.items()) {
        note(fmt::format("{} {}", word, name), ours.value(name, "none"), value);
      }
    }
  }

  Verdict train_again() {
    VerifyRequest request = asked_;
    if (!options_.write.empty()) request.record = absolute_path(options_.write).string();
    if (options_.until) request.until = *options_.until;
    const bool has_every_step = recorded_.states.size() > recorded_.steps.size();
    if (options_.every_step || has_every_step) {
      request.first = 0;
      request.last = std::numeric_limits<std::int64_t>::max();
    }
    std::int64_t said = -1;
    std::int64_t equal = 0;
    bool noted = false;
    const auto look = [&](const Timeline& here) {
      if (!std::exchange(noted, true)) note_other_settings(here);
      const std::optional<Parting> parting = first_parting(here, recorded_, false);
      for (const auto& [step, state] : here.states) {
        if (step <= said || !recorded_.states.contains(step)) continue;
        if (parting && step >= parting->step) break;
        said = step;
        ++equal;
        fmt::print("step {}: equal{}\n", step,
                   state.evaluation ? ", loss " + text_at(*state.evaluation, "/loss") : "");
      }
      std::fflush(stdout);
      return !parting || !options_.write.empty();
    };
    const Timeline here = run_program(ours_, request, scratch_.path(), look);
    const std::optional<Parting> parting = first_parting(here, recorded_, !options_.until);
    if (!options_.write.empty()) fmt::print("the record of this run is {}\n", request.record);
    if (parting) {
      find_first(*parting);
      return Verdict::parted;
    }
    if (equal == 0) throw Error("this run has no step whose state was recorded");
    if (here.end.empty()) throw Error("the program ended before its run of fit() did");
    fmt::print("equal: {} states up to step {}, bit for bit\n", equal, said);
    return Verdict::equal;
  }

  static std::string text_of(const Parting& parting) {
    return fmt::format("{}: here {}, recorded {}", parting.what, parting.here, parting.recorded);
  }
  static std::string place_of(const Parting& parting) {
    return parting.is_begin ? fmt::format("before step {}", parting.step + 1)
                            : fmt::format("step {}", parting.step);
  }

  void find_first(const Parting& parting) {
    fmt::print("{}: parted: {}\n", place_of(parting), text_of(parting));
    std::fflush(stdout);
    const bool is_end = !recorded_.steps.contains(parting.step) && !parting.is_begin;
    if (is_end || theirs_.command.empty()) return;
    try {
      look_closer(parting);
    } catch (const Error& error) {
      fmt::print("more is not known, as the two programs cannot be compared here: {}\n",
                 error.what());
    }
  }

  // Both programs again, with the state after every step that may be the first.
  void look_closer(const Parting& parting) {
    Parting first = parting;
    if (!parting.is_begin) {
      VerifyRequest request = asked_;
      request.first = parting.equal + 1;
      request.last = request.until = parting.step;
      say(fmt::format("training again, both programs, for the states after steps {} to {}",
                      request.first, request.last));
      const Timeline here = run_program(ours_, request, scratch_.path());
      const Timeline theirs = run_program(theirs_, request, scratch_.path());
      if (const auto other = first_parting(theirs, recorded_, false)) {
        fmt::print(
            "the recorded program parts from its record here, too, at {}: {}\n"
            "it, its libraries or the processor are not what they were, and the record "
            "alone tells no more; where it was made, `aclgrad-verify RECORD --every-step "
            "--write FILE` makes one that has every step\n",
            place_of(*other), text_of(*other));
        return;
      }
      const std::optional<Parting> found = first_parting(here, theirs, false);
      if (!found) {
        fmt::print("trained once more, this run was equal: it is not the same each time\n");
        return;
      }
      first = *found;
    }
    fmt::print("first difference: {}: {}\n", place_of(first), text_of(first));
    std::fflush(stdout);
    compare_at(first.is_begin ? first.step + 1 : first.step);
  }

  fs::path folder_of(std::int64_t step) const {
    fs::path folder = options_.out.empty()
                          ? absolute_path(options_.record) += fmt::format(".step-{}", step)
                          : absolute_path(options_.out);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw IoError(folder.string() + ": cannot be made: " + error.message());
    return folder;
  }

  // The values of a step, and its page.
  fs::path write_step(const Program& program, std::int64_t step, const char* name) {
    VerifyRequest request = asked_;
    request.values = request.until = step;
    request.values_file = (folder_of(step) / name).string() + ".safetensors";
    std::error_code ignored;
    fs::remove(request.values_file, ignored);
    const Timeline timeline = run_program(program, request, scratch_.path());
    if (!fs::exists(request.values_file)) {
      throw Error(fmt::format("step {} was not reached: the run ended after step {} ({})", step,
                              timeline.ended, timeline.end));
    }
    const std::string page = request.values_file + ".html";
    fmt::print("  values of step {}: {}\n", step, request.values_file);
    if (fs::exists(page)) {
      fmt::print("  page: {}\n", page);
    } else {
      fmt::print("  no page: the program does not call provide_step_pages()\n");
    }
    return request.values_file;
  }

  bool compare_at(std::int64_t step) {
    say(fmt::format("running step {} of both programs, operator by operator", step));
    const fs::path here = write_step(ours_, step, "here");
    const fs::path theirs = write_step(theirs_, step, "recorded");
    const std::string text = compare_steps(here, theirs);
    fmt::print("  {}\n",
               text.empty() ? fmt::format("all values of step {} are equal", step) : text);
    return text.empty();
  }

  Verdict look_at(std::int64_t step) {
    if (step <= begin_) throw ValueError(fmt::format("the first step is {}", begin_ + 1));
    if (options_.command.empty()) {
      write_step(ours_, step, "here");
      return Verdict::equal;
    }
    return compare_at(step) ? Verdict::equal : Verdict::parted;
  }

  const Options options_;
  const ScratchFolder scratch_;
  const Timeline recorded_;
  Program ours_, theirs_;
  VerifyRequest asked_;
  std::int64_t begin_ = 0;
};

}  // namespace

Verdict verify(const Options& options) { return Verification(options).run(); }

}  // namespace aclgrad::verify
