// SPDX-License-Identifier: Apache-2.0
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using namespace gradcheck;

LibraryPointer linked() {
  static const LibraryPointer library = Library::linked();
  return library;
}

Options until_wrong() {
  Options options;
  options.stop_at_first = true;
  return options;
}

}  // namespace

Backward run_kernels(Kernels kernels) {
  return [kernels = std::move(kernels)](const BackwardCall& call) -> std::string {
    Values inputs;
    for (const View& view : call.inputs) {
      std::vector<double>& values = inputs.emplace_back();
      for (std::int64_t i = 0; i < view.count(); ++i) {
        values.push_back(static_cast<double>(view.get(i)));
      }
    }
    const Values results = kernels(inputs);
    for (std::size_t k = 0; k < call.outputs.size(); ++k) {
      const View& out = call.outputs[k];
      for (std::int64_t i = 0; i < out.count(); ++i) {
        out.set(i, results[k][static_cast<std::size_t>(i)]);
      }
    }
    return "";
  };
}

Backward run_kernel(Kernel kernel) {
  return run_kernels(
      [kernel = std::move(kernel)](const Values& in) -> Values { return {kernel(in)}; });
}

void add_mutants(std::vector<Mutant>& all, const char* family, const char* op,
                 const Attributes& attributes, const std::function<Kernels(const Edits&)>& kernels,
                 const std::vector<const char*>& edits, const std::optional<Dims>& shape) {
  const auto make = [&](const Kernels& kernel) {
    return [=] { return with_backward(op, attributes, run_kernels(kernel), shape); };
  };
  for (const char* edit : edits) {
    all.push_back({.family = family, .edit = edit, .make = make(kernels(Edits{edit}))});
    all.back().right = make(kernels({}));
  }
}

Backward run_formula(Formula formula) {
  return run_kernel([formula = std::move(formula)](const Values& in) {
    std::vector<double> out;
    for (std::size_t i = 0; i < in[0].size(); ++i) out.push_back(formula(in[0][i], in[1][i]));
    return out;
  });
}

Candidate with_backward(const std::string& op, const Attributes& attributes, Backward backward,
                        const std::optional<Dims>& shape) {
  Candidate candidate = make_target(linked(), op, attributes, shape).candidate;
  candidate.function = std::move(backward);
  return candidate;
}

std::vector<Mutant> all_mutants() {
  std::vector<Mutant> all;
  for (auto family :
       {formula_mutants, function_mutants, tensor_mutants, loss_mutants, normalization_mutants,
        attention_mutants, image_mutants, behaviour_mutants, rule_mutants, network_rule_mutants,
        index_mutants, algebra_mutants, pooling_mutants, recurrent_mutants, resampling_mutants,
        elementwise_rule_mutants}) {
    for (Mutant& mutant : family()) all.push_back(std::move(mutant));
  }
  return all;
}

std::vector<Mutant> right_kernels() {
  std::vector<Mutant> all = unchanged();
  for (Mutant& right : right_recurrent_steps()) all.push_back(std::move(right));
  std::set<std::string> families;
  for (const Mutant& mutant : all_mutants()) {
    if (!mutant.right || !families.insert(mutant.family).second) continue;
    all.push_back({.family = mutant.family, .edit = "unchanged", .make = mutant.right});
  }
  return all;
}

std::optional<Finding> first_finding(const Mutant& mutant) {
  Report report;
  mutant.with([&] { report = check_operator(mutant.make(), until_wrong()); });
  for (Finding& finding : report.findings) {
    if (finding.verdict == Verdict::wrong || finding.verdict == Verdict::inexact)
      return std::move(finding);
  }
  return std::nullopt;
}

}  // namespace aclgrad::mutants
