// SPDX-License-Identifier: Apache-2.0
#include "bench/checkers/mutants_c.h"

#include <algorithm>
#include <exception>
#include <sstream>

#include "bench/checkers/callee.h"
#include "gradcheck/tool/settings.h"

using aclgrad::DType;
using aclgrad::bench::Callee;
using aclgrad::bench::contestants;
using aclgrad::mutants::Mutant;
using namespace aclgrad::gradcheck;

struct aclgradMutant {
  Callee callee;
  Arrays inputs;  // of one draw: their shapes
  Array result;
  std::string failure = {};
};

namespace {

const Mutant* find(int number) {
  const bool is_one = number >= 0 && number < aclgradMutantCount();
  return is_one ? &contestants().all[static_cast<std::size_t>(number)] : nullptr;
}

// What "--alpha 1.25 --is-result --dims=0,1" sets.
Attributes attributes_of(std::istringstream options) {
  Plan plan;
  std::string name;
  std::string value;
  const auto set_last = [&] {
    if (!name.empty()) set(plan, name, value.empty() ? "true" : value);
  };
  for (std::string word; options >> word;) {
    if (!word.starts_with("--")) {
      value = word;
      continue;
    }
    set_last();
    const std::size_t equals = std::min(word.find('='), word.size());
    name = word.substr(2, equals - 2);
    value = equals < word.size() ? word.substr(equals + 1) : "";
  }
  set_last();
  return plan.attributes;
}

bool is_alike(const Candidate& a, const Candidate& b) {
  const auto has_shape_of = [](const aclgrad::contract::Parameter* one,
                               const aclgrad::contract::Parameter* other) {
    return one->tensor()->shape == other->tensor()->shape;
  };
  return a.title() == b.title() && std::ranges::equal(a.inputs(), b.inputs(), has_shape_of);
}

// "--op elu --alpha 1.25"; "" where options cannot say what the mutant is given.
std::string command_of(const Mutant& mutant) {
  const Candidate wanted = mutant.make();
  constexpr std::string_view kProgram = "aclgrad-gradcheck --op ";
  if (!wanted.reproduce.starts_with(kProgram)) return "";
  const std::string command = wanted.reproduce.substr(kProgram.size());
  const std::size_t end = std::min(command.find(' '), command.size());
  const std::string op = command.substr(0, end);
  const std::string options = command.substr(end);
  const Attributes attributes = attributes_of(std::istringstream(options));
  const auto makes_it = [&](const std::optional<Dims>& shape) {
    return is_alike(make_target(Library::linked(), op, attributes, shape).candidate, wanted);
  };
  if (makes_it(std::nullopt)) return "--op " + op + options;
  const Dims& shape = wanted.shape();
  return makes_it(shape) ? "--op " + op + options + " --shape " + dims_text(shape) : "";
}

// A text about a mutant, until the next call.
template <class About>
const char* kept(int number, About about) {
  static std::string text;
  const Mutant* const mutant = find(number);
  text = mutant == nullptr ? "" : about(*mutant);
  return text.c_str();
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
  return kept(number, [](const Mutant& mutant) { return mutant.family + ": " + mutant.edit; });
}

const char* aclgradMutantFunction(int number) {
  return kept(number, [](const Mutant& mutant) { return mutant.make().title(); });
}

const char* aclgradMutantCommand(int number) { return kept(number, command_of); }

aclgradMutant* aclgradMutantOpen(int number, int bits) {
  const Mutant* const mutant = find(number);
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
