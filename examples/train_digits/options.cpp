// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

namespace {

// CLI11's own check of positive numbers lets NaN through, and its unsigned options take "-1".
std::string learning_rate_complaint(const std::string& text) {
  double rate = 0;
  const bool right = CLI::detail::lexical_cast(text, rate) && rate > 0 && std::isfinite(rate);
  return right ? "" : text + " is not a number above 0";
}

std::string seed_complaint(const std::string& text) {
  return text.starts_with('-') ? text + " is negative" : "";
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& exit_status) {
  const std::vector<std::string> all = {"selu", "elu", "hardswish", "geglu"};
  Options options;
  options.data = ACLGRAD_EXAMPLE_DATA "/digits.csv";
  std::string activation = "all";

  CLI::App app(
      "Trains a small network on 1,797 handwritten digits (8x8 pixels), once for each activation, "
      "and\n"
      "writes learning curves, confusion matrices, misclassified digits, weights and graphs.",
      "train_digits");
  app.add_option("--activation", activation, "selu, elu, hardswish, geglu or all")
      ->check(CLI::IsMember({"selu", "elu", "hardswish", "geglu", "all"}))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--epochs", options.epochs, "passes over the training digits")
      ->check(CLI::Range(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--batch", options.batch, "digits per step")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--hidden", options.hidden, "units of each of the two hidden layers")
      ->check(CLI::Range(1, 65536))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--lr", options.learning_rate, "learning rate of AdamW")
      ->check(learning_rate_complaint)
      ->type_name("X")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the split, the weights and the order of digits")
      ->check(seed_complaint)
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "CPU threads, 0 for all cores; results stay the same")
      ->check(CLI::Range(0, 1024))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--out", options.out, "folder for the results")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--data", options.data, "CSV file: 64 pixels from 0 to 16, then the digit")
      ->type_name("FILE")
      ->default_str("the digits that come with aclgrad");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    exit_status = 0;
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "train_digits: {} (see --help)\n", error.what());
    exit_status = 2;
    return std::nullopt;
  }
  options.activations = activation == "all" ? all : std::vector<std::string>{activation};
  return options;
}
