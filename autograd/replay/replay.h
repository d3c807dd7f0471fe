// SPDX-License-Identifier: Apache-2.0
// A record run again: every call of an operator that it has, and what was found.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "replay/history.h"
#include "replay/judge.h"

namespace aclgrad::replay {

struct Finding {
  std::uint64_t number = 0;  // of the call
  std::string function;
  std::string kind;  // "value", "status", "gradient", or one of Between
  std::string text;
  std::optional<Element> element = {};
  std::optional<std::uint64_t> run = {};  // of a recording's call: that of the call that ran it

  std::uint64_t line() const { return run.value_or(number); }
};

/// What became of the calls of one operator.
struct Row {
  std::int64_t calls = 0;
  std::int64_t equal = 0;
  std::int64_t within = 0;
  std::int64_t beyond = 0;
  std::int64_t unjudged = 0;
  std::int64_t refused = 0;  // with the recorded status, here too
  double largest = 0;        // error over bound, of those within
};

struct Report {
  std::string record;
  std::string program;
  std::string library;
  std::uint64_t calls = 0;  // lines of the record
  std::map<std::string, Row> rows = {};
  std::map<std::string, std::int64_t> left_out = {};  // calls that were not run, by why
  std::map<std::string, std::string> unjudged = {};   // why, by operator
  std::int64_t gradients = 0;  // elements of gradients that were differentiated
  std::map<std::string, std::int64_t> unchecked = {};  // calls whose gradients were not, by why
  std::vector<Finding> findings = {};                  // in the order of the calls
  bool is_torn = false;
  std::string reproduced;  // the program of the first call beyond its bound

  bool is_right() const { return findings.empty(); }
};

struct Options {
  bool gradients = false;
  bool between = true;
};

/// Runs all. `progress` is told the number of the call, now and then.
Report replay(const Record& record, Runner& runner, const Options& options,
              const std::function<void(std::uint64_t)>& progress);

/// The task of a phase two; none where its operator has no contract.
std::optional<Task> task_of(const Record& record, const Call& call);

/// What a task's tensors held after a call, by tensor; empty where it is not kept.
std::vector<Content> after_of(const Record& record, const Call& call, const Task& task);

/// Whether the bytes before the call are there, of all tensors that have elements.
bool has_bytes(const Task& task);

/// Writes a C program that runs one call alone, and its data beside it. Throws IoError.
void write_program(const std::string& path, const Record& record, const Task& task,
                   const Finding& finding);

std::string to_text(const Report& report);
std::string to_json(const Report& report);
std::string to_html(const Report& report);

/// The first call at which two records part, and what fed it; "" where they are the same as far as
/// both go.
std::string first_difference(const Record& a, const Record& b, Runner& runner);

}  // namespace aclgrad::replay
