// SPDX-License-Identifier: Apache-2.0
// Proves the error bounds of the activations by trying inputs: all 65,536 of the 16-bit dtypes with
// 256 gradients, all 2^32 of FLOAT. Can be interrupted and goes on where it stopped.
#include <aclgrad/aclgrad.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "aclgrad_ext.h"
#include "tests/prove/accuracy.h"

namespace {

using namespace aclgrad;
using namespace aclgrad::prove;

constexpr uint64_t kSlice = 4096;  // items between two saves

struct Options {
  uint64_t sample = 1;
  std::string only;
  bool with_peers = false;
  int threads = 0;
  std::filesystem::path out = "out/prove";
  std::filesystem::path markdown;
};

// What is left to do, over all claims.
class Overall {
 public:
  explicit Overall(const std::vector<Claim>& claims, const Options& options)
      : bar_(left(claims, options), {.title = "proving"}) {}

  void add(uint64_t items, const Claim& claim, const Findings& found) {
    done_ += static_cast<int64_t>(items);
    bar_.update(done_, fmt::format("{} {:.4f} ulp", claim.title(), found.max_ulp));
  }
  void finish() { bar_.finish(); }

 private:
  static int64_t left(const std::vector<Claim>& claims, const Options& options) {
    uint64_t items = 0;
    for (const Claim& claim : claims) {
      items += claim.tried_count() - prove::Checkpoint::load(claim, options.out).done;
    }
    return static_cast<int64_t>(items);
  }

  int64_t done_ = 0;
  report::ProgressBar bar_;
};

// Tries the items from `begin` to `end` of a claim on all threads.
Findings run_slice(const Claim& claim, std::vector<std::unique_ptr<Probe>>& probes, uint64_t begin,
                   uint64_t end) {
  std::atomic<uint64_t> next = begin;
  std::mutex mutex;
  Findings found;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
  for (std::unique_ptr<Probe>& probe : probes) {
    threads.emplace_back([&] {
      Findings own;
      try {
        aclrtSetDevice(0);  // a new thread, perhaps on a probe of the last slice
        if (!probe) probe = claim.make_probe();
        for (uint64_t k = next++; k < end; k = next++) {
          own.merge(claim.run(*probe, claim.tried_item(k)));
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = end;
      }
      aclrtResetDevice(0);
      const std::lock_guard lock(mutex);
      found.merge(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return found;
}

Findings prove_claim(const Claim& claim, const Options& options, Overall& progress) {
  prove::Checkpoint state = prove::Checkpoint::load(claim, options.out);
  std::vector<std::unique_ptr<Probe>> probes(static_cast<size_t>(options.threads));
  while (state.done < claim.tried_count()) {
    const uint64_t end = std::min(claim.tried_count(), state.done + kSlice);
    state.found.merge(run_slice(claim, probes, state.done, end));
    progress.add(end - state.done, claim, state.found);
    state.done = end;
    state.save(claim, options.out);
  }
  return state.found;
}

std::optional<Options> parse(int argc, char** argv, int& status) {
  Options options;
  CLI::App app("Proves the error bounds of the activations by trying every input.", "prove");
  app.add_option("--only", options.only, "only lines whose title contains this")->type_name("TEXT");
  app.add_option("--sample", options.sample, "try one in N inputs")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  app.add_flag("--peers", options.with_peers, "also measure libtorch and oneDNN");
  app.add_option("--threads", options.threads, "0: all cores")->check(CLI::Range(0, 1024));
  app.add_option("--out", options.out, "folder for checkpoints and accuracy.csv")
      ->capture_default_str();
  app.add_option("--markdown", options.markdown, "also write the document here");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    status = error.get_exit_code() == 0 ? 0 : 2;
    if (status == 0) {
      fmt::print("{}", app.help());
    } else {
      fmt::print(stderr, "prove: {} (see --help)\n", error.what());
    }
    return std::nullopt;
  }
  if (options.threads == 0) options.threads = aclgradGetNumThreads();
  return options;
}

int prove_all(const Options& options) {
  std::filesystem::create_directories(options.out);
  ensure_runtime();
  aclgradSetNumThreads(1);  // the inputs are shared out here
  const std::vector<Claim> claims = all_claims(options.sample, options.only, options.with_peers);
  if (claims.empty()) throw std::invalid_argument("no line contains " + options.only);
  Overall progress(claims, options);
  Outcomes results;
  bool all_hold = true;
  for (const Claim& claim : claims) {
    const Findings found = prove_claim(claim, options, progress);
    results.emplace_back(claim, found);
    all_hold = all_hold && claim.holds(found);
  }
  progress.finish();
  write_file_atomically(options.out / "accuracy.csv", accuracy_csv(results));
  if (!options.markdown.empty()) {
    write_file_atomically(options.markdown, accuracy_document(results, options.sample));
  }
  fmt::print("{}", accuracy_table(results));
  fmt::print("{}\n", all_hold ? "Every bound holds." : "A bound does not hold.");
  return all_hold ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  const std::optional<Options> options = parse(argc, argv, status);
  if (!options) return status;
  try {
    return prove_all(*options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "prove: {}\n", error.what());
    return 1;
  }
}
