// SPDX-License-Identifier: Apache-2.0
// The lines of the result: what is claimed, how much of it has been tried, what was found.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/prove/probe.h"

namespace aclgrad::bench {
class Contender;
}

namespace aclgrad::prove {

// Whose results are measured.
enum class Library { kAclgrad, kTorch, kOneDnn };

struct Claim {
  const ProvenFunction* function;
  aclDataType dtype;
  Factor factor;
  double bound;  // in ulp; other libraries claim nothing
  Library library = Library::kAclgrad;
  uint64_t sample = 1;  // one in so many items is tried

  std::string dtype_name() const;
  std::string factor_name() const;
  std::string library_name() const;
  std::string title() const;
  bool holds(const Findings& found) const;

  // Work is cut into items of 65,536 inputs: lower halves of FLOAT's patterns; factors of a 16-bit
  // dtype, of which the first is 1.
  uint64_t item_count() const;
  uint64_t tried_count() const;
  uint64_t tried_item(uint64_t k) const;  // the k-th of tried_count()

  std::unique_ptr<Probe> make_probe() const;
  Findings run(Probe& probe, uint64_t item) const;
};

// One in `sample` of what is tried otherwise; titles that contain `only`; with the other libraries
// that the build found, if wanted.
std::vector<Claim> all_claims(uint64_t sample, const std::string& only, bool with_peers);

// As "oneDNN 2.6.3"; empty for one that the build did not find.
std::string library_version(Library library);

// How far a claim has been tried. The file names the build of the operator library, since what an
// older one computed proves nothing.
struct Checkpoint {
  uint64_t done = 0;  // of tried_count()
  Findings found;

  static Checkpoint load(const Claim& claim, const std::filesystem::path& folder);
  void save(const Claim& claim, const std::filesystem::path& folder) const;
};

}  // namespace aclgrad::prove
