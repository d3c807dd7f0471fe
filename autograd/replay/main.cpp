// SPDX-License-Identifier: Apache-2.0
// aclgrad-replay: runs a record of calls here and says which call was wrong first
// (docs/how-to/records.md).
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "gradcheck/tool/run.h"
#include "replay/recordings.h"
#include "replay/replay.h"

namespace {

using namespace aclgrad::replay;

struct Arguments {
  std::vector<std::string> records;
  std::string library = "libopapi.so";
  bool compare = false;
  bool quiet = false;
  bool gradients = false;
  std::string json, html, program;
};

constexpr const char* kHelp =
    "Runs the calls of a record (ACLGRAD_RECORD=FOLDER) here, and says which of them was wrong "
    "first.\n"
    "Exit status: 0 all right, 1 something is wrong, 3 wrong usage, 4 a record or the library "
    "cannot be used.";

void describe(CLI::App& app, Arguments& a) {
  app.description(kHelp);
  app.add_option("RECORD", a.records, "folders that ACLGRAD_RECORD made")
      ->required()
      ->expected(1, 2);
  app.add_flag("--compare", a.compare, "two records: the first call that differs, and what fed it");
  app.add_option("--library", a.library, "run the calls in this library instead of our own");
  app.add_flag("--gradients", a.gradients, "check recorded backwards by finite differences, too");
  app.add_option("--program", a.program,
                 "write the first wrong call as a C program here (RECORD/call_N.c)");
  app.add_option("--json", a.json, "write the result for machines; - for the standard output");
  app.add_option("--html", a.html, "write a page of it");
  app.add_flag("--quiet", a.quiet, "no progress");
}

void write_to(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  aclgrad::gradcheck::write_file(path, text);
}

void write_first(const Arguments& a, const Record& record, Report& report) {
  for (const Finding& finding : report.findings) {
    if (finding.kind != "value" || !record.calls()[finding.number].plan) continue;
    Run run;
    if (finding.run) run = Recordings(record).run_of(record.calls()[*finding.run]);
    const auto found = std::ranges::find(run.calls, finding.number, &Call::number);
    const Call& call = found == run.calls.end() ? record.calls()[finding.number] : *found;
    const std::string path = a.program.empty()
                                 ? fmt::format("{}/call_{}.c", record.folder(), finding.number)
                                 : a.program;
    if (const auto task = task_of(record, call)) {
      write_program(path, record, *task, finding);
      report.reproduced = path;
    }
    return;
  }
}

int run(const Arguments& a) {
  if (a.compare != (a.records.size() == 2)) {
    throw aclgrad::ValueError("--compare takes two records, and nothing else does");
  }
  const Record record(a.records[0]);
  Runner runner(aclgrad::gradcheck::Library::open(a.library));
  if (a.compare) {
    const Record other(a.records[1]);
    const std::string difference = first_difference(record, other, runner);
    fmt::print("{}\n", difference.empty() ? "The records are equal." : difference);
    return difference.empty() ? 0 : 1;
  }
  const bool talks = !a.quiet && a.json != "-" && isatty(STDERR_FILENO) != 0;
  Report report = replay(record, runner, {.gradients = a.gradients}, [&](std::uint64_t number) {
    if (talks)
      fmt::print(stderr, "\rcall {} of {}{}", number, record.calls().size(),
                 number == record.calls().size() ? "\n" : "");
  });
  write_first(a, record, report);
  if (!a.json.empty()) write_to(a.json, to_json(report));
  if (!a.html.empty()) write_to(a.html, to_html(report));
  if (a.json != "-") fmt::print("{}", to_text(report));
  return report.is_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  Arguments arguments;
  describe(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : aclgrad::gradcheck::kWrongUsage;
  }
  std::string message;
  const int status = aclgrad::gradcheck::status_of([&] { return run(arguments); }, message);
  if (!message.empty()) fmt::print(stderr, "{}\n", message);
  return status;
}
