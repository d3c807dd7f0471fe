// SPDX-License-Identifier: Apache-2.0
#include "examples/program/program.h"

#include <aclgrad/format.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <system_error>

using namespace aclgrad;

namespace {

// CLI11's own unsigned options take "-1" and what is too large for them.
std::string seed_complaint(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seed);
  const bool right = error == std::errc() && rest == end;
  return right ? "" : fmt::format("{} is not a whole number from 0 to {}", text, UINT64_MAX);
}

// Throws IoError when standard output could not take all that was printed.
void flush_output() {
  if (std::fflush(stdout) == 0) return;
  throw IoError("standard output: cannot write: " + std::generic_category().message(errno));
}

bool went_wrong_on_the_way(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         dynamic_cast<const StatusError*>(&error) != nullptr ||
         dynamic_cast<const Diverged*>(&error) != nullptr;
}

}  // namespace

void declare_program_options(CLI::App& app, ProgramOptions& options, const std::string& out) {
  static const std::map<std::string, DType> dtypes = {
      {"fp32", DType::float32}, {"bf16", DType::bfloat16}, {"fp16", DType::float16}};
  app.add_option_function<std::string>(
         "--dtype", [&](const std::string& name) { options.dtype = dtypes.at(name); },
         "of the activations: fp32, bf16 or fp16; the weights stay fp32")
      ->check(CLI::IsMember({"fp32", "bf16", "fp16"}))
      ->type_name("NAME")
      ->default_str("fp32");
  app.add_option("--seed", options.seed, "the same seed gives the same bits")
      ->check(seed_complaint)
      ->type_name("N");
  app.add_option("--threads", options.threads,
                 "CPU threads, 0 for all cores; results stay the same")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  app.add_option("--out", options.out, out)->type_name("DIR");
  app.add_flag("--resume", options.resume,
               "go on from the checkpoints in --out, as if it had never stopped");
}

void declare_ranks(CLI::App& app, ProgramOptions& options) {
  auto* const launched =
      app.add_flag("--data-parallel", options.data_parallel,
                   "train together with the other processes that mpirun has started");
  app.add_option("--ranks", options.ranks, "train on so many threads, each a rank of its own")
      ->check(CLI::Range(1, 16))
      ->type_name("N")
      ->excludes(launched);
  app.add_option("--micro-batches", options.micro_batches,
                 "parts into which a batch is cut, 0 for one a rank; with the same number the "
                 "results of 1, 2, 4, ... ranks are the same bits. Batch normalization is over "
                 "each part by itself, as if it were a batch")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
  app.add_flag("--zero", options.sharded,
               "each of several ranks keeps its share of the optimizer's state only (ZeRO, stage "
               "1); the results stay the same, but for rounding where gradients are clipped");
}

int run_program(const std::string& name, CLI::App& app, int argc, char** argv,
                const ProgramOptions& options, const std::function<void()>& body) {
  try {
    app.name(name);
    try {
      app.parse(argc, argv);
      if (options.threads > 0) set_num_threads(options.threads);
      body();
    } catch (const CLI::CallForHelp&) {
      fmt::print("{}", app.help());
    } catch (const CLI::ParseError& error) {
      fmt::print(stderr, "{}: {} (see --help)\n", name, error.what());
      return 2;
    }
    flush_output();
    return 0;
  } catch (const std::exception& error) {
    const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    fmt::print(stderr, "{}: {}\n", name, no_memory ? "out of memory" : error.what());
    return went_wrong_on_the_way(error) ? 1 : 2;
  }
}

void on_ranks(const ProgramOptions& options, const std::function<void(const Communicator&)>& body) {
  if (options.data_parallel) {
    body(Communicator::from_environment());
  } else if (options.ranks > 1) {
    run_ranks(options.ranks, body);
  } else {
    body(Communicator());
  }
}

History train(const Training& it, const ProgramOptions& options, const Communicator& communicator) {
  const auto path = [&](const std::string& kind, const std::string& extension) {
    return options.out / (kind + "_" + it.name + extension);
  };
  std::unique_ptr<Ranks> ranks;
  if (options.sharded) {
    ranks = std::make_unique<ShardedUpdate>(communicator);
  } else {
    ranks = std::make_unique<DataParallel>(communicator);
  }
  TrainerOptions parts{.micro_batches = options.micro_batches, .ranks = ranks.get()};
  if (options.dtype == DType::float16) parts.loss_scaling.emplace();
  Trainer trainer(it.model, it.loss, *it.optimizer, parts);

  std::filesystem::create_directories(options.out);
  RunReport page(path("report", ".html"), {.title = it.name});
  FitOptions fitting = it.fit;
  fitting.settings.insert(fitting.settings.begin(), {{"network", it.name},
                                                     {"dtype", to_string(options.dtype)},
                                                     {"seed", std::to_string(options.seed)}});
  fitting.checkpoint = path("checkpoint", ".safetensors");
  fitting.resume = options.resume;
  fitting.log = &page;
  fitting.title = it.name;
  History history = fit(trainer, it.batches, fitting);
  if (!communicator.is_first()) return history;

  save_safetensors(path("weights", ".safetensors"), values_of(it.model.state()),
                   {{"network", it.name}, {"seed", std::to_string(options.seed)}});
  write_file_atomically(path("model", ".txt"), it.model.summary());
  write_file_atomically(path("graph", ".dot"), to_dot(trainer.graph()));
  write_file_atomically(path("graph", ".html"),
                        VizPage(trainer.graph(), {.title = "One step of training"}).html());
  for (const auto& [kind, picture] : it.pictures()) {
    write_file_atomically(path(kind, ".svg"), picture);
    page.picture(fmt::format("{:c}{}", std::toupper(kind[0]), kind.substr(1)), picture);
  }
  page.finish();
  return history;
}
