// SPDX-License-Identifier: Apache-2.0
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using namespace gradcheck;

// Random choices, one after the other.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return random_bits(seed_, next_++) % bound; }
  double between(double low, double high) {
    return low + (high - low) * random_unit(seed_, next_++);
  }
  bool coin() { return below(2) == 0; }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

Dims random_shape(Dice& dice, std::size_t least_rank, std::size_t most_rank) {
  Dims shape(least_rank + dice.below(most_rank - least_rank + 1));
  for (std::int64_t& extent : shape) extent = 1 + static_cast<std::int64_t>(dice.below(5));
  return shape;
}

Attributes random_attributes(Dice& dice) {
  return {.alpha = dice.between(0.05, 4),
          .scale = dice.between(0.1, 3),
          .input_scale = dice.between(0.1, 3),
          .is_result = dice.coin(),
          .dim = -1,
          .approximate = static_cast<int>(dice.below(2)),
          .activate_left = dice.coin(),
          .reduction = static_cast<int>(dice.below(3))};
}

Subject random_subject(const LibraryPointer& library, Dice& dice) {
  static const std::vector<std::string> names = operator_names();
  const std::string& op = names[dice.below(names.size())];
  Attributes attributes = random_attributes(dice);
  if (op == "nll_loss") {
    return make_subject(library, op, attributes,
                        Dims{8 + static_cast<std::int64_t>(dice.below(5)),
                             4 + static_cast<std::int64_t>(dice.below(4))});
  }
  const bool needs_dim = op == "geglu" || op == "geglu_v3" || op == "log_softmax";
  Dims shape = random_shape(dice, needs_dim ? 1 : 0, 3);
  if (needs_dim) {
    attributes.dim = static_cast<int>(dice.below(shape.size()));
    if (op != "log_softmax") shape[static_cast<std::size_t>(attributes.dim)] *= 2;
    if (dice.coin()) attributes.dim -= static_cast<int>(shape.size());
  }
  return make_subject(library, op, attributes, shape);
}

}  // namespace

Sweep sweep_correct_operators(std::int64_t configurations, std::uint64_t seed) {
  constexpr DType kDTypes[] = {DType::float32, DType::float16, DType::bfloat16};
  // Scalars and arrays live as long as their library: a fresh one now and then.
  constexpr std::int64_t kPerLibrary = 500;
  Sweep sweep;
  LibraryPointer library;
  for (std::int64_t i = 0; i < configurations; ++i) {
    if (i % kPerLibrary == 0) library = Library::linked();
    Dice dice(seed * 1000003 + static_cast<std::uint64_t>(i));
    const Subject subject = random_subject(library, dice);
    Options options;
    options.dtypes = {kDTypes[dice.below(3)]};
    options.layouts = {kLayouts[dice.below(4)]};
    options.seed = dice.below(1u << 20);
    options.draws = 1;
    options.behaviour = dice.below(8) == 0;
    options.every_shape = false;
    const Report report = check_operator(subject.checked, options);
    ++sweep.configurations;
    if (!report.passed()) {
      if (sweep.alarms++ == 0) sweep.first_alarm = report.to_string();
    } else if (report.undecided()) {
      if (sweep.undecided++ == 0 && sweep.first_alarm.empty()) {
        sweep.first_alarm = report.to_string();
      }
    }
  }
  return sweep;
}

}  // namespace aclgrad::mutants
