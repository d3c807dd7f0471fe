// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

namespace {

// CLI11's own check of positive numbers lets NaN through, and its unsigned options take "-1" and
// what is too large for them.
std::string learning_rate_complaint(const std::string& text) {
  double rate = 0;
  const bool right = CLI::detail::lexical_cast(text, rate) && rate > 0 && std::isfinite(rate);
  return right ? "" : text + " is not a number above 0";
}

std::string seed_complaint(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seed);
  const bool right = error == std::errc() && rest == end;
  return right ? "" : fmt::format("{} is not a whole number from 0 to {}", text, UINT64_MAX);
}

const std::vector<std::string>& activations() {
  static const std::vector<std::string> all = {"selu", "elu", "hardswish", "geglu"};
  return all;
}

const std::map<std::string, aclgrad::DType>& dtypes() {
  static const std::map<std::string, aclgrad::DType> all = {{"fp32", aclgrad::DType::float32},
                                                            {"bf16", aclgrad::DType::bfloat16},
                                                            {"fp16", aclgrad::DType::float16}};
  return all;
}

}  // namespace

void declare_training_options(CLI::App& app, TrainingOptions& options,
                              const std::string& examples) {
  app.add_option("--activation", options.activations, "selu, elu, hardswish, geglu or all")
      ->check(CLI::IsMember({"selu", "elu", "hardswish", "geglu", "all"}))
      ->expected(1)
      ->type_name("NAME")
      ->default_str("all");
  app.add_option("--epochs", options.epochs, "passes over the " + examples)
      ->check(CLI::Range(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--batch", options.batch, examples + " per step")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--lr", options.learning_rate, "learning rate of AdamW")
      ->check(learning_rate_complaint)
      ->type_name("X")
      ->capture_default_str();
  app.add_option("--schedule", options.schedule,
                 "learning rate over the steps: constant, or cosine after a warm-up")
      ->check(CLI::IsMember({"constant", "cosine"}))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--dtype", [&](const std::string& name) { options.dtype = dtypes().at(name); },
         "of the activations: fp32, bf16 or fp16; the weights stay fp32")
      ->check(CLI::IsMember({"fp32", "bf16", "fp16"}))
      ->type_name("NAME")
      ->default_str("fp32");
  app.add_option("--seed", options.seed, "of the weights and of the order of the " + examples)
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
  app.add_option(
         "--checkpoint-every", options.checkpoint_every,
         "steps after which a checkpoint is written to the folder for the results; 0: never")
      ->check(CLI::Range(0, 1000000000))
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--resume", options.resume,
               "go on from the checkpoints there, as if it had never stopped");
}

bool parse_training_options(CLI::App& app, int argc, char** argv, TrainingOptions& options,
                            int& exit_status) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    exit_status = 0;
    return false;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}: {} (see --help)\n", app.get_name(), error.what());
    exit_status = 2;
    return false;
  }
  if (options.activations.empty() || options.activations.front() == "all") {
    options.activations = activations();
  }
  return true;
}
