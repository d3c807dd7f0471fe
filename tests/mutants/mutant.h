// SPDX-License-Identifier: Apache-2.0
// Mutants: operators whose backward has one small mistake, to see whether gradcheck finds it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/operator.h"
#include "gradcheck/tool/catalogue.h"

namespace aclgrad::mutants {

using gradcheck::Candidate;

struct Mutant {
  std::string family;
  std::string edit;
  std::function<Candidate()> make;
  // Calls `use` while the mistake is in force; just calls it when the mistake is in the operator.
  std::function<void(const std::function<void()>& use)> with =
      [](const std::function<void()>& use) { use(); };
  // The same operator without the mistake, where it is made by the same kernel.
  std::function<Candidate()> right = {};
};

/// Numbers as a kernel sees them: inputs in order, row-major.
using Values = std::vector<std::vector<double>>;
using Kernel = std::function<std::vector<double>(const Values& inputs)>;

/// A backward that reads its inputs, computes in double, and writes rounded results.
gradcheck::Backward run_kernel(Kernel kernel);

/// A Kernel with several gradients.
using Kernels = std::function<Values(const Values& inputs)>;
gradcheck::Backward run_kernels(Kernels kernels);

/// The names of the mistakes in force; none: the kernel is right.
using Edits = std::set<std::string>;

/// One kernel with a switch for every mistake: a mutant for each of `edits`.
void add_mutants(std::vector<Mutant>& all, const char* family, const char* op,
                 const gradcheck::Attributes& attributes,
                 const std::function<Kernels(const Edits&)>& kernels,
                 const std::vector<const char*>& edits,
                 const std::optional<gradcheck::Dims>& shape = std::nullopt);

/// add_mutants() for a formula of gradient and one saved element.
using Formula = std::function<double(double g, double s)>;
gradcheck::Backward run_formula(Formula formula);

/// An operator of the catalogue whose backward is replaced, on tensors of a shape or of its own.
Candidate with_backward(const std::string& op, const gradcheck::Attributes& attributes,
                        gradcheck::Backward backward,
                        const std::optional<gradcheck::Dims>& shape = std::nullopt);

/// Mutants by family.
std::vector<Mutant> algebra_mutants();
std::vector<Mutant> formula_mutants();
std::vector<Mutant> tensor_mutants();
std::vector<Mutant> behaviour_mutants();
std::vector<Mutant> rule_mutants();
std::vector<Mutant> function_mutants();
std::vector<Mutant> normalization_mutants();
std::vector<Mutant> attention_mutants();
std::vector<Mutant> elementwise_rule_mutants();
std::vector<Mutant> image_mutants();
std::vector<Mutant> index_mutants();
std::vector<Mutant> loss_mutants();
std::vector<Mutant> network_rule_mutants();
std::vector<Mutant> pooling_mutants();
std::vector<Mutant> recurrent_mutants();
std::vector<Mutant> resampling_mutants();
std::vector<Mutant> all_mutants();

/// Operators that are right: written with the same kernels, and those of the graph.
std::vector<Mutant> unchanged();  // of formulas
std::vector<Mutant> right_recurrent_steps();
std::vector<Mutant> right_kernels();
std::vector<Mutant> graph_operators();

/// What gradcheck finds wrong first.
std::optional<gradcheck::Finding> first_finding(const Mutant& mutant);

/// Correct operators under random attributes, shapes, layouts, dtypes and inputs.
struct Sweep {
  std::int64_t configurations = 0;
  std::int64_t alarms = 0;
  std::int64_t inconclusive = 0;
  std::string first_alarm;
};
Sweep sweep_correct_operators(std::int64_t configurations, std::uint64_t seed);

}  // namespace aclgrad::mutants
