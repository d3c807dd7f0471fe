// SPDX-License-Identifier: Apache-2.0
#include "tests/prove/accuracy.h"

#include <aclgrad/report.h>
#include <fmt/format.h>

#include <fstream>
#include <thread>

namespace aclgrad::prove {
namespace {

// 0.5 stands for "correctly rounded everywhere": single errors are measured only beyond that.
std::string ulp(const Findings& found) {
  if (found.max_ulp == 0) return "0.5";
  return found.max_ulp < 1000 ? fmt::format("{:.7f}", found.max_ulp)
                              : fmt::format("{:.2e}", found.max_ulp);
}

std::string at(const Findings& found) {
  return found.max_ulp == 0 ? "" : fmt::format("{:.9g}", found.worst_x);
}

std::string at_factor(const Findings& found) {
  return found.max_ulp == 0 ? "" : fmt::format("{:.9g}", found.worst_factor);
}

std::string share(uint64_t part, uint64_t whole) {
  if (part == 0) return "0";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 0.01 ? "< 0.01 %" : fmt::format("{:.2f} %", percent);
}

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string headings(const std::vector<std::string>& cells) {
  return row(cells) + row(std::vector<std::string>(cells.size(), "---"));
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "an unknown processor";
}

const char* const kIntroduction = R"(# Accuracy

How far the activations' results lie from the exact ones, found by trying inputs, not by argument.
`./dev prove` makes this file and `out/prove/accuracy.csv`; it can be interrupted and goes on where it
stopped. A sample of the same run is a test.

**What is measured.** The reference is the formula in real numbers, on the inputs as stored; where a
backward gets the forward's result (`aclnnSeluBackward`, `isResult`), on that result as given, with
whatever its own rounding has done to it: what the result lost before is not counted here. An error is
counted in units of the last place (ulp) of the exact value, subnormal numbers included. 0.5 in the
table says that every result is the correctly rounded one, ties to even. NaN, infinities and subnormal
numbers are among the inputs; a NaN or an infinity where a number was due counts as a failure of its
own.

**How.** Every result is compared with a reference in double precision that is good to 2^-36 (which
is itself checked against long double at one element in 1,024). What that cannot settle (the
neighbourhood of a tie, of a slope's zero) goes to long double and then to MPFR, with as many digits as
it takes. No input stays undecided.

**Which inputs.** All 65,536 of FLOAT16 and BFLOAT16, for a backward (and for GEGLU's product) with
gradient 1 and with 256 gradients spread over the format. All 2^32 of FLOAT, with gradient 1, and once
more with another gradient for each: half of them any finite number, subnormal and huge ones included,
so that products overflow and underflow, half between 2^-20 and 2^20. ELU with scalars of its own and
the product of two inputs are tried in one run of 65,536 patterns of FLOAT out of 64.

**What is claimed.** FLOAT16 and BFLOAT16: correctly rounded. FLOAT: at most 1 ulp at gradient 1, at
most 1.5 ulp at any gradient; GELU and GEGLU, which have one formula for all numbers, at most 2 ulp at
any, and 2.5 where GEGLU's backward multiplies three factors.

)";

std::string proven(const Outcomes& results) {
  std::string text = headings({"operator", "dtype", "gradients", "inputs", "max ulp", "at x",
                               "at gradient", "not correctly rounded", "bound", "holds"});
  for (const auto& [claim, found] : results) {
    if (claim.library != Library::kAclgrad) continue;
    text += row({claim.function->name(), claim.dtype_name(), claim.factor_name(),
                 fmt::format("{}", found.inputs), ulp(found), at(found),
                 claim.function->has_factor() ? at_factor(found) : "",
                 fmt::format("{}", found.not_correctly_rounded), fmt::format("{}", claim.bound),
                 claim.holds(found) ? "yes" : "**no**"});
  }
  return text;
}

const Findings* find(const Outcomes& results, const Claim& like, Library library) {
  for (const auto& [claim, found] : results) {
    const bool same = claim.function == like.function && claim.dtype == like.dtype;
    // Of ours, the line with gradient 1; in 16-bit dtypes it is one of the varied.
    const bool wanted =
        library != Library::kAclgrad || claim.dtype != ACL_FLOAT || claim.factor == Factor::kOne;
    if (same && wanted && claim.library == library) return &found;
  }
  return nullptr;
}

std::string figures(const Findings* found) {
  if (found == nullptr) return "-";
  std::string text = ulp(*found);
  if (found->max_ulp > 0) text += " at " + at(*found);
  text += "; " + share(found->not_correctly_rounded, found->inputs);
  if (found->not_numbers > 0) {
    text += "; not a number: " + share(found->not_numbers, found->inputs);
  }
  return text;
}

std::string beside_others(const Outcomes& results) {
  std::string rows;
  for (size_t i = 0; i < results.size(); ++i) {
    const Claim& claim = results[i].first;
    if (claim.library == Library::kAclgrad) continue;
    // One row for both libraries.
    if (claim.library == Library::kOneDnn && find(results, claim, Library::kTorch) != nullptr) {
      continue;
    }
    rows += row({claim.function->name(), claim.dtype_name(),
                 figures(find(results, claim, Library::kAclgrad)),
                 figures(find(results, claim, Library::kTorch)),
                 figures(find(results, claim, Library::kOneDnn))});
  }
  if (rows.empty()) return "";
  std::string versions;
  for (const Library library : {Library::kTorch, Library::kOneDnn}) {
    const std::string version = library_version(library);
    if (!version.empty()) versions += (versions.empty() ? "" : ", ") + version;
  }
  return fmt::format(
             "\n## Beside other libraries\n\nThe same figures at gradient 1 for {}: the largest "
             "error in ulp and where, the share of results\nthat are not the correctly rounded "
             "one, and the share that is NaN or infinite where the exact\nanswer is a number (or "
             "the other way round). 16-bit dtypes: all 65,536 inputs. FLOAT: one in 16 of\nthe "
             "2^32 for them, all for aclgrad (ELU with scalars: one in 64 for each). `-`: the "
             "library does not\nhave it for this dtype. Where a slope jumps (SELU's result 0, "
             "Hardswish's x\n= ±3) either side counts as right.\n\n",
             versions) +
         headings({"operator", "dtype", "aclgrad", "libtorch", "oneDNN"}) + rows;
}

}  // namespace

std::string accuracy_table(const Outcomes& results) {
  report::Table table({"operator", "dtype", "gradients", "by", "inputs", "max ulp", "at x",
                       "not correctly rounded", "not a number", "holds"});
  for (const auto& [claim, found] : results) {
    const char* const holds = claim.holds(found) ? "yes" : "NO";
    table.add_row({claim.function->name(), claim.dtype_name(), claim.factor_name(),
                   claim.library_name(), std::to_string(found.inputs), ulp(found), at(found),
                   std::to_string(found.not_correctly_rounded), std::to_string(found.not_numbers),
                   claim.library == Library::kAclgrad ? holds : "-"});
  }
  return table.to_string();
}

std::string accuracy_csv(const Outcomes& results) {
  std::string csv =
      "operator,dtype,gradients,library,inputs,max_ulp,at_x,at_gradient,not_correctly_rounded,"
      "not_a_number\n";
  for (const auto& [claim, found] : results) {
    csv += fmt::format("\"{}\",{},{},{},{},{},{},{},{},{}\n", claim.function->name(),
                       claim.dtype_name(), claim.factor_name(), claim.library_name(), found.inputs,
                       ulp(found), at(found), at_factor(found), found.not_correctly_rounded,
                       found.not_numbers);
  }
  return csv;
}

std::string accuracy_document(const Outcomes& results, uint64_t sample) {
  std::string text = kIntroduction;
  text +=
      fmt::format("**Where.** {}, {} threads. Results do not depend on the instruction set.\n\n",
                  processor(), std::thread::hardware_concurrency());
  if (sample != 1) {
    text += fmt::format("**This run tried only one in {} of the inputs.**\n\n", sample);
  }
  text +=
      "What comes out for NaN, infinities and zeros stands in "
      "[special values](reference/special-values.md).\n\n## Proven\n\n";
  return text + proven(results) + beside_others(results);
}

}  // namespace aclgrad::prove
