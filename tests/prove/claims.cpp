// SPDX-License-Identifier: Apache-2.0
#include "tests/prove/claims.h"

#include <aclgrad/io/file.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <limits>

#include "bench/peers/peers.h"

namespace aclgrad::prove {
namespace {

constexpr uint64_t kFloatItems = 65536;
constexpr uint64_t kFactors = 256;
constexpr double kNoBound = std::numeric_limits<double>::infinity();

// Variations of a proven function, and other libraries: of FLOAT one item in so many is enough.
constexpr uint64_t kVariationSample = 64;
constexpr uint64_t kPeerSample = 16;

// Of the factors of 16-bit dtypes at least this share is tried.
constexpr uint64_t kLowestFactorSample = 32;

// The k-th of kFactors patterns: some odd subnormals, halves of which are ties, then evenly over
// the format with both signs, infinities and NaN.
uint16_t factor_pattern(uint64_t k) {
  constexpr uint64_t kSubnormals = 16;
  return static_cast<uint16_t>(k < kSubnormals ? 2 * k + 1 : k * 257);
}

const std::string& peer_name(const ProvenFunction& function, Library library) {
  return library == Library::kTorch ? function.torch_name : function.onednn_name;
}

std::unique_ptr<bench::Contender> contender(Library library) {
  return library == Library::kTorch ? bench::torch() : bench::onednn();
}

// The other library's function on memory of ours, or nothing where it lacks the dtype. What it
// prepared for some memory is kept.
Peer peer(const Claim& claim) {
  struct Prepared {
    std::unique_ptr<bench::Contender> library;
    const void* result = nullptr;
    bench::Call call;
  };
  const auto state = std::make_shared<Prepared>();
  state->library = contender(claim.library);
  return [state, claim](const void* x, const void* gradient, void* result, int64_t count) {
    state->library->set_threads(1);
    if (state->result != result) {
      const auto view = [&](const void* data) {
        return bench::View{const_cast<void*>(data), claim.dtype, {count}, {1}};
      };
      bench::Problem problem{.operation = peer_name(*claim.function, claim.library),
                             .row = {},
                             .inputs = {},
                             .outputs = {view(result)}};
      if (gradient != nullptr) problem.inputs.push_back(view(gradient));
      problem.inputs.push_back(view(x));
      state->call = state->library->prepare(problem);
      state->result = result;
    }
    if (state->call) state->call();
  };
}

bool has(Library library, const ProvenFunction& function, aclDataType dtype) {
  const std::unique_ptr<bench::Contender> other = contender(library);
  if (!other || peer_name(function, library).empty()) return false;
  std::vector<uint64_t> memory(48, 0);
  const auto view = [&](size_t k) { return bench::View{memory.data() + 16 * k, dtype, {16}, {1}}; };
  bench::Problem problem{
      .operation = peer_name(function, library), .row = {}, .inputs = {}, .outputs = {view(0)}};
  if (function.has_factor()) problem.inputs.push_back(view(1));
  problem.inputs.push_back(view(2));
  return static_cast<bool>(other->prepare(problem));
}

size_t library_fingerprint() {
  static const size_t fingerprint = [] {
    Dl_info library{};
    if (dladdr(reinterpret_cast<const void*>(&aclnnSelu), &library) == 0) return size_t{0};
    return std::hash<std::string>{}(read_file(library.dli_fname));
  }();
  return fingerprint;
}

std::filesystem::path checkpoint_path(const Claim& claim, const std::filesystem::path& folder) {
  std::string name = claim.title();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return folder / (name + ".checkpoint");
}

}  // namespace

std::string Claim::dtype_name() const {
  return dtype == ACL_FLOAT ? "FLOAT" : dtype == ACL_FLOAT16 ? "FLOAT16" : "BFLOAT16";
}

std::string Claim::factor_name() const {
  if (!function->has_factor()) return "-";
  if (factor == Factor::kOne) return "1";
  return dtype == ACL_FLOAT ? "varied" : fmt::format("{} of the format", kFactors);
}

std::string Claim::library_name() const {
  return library == Library::kAclgrad ? "aclgrad"
                                      : (library == Library::kTorch ? "libtorch" : "oneDNN");
}

std::string Claim::title() const {
  const std::string text = fmt::format("{} {} {}", function->name(), dtype_name(), factor_name());
  return library == Library::kAclgrad ? text : text + " by " + library_name();
}

bool Claim::holds(const Findings& found) const {
  if (library != Library::kAclgrad) return true;
  return found.max_ulp <= bound && found.not_numbers == 0 &&
         (dtype == ACL_FLOAT || found.not_correctly_rounded == 0);
}

uint64_t Claim::item_count() const {
  if (dtype == ACL_FLOAT) return kFloatItems;
  return function->has_factor() && factor == Factor::kVaried ? kFactors + 1 : 1;
}

uint64_t Claim::tried_count() const { return (item_count() + sample - 1) / sample; }

// Somewhere in each run of `sample` items, lest all have the same last bits.
uint64_t Claim::tried_item(uint64_t k) const {
  const uint64_t place = k == 0 ? 0 : (k * 0x9E3779B97F4A7C15u >> 40) % sample;
  return std::min(k * sample + place, item_count() - 1);
}

std::unique_ptr<Probe> Claim::make_probe() const {
  return std::make_unique<Probe>(*function, dtype,
                                 library == Library::kAclgrad ? Peer() : peer(*this));
}

Findings Claim::run(Probe& probe, uint64_t item) const {
  if (dtype == ACL_FLOAT) return probe.run_float(static_cast<uint16_t>(item), factor);
  return probe.run_16bit(item == 0 ? one_pattern(dtype) : factor_pattern(item - 1));
}

std::vector<Claim> all_claims(uint64_t sample, const std::string& only, bool with_peers) {
  std::vector<Claim> all;
  const uint64_t factor_sample = std::min(sample, kLowestFactorSample);
  for (const ProvenFunction& function : proven_functions()) {
    const uint64_t float_sample = function.is_sampled ? std::max(sample, kVariationSample) : sample;
    for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
      all.push_back({.function = &function,
                     .dtype = dtype,
                     .factor = Factor::kVaried,
                     .bound = 0.5,
                     .sample = factor_sample});
    }
    all.push_back({.function = &function,
                   .dtype = ACL_FLOAT,
                   .factor = Factor::kOne,
                   .bound = function.bound,
                   .sample = float_sample});
    if (function.has_factor()) {
      all.push_back({.function = &function,
                     .dtype = ACL_FLOAT,
                     .factor = Factor::kVaried,
                     .bound = function.product_bound,
                     .sample = float_sample});
    }
    if (!with_peers) continue;
    for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16, ACL_FLOAT}) {
      for (const Library library : {Library::kTorch, Library::kOneDnn}) {
        if (!has(library, function, dtype)) continue;
        all.push_back({.function = &function,
                       .dtype = dtype,
                       .factor = Factor::kOne,
                       .bound = kNoBound,
                       .library = library,
                       .sample = dtype == ACL_FLOAT ? std::max(float_sample, kPeerSample) : 1});
      }
    }
  }
  std::erase_if(all,
                [&](const Claim& claim) { return claim.title().find(only) == std::string::npos; });
  return all;
}

std::string library_version(Library library) {
  const std::unique_ptr<bench::Contender> other = contender(library);
  if (!other) return "";
  return other->name() + " " + other->version();
}

Checkpoint Checkpoint::load(const Claim& claim, const std::filesystem::path& folder) {
  std::ifstream file(checkpoint_path(claim, folder));
  Checkpoint loaded;
  uint64_t sample = 0;
  size_t library = 0;
  Findings& f = loaded.found;
  if (file >> library >> sample >> loaded.done >> f.inputs >> f.not_correctly_rounded >>
          f.not_numbers >> f.max_ulp >> f.worst_x >> f.worst_factor &&
      sample == claim.sample && library == library_fingerprint()) {
    return loaded;
  }
  return {};
}

void Checkpoint::save(const Claim& claim, const std::filesystem::path& folder) const {
  write_file_atomically(
      checkpoint_path(claim, folder),
      fmt::format("{} {} {} {} {} {} {} {} {}\n", library_fingerprint(), claim.sample, done,
                  found.inputs, found.not_correctly_rounded, found.not_numbers, found.max_ulp,
                  found.worst_x, found.worst_factor));
}

}  // namespace aclgrad::prove
