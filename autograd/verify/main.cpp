// SPDX-License-Identifier: Apache-2.0
// aclgrad-verify: trains again what a record of fit() is of, and compares.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "verify/verify.h"

int main(int argc, char** argv) {
  using namespace aclgrad::verify;
  Options options;
  std::int64_t from = -1, until = -1, at = -1;
  CLI::App app(
      "Trains again what a record of fit() (FitOptions::record) is of, and says whether it is "
      "equal, bit for bit; or the first step, tensor and operator that part.");
  app.footer(
      "The program is run again by the recorded command line, or by the one after `--`. It writes "
      "no "
      "checkpoint and no report then.\n\n"
      "Exit status: 0 equal, 1 parted, 2 nothing can be said, 3 wrong usage.\n\n"
      "Examples:\n"
      "  aclgrad-verify out/run.safetensors.run.json\n"
      "  aclgrad-verify run.json -- build/bin/train --rate 0.02\n"
      "  OMP_NUM_THREADS=4 aclgrad-verify run.json");
  app.add_option("record", options.record, "the record")->required()->check(CLI::ExistingFile);
  app.add_option("command", options.command, "the program with its words, after `--`");
  app.add_option("--from", from, "go on from the checkpoint of this step")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--until", until, "train up to this step, no further")->check(CLI::PositiveNumber);
  app.add_option("--checkpoint", options.checkpoint, "that checkpoint; default: the run's own")
      ->check(CLI::ExistingFile);
  app.add_option("--at", at, "write all values of this step, and its page")
      ->check(CLI::PositiveNumber);
  app.add_option("--out", options.out, "folder for them; default: beside the record");
  app.add_option("--write", options.write, "write the record of this run");
  app.add_flag("--every-step", options.every_step, "with the state after every step in it");
  app.add_option("--folder", options.folder, "folder that programs run in")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--quiet", options.quiet, "no progress on standard error");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 3;
  }
  if (from >= 0) options.from = from;
  if (until >= 0) options.until = until;
  if (at >= 0) options.at = at;
  try {
    return static_cast<int>(verify(options));
  } catch (const std::exception& error) {
    fmt::print(stderr, "aclgrad-verify: {}\n", error.what());
    return 2;
  }
}
