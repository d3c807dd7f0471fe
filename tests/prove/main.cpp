// SPDX-License-Identifier: Apache-2.0
// Proves the error bounds of the activations by trying inputs: all 65,536 of the 16-bit dtypes with
// 256 gradients, all 2^32 of FLOAT. Can be interrupted and goes on where it stopped.
#include <aclgrad/aclgrad.h>

#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "aclgrad_ext.h"
#include "aclnnop/aclnn_selu.h"
#include "tests/prove/probe.h"

namespace {

using namespace aclgrad;
using namespace aclgrad::prove;

constexpr int64_t kChunk = 1 << 18;  // inputs that a thread takes at a time
constexpr uint64_t kChunks = (uint64_t{1} << 32) / kChunk;
constexpr uint64_t kSlice = 64;  // chunks between two saves
constexpr uint32_t kGradients = 256;

struct Options {
  uint64_t sample = 1;  // every sample-th chunk, and 1/sample of the gradients
  std::string only;
  int threads = 0;
  std::filesystem::path out = "out/prove";
  std::filesystem::path markdown;
};

// One line of the result: a subject in a dtype, with gradient 1 or varied.
struct Claim {
  const Subject* subject;
  aclDataType dtype;
  Gradient gradient;
  double bound;  // in ulp

  std::string dtype_name() const {
    return dtype == ACL_FLOAT ? "FLOAT" : dtype == ACL_FLOAT16 ? "FLOAT16" : "BFLOAT16";
  }
  std::string gradient_name() const {
    if (!subject->has_gradient) return "-";
    if (dtype != ACL_FLOAT) return fmt::format("{} of the format", kGradients);
    return gradient == Gradient::kOne ? "1" : "varied";
  }
  std::string title() const {
    return fmt::format("{} {} {}", subject->name, dtype_name(), gradient_name());
  }
  bool holds(const Findings& found) const {
    return found.max_ulp <= bound && found.undecided == 0 &&
           (dtype == ACL_FLOAT || found.not_correctly_rounded == 0);
  }
};

std::vector<Claim> claims(const Options& options) {
  std::vector<Claim> all;
  for (const Subject& subject : subjects()) {
    all.push_back({&subject, ACL_FLOAT16, Gradient::kVaried, 0.5});
    all.push_back({&subject, ACL_BF16, Gradient::kVaried, 0.5});
    all.push_back({&subject, ACL_FLOAT, Gradient::kOne, 1});
    if (subject.has_gradient) all.push_back({&subject, ACL_FLOAT, Gradient::kVaried, 1.5});
  }
  std::erase_if(all, [&](const Claim& claim) {
    return claim.title().find(options.only) == std::string::npos;
  });
  return all;
}

// Work items of a claim: chunks of FLOAT, gradients of a 16-bit dtype. Gradient 1 is always among
// them.
uint64_t item_count(const Claim& claim) {
  if (claim.dtype == ACL_FLOAT) return kChunks;
  return claim.subject->has_gradient ? kGradients + 1 : 1;
}

// The k-th of kGradients patterns: some odd subnormals, halves of which are ties, then evenly over
// the format with both signs, infinities and NaN.
uint16_t gradient_pattern(uint64_t k) {
  constexpr uint64_t kSubnormals = 16;
  return static_cast<uint16_t>(k < kSubnormals ? 2 * k + 1 : k * 257);
}

Findings run_item(const Claim& claim, Probe& probe, uint64_t item) {
  if (claim.dtype == ACL_FLOAT) {
    return probe.run_float(static_cast<uint32_t>(item * kChunk), claim.gradient);
  }
  if (item == 0) return probe.run_16bit(one_pattern(claim.dtype));
  return probe.run_16bit(gradient_pattern(item - 1));
}

// ---- Going on where the last run stopped
// --------------------------------------------------------------

struct Checkpoint {
  uint64_t items_done = 0;
  Findings found;
};

// Tells builds of the operator library apart: what an older one computed proves nothing.
size_t library_fingerprint() {
  static const size_t fingerprint = [] {
    Dl_info library{};
    if (dladdr(reinterpret_cast<const void*>(&aclnnSelu), &library) == 0) return size_t{0};
    return std::hash<std::string>{}(read_file(library.dli_fname));
  }();
  return fingerprint;
}

std::filesystem::path checkpoint_path(const Claim& claim, const Options& options) {
  std::string name = claim.title();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return options.out / (name + ".checkpoint");
}

Checkpoint load_checkpoint(const Claim& claim, const Options& options) {
  std::ifstream file(checkpoint_path(claim, options));
  Checkpoint loaded;
  uint64_t sample = 0;
  size_t library = 0;
  Findings& f = loaded.found;
  if (file >> library >> sample >> loaded.items_done >> f.inputs >> f.not_correctly_rounded >>
          f.undecided >> f.max_ulp >> f.worst_x >> f.worst_gradient &&
      sample == options.sample && library == library_fingerprint()) {
    return loaded;
  }
  return {};
}

void save_checkpoint(const Claim& claim, const Options& options, const Checkpoint& state) {
  const Findings& f = state.found;
  write_file_atomically(
      checkpoint_path(claim, options),
      fmt::format("{} {} {} {} {} {} {} {} {}\n", library_fingerprint(), options.sample,
                  state.items_done, f.inputs, f.not_correctly_rounded, f.undecided, f.max_ulp,
                  f.worst_x, f.worst_gradient));
}

// ---- Proving
// ------------------------------------------------------------------------------------------

Findings prove_claim(const Claim& claim, const Options& options) {
  Checkpoint state = load_checkpoint(claim, options);
  const uint64_t items = item_count(claim);
  const int64_t inputs = claim.dtype == ACL_FLOAT ? kChunk : 65536;
  std::vector<std::unique_ptr<Probe>> probes(static_cast<size_t>(options.threads));
  report::ProgressBar progress(static_cast<int64_t>(items),
                               {.title = fmt::format("{:<52}", claim.title())});
  while (state.items_done < items) {
    const uint64_t end = std::min(items, state.items_done + kSlice * options.sample);
    std::atomic<uint64_t> next = state.items_done;
    std::vector<Findings> found(probes.size());
    std::vector<std::thread> threads;
    for (size_t t = 0; t < probes.size(); ++t) {
      threads.emplace_back([&, t] {
        if (!probes[t]) probes[t] = std::make_unique<Probe>(*claim.subject, claim.dtype, inputs);
        aclrtSetDevice(0);  // a new thread, perhaps on a probe of the last slice
        for (uint64_t item = next.fetch_add(options.sample); item < end;
             item = next.fetch_add(options.sample)) {
          found[t].merge(run_item(claim, *probes[t], item));
        }
        aclrtResetDevice(0);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Findings& each : found) state.found.merge(each);
    state.items_done = end;
    save_checkpoint(claim, options, state);
    progress.update(static_cast<int64_t>(end), fmt::format("max {:.4f} ulp", state.found.max_ulp));
  }
  progress.finish();
  return state.found;
}

std::string at(const Findings& found) {
  return found.max_ulp == 0 ? "" : fmt::format("{:.9g}", found.worst_x);
}

// 0.5 stands for "correctly rounded everywhere": single errors are measured only beyond that.
std::string ulp(const Findings& found) {
  return found.max_ulp == 0 ? "0.5" : fmt::format("{:.7f}", found.max_ulp);
}

void write_results(const std::vector<std::pair<Claim, Findings>>& results, const Options& options) {
  std::string csv = "operator,dtype,gradients,inputs,max_ulp,at_x,not_correctly_rounded\n";
  std::string rows;
  for (const auto& [claim, found] : results) {
    csv += fmt::format("\"{}\",{},{},{},{},{},{}\n", claim.subject->name, claim.dtype_name(),
                       claim.gradient_name(), found.inputs, ulp(found), at(found),
                       found.not_correctly_rounded);
    rows += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", claim.subject->name,
                        claim.dtype_name(), claim.gradient_name(), found.inputs, ulp(found),
                        at(found), found.not_correctly_rounded);
  }
  write_file_atomically(options.out / "accuracy.csv", csv);
  if (options.markdown.empty()) return;
  write_file_atomically(
      options.markdown,
      "# Accuracy\n\nWritten by `./dev prove`, which tries every input" +
          (options.sample == 1 ? std::string()
                               : fmt::format(" (here: one in {})", options.sample)) +
          ". Errors are in units of the last place of the exact result; 0.5 means that every "
          "result is\n"
          "the correctly rounded one. NaN and infinities count as inputs too.\n\n"
          "| operator | dtype | gradients | inputs | max ulp | at x | not correctly rounded |\n"
          "|---|---|---|---|---|---|---|\n" +
          rows);
}

std::optional<Options> parse(int argc, char** argv, int& status) {
  Options options;
  CLI::App app("Proves the error bounds of the activations by trying every input.", "prove");
  app.add_option("--only", options.only, "only lines whose title contains this")->type_name("TEXT");
  app.add_option("--sample", options.sample, "try one in N inputs")
      ->check(CLI::Range(1, 16384))
      ->type_name("N");
  app.add_option("--threads", options.threads, "0: all cores")->check(CLI::Range(0, 1024));
  app.add_option("--out", options.out, "folder for checkpoints and accuracy.csv")
      ->capture_default_str();
  app.add_option("--markdown", options.markdown, "also write the table here");
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

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  const std::optional<Options> options = parse(argc, argv, status);
  if (!options) return status;
  std::filesystem::create_directories(options->out);
  ensure_runtime();
  aclgradSetNumThreads(1);  // the inputs are shared out here
  std::vector<std::pair<Claim, Findings>> results;
  report::Table table({"operator", "dtype", "gradients", "inputs", "max ulp", "at x",
                       "not correctly rounded", "holds"});
  bool all_hold = true;
  for (const Claim& claim : claims(*options)) {
    const Findings found = prove_claim(claim, *options);
    results.emplace_back(claim, found);
    all_hold = all_hold && claim.holds(found);
    table.add_row({claim.subject->name, claim.dtype_name(), claim.gradient_name(),
                   std::to_string(found.inputs), ulp(found), at(found),
                   std::to_string(found.not_correctly_rounded), claim.holds(found) ? "yes" : "NO"});
  }
  write_results(results, *options);
  fmt::print("{}", table.to_string());
  fmt::print("{}\n", all_hold ? "Every bound holds." : "A bound does not hold.");
  return all_hold ? 0 : 1;
}
