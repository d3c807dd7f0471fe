// SPDX-License-Identifier: Apache-2.0
#include "bench/checkers/mutants_c.h"

#include <algorithm>
#include <exception>

#include "bench/checkers/callee.h"

using aclgrad::DType;
using aclgrad::bench::Callee;
using aclgrad::bench::contestants;
using namespace aclgrad::gradcheck;

struct aclgradMutant {
  Callee callee;
  Arrays inputs;  // of one draw: their shapes
  Array result;
  std::string failure = {};
};

namespace {

const aclgrad::mutants::Mutant* find(int number) {
  const bool is_one = number >= 0 && number < aclgradMutantCount();
  return is_one ? &contestants().all[static_cast<std::size_t>(number)] : nullptr;
}

const Array& input_of(const aclgradMutant* mutant, int input) {
  return mutant->inputs[static_cast<std::size_t>(input)];
}

int rank_of(const Array& array, std::int64_t shape[8]) {
  std::ranges::copy(array.shape, shape);
  return static_cast<int>(array.shape.size());
}

Arrays read(const aclgradMutant* mutant, double* const* from) {
  Arrays inputs = mutant->inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    std::copy_n(from[k], inputs[k].values.size(), inputs[k].values.begin());
  }
  return inputs;
}

void write(const Array& array, double* to) {
  std::ranges::transform(array.values, to, [](Number x) { return static_cast<double>(x); });
}

}  // namespace

extern "C" {

int aclgradMutantCount(void) { return static_cast<int>(contestants().all.size()); }
int aclgradMutantWrong(void) { return static_cast<int>(contestants().wrong); }

const char* aclgradMutantName(int number) {
  static std::string name;
  const aclgrad::mutants::Mutant* const mutant = find(number);
  name = mutant == nullptr ? "" : mutant->family + ": " + mutant->edit;
  return name.c_str();
}

const char* aclgradMutantFunction(int number) {
  static std::string name;
  const aclgrad::mutants::Mutant* const mutant = find(number);
  name = mutant == nullptr ? "" : mutant->make().title();
  return name.c_str();
}

aclgradMutant* aclgradMutantOpen(int number, int bits) {
  const aclgrad::mutants::Mutant* const mutant = find(number);
  if (mutant == nullptr || (bits != 32 && bits != 64)) return nullptr;
  auto* const opened =
      new aclgradMutant{Callee(*mutant, bits == 64 ? DType::float64 : DType::float32), {}, {}};
  opened->inputs = opened->callee.draw(1);
  opened->result = opened->callee.forward(opened->inputs);
  return opened;
}

void aclgradMutantClose(aclgradMutant* mutant) { delete mutant; }

int aclgradMutantInputs(aclgradMutant* mutant) { return static_cast<int>(mutant->inputs.size()); }

int aclgradMutantHasGradient(aclgradMutant* mutant, int input) {
  return std::ranges::count(mutant->callee.differentiable(), static_cast<std::size_t>(input)) > 0;
}

int aclgradMutantShape(aclgradMutant* mutant, int input, std::int64_t shape[8]) {
  return rank_of(input_of(mutant, input), shape);
}

void aclgradMutantDraw(aclgradMutant* mutant, std::uint64_t seed, int input, double* values) {
  write(mutant->callee.draw(seed)[static_cast<std::size_t>(input)], values);
}

int aclgradMutantResultShape(aclgradMutant* mutant, std::int64_t shape[8]) {
  return rank_of(mutant->result, shape);
}

void aclgradMutantForward(aclgradMutant* mutant, double* const* inputs, double* result) {
  write(mutant->callee.forward(read(mutant, inputs)), result);
}

const char* aclgradMutantBackward(aclgradMutant* mutant, double* const* inputs, double* upstream,
                                  double* const* gradients) {
  mutant->failure.clear();
  try {
    Arrays given = read(mutant, inputs);
    Array arriving = mutant->result;
    std::copy_n(upstream, arriving.values.size(), arriving.values.begin());
    std::vector<bool> wanted;
    for (std::size_t k = 0; k < mutant->callee.differentiable().size(); ++k) {
      wanted.push_back(gradients[k] != nullptr);
    }
    const Arrays results = mutant->callee.backward(given, arriving, wanted);
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (wanted[k]) write(results[k], gradients[k]);
    }
    for (std::size_t k = 0; k < given.size(); ++k) write(given[k], inputs[k]);
    write(arriving, upstream);
  } catch (const std::exception& error) {
    mutant->failure = error.what();
  }
  return mutant->failure.c_str();
}

}  // extern "C"
