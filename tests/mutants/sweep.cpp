// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"
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

constexpr std::int64_t kAddmmColumns = 10;  // of the contract of addmm

// A factor that every floating type holds exactly: rules round theirs to the dtype.
double random_factor(Dice& dice) { return std::round(dice.between(-3, 3) * 16) / 16; }

// A number for every option that is one; --dim is chosen with the shape.
Attributes random_attributes(Dice& dice) {
  const auto flag = [&] { return dice.coin() ? 1.0 : 0.0; };
  const auto choice = [&](std::uint64_t count) { return static_cast<double>(dice.below(count)); };
  return {{{"alpha", dice.between(0.05, 4)},
           {"beta", random_factor(dice)},
           {"scale", dice.between(0.1, 3)},
           {"inputScale", dice.between(0.1, 3)},
           {"value", random_factor(dice)},
           {"isResult", flag()},
           {"dim", -1.0},
           {"approximate", choice(2)},
           {"activateLeft", flag()},
           {"reduction", choice(3)},
           {"keepDims", flag()}}};
}

// Another operand that broadcasts to the shape.
Dims narrowed(Dims shape, Dice& dice) {
  for (std::int64_t& extent : shape) {
    if (dice.coin()) extent = 1;
  }
  const auto dropped = static_cast<std::ptrdiff_t>(dice.below(shape.size() + 1));
  shape.erase(shape.begin(), shape.begin() + dropped);
  return shape;
}

bool is_one_of(const std::string& op, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

bool takes(const std::string& op, const char* option) {
  const std::vector<std::string> options = options_of(op);
  return std::find(options.begin(), options.end(), option) != options.end();
}

Target random_product(const LibraryPointer& library, const std::string& op, Attributes attributes,
                      Dice& dice) {
  Dims shape = random_shape(dice, 2, op == "matmul" ? 4 : 2);
  attributes.given["alpha"] = random_factor(dice);
  if (op == "addmm") {
    Dims self = narrowed({shape[0], kAddmmColumns}, dice);
    attributes.given["other"] = self.empty() ? Dims{kAddmmColumns} : self;
    return make_target(library, op, attributes, shape);
  }
  Dims other = {shape.back(), 1 + static_cast<std::int64_t>(dice.below(5))};
  if (shape.size() > 2 && dice.coin()) {
    const Dims batch = narrowed(Dims(shape.begin(), shape.end() - 2), dice);
    other.insert(other.begin(), batch.begin(), batch.end());
  }
  if (op == "matmul" && dice.below(4) == 0) other = {shape.back()};
  if (op == "matmul" && dice.below(4) == 0) shape = {shape.back()};
  attributes.given["other"] = other;
  return make_target(library, op, attributes, shape);
}

// One of an operator's samples, whose attributes fit their shapes.
Target random_sample(const LibraryPointer& library, const std::string& op, Dice& dice) {
  const std::vector<Attributes> all = variants(op);
  return make_target(library, op, all[dice.below(all.size())]);
}

Target random_target(const LibraryPointer& library, Dice& dice) {
  static const std::vector<std::string> names = differentiable_names();
  constexpr DType kFloating[] = {DType::float32, DType::float16, DType::bfloat16};
  const std::string& op = names[dice.below(names.size())];
  Attributes attributes = random_attributes(dice);
  if (op == "nll_loss") {
    return make_target(library, op, attributes,
                       Dims{8 + static_cast<std::int64_t>(dice.below(5)),
                            4 + static_cast<std::int64_t>(dice.below(4))});
  }
  if (is_one_of(op, {"matmul", "mm", "addmm"})) {
    return random_product(library, op, attributes, dice);
  }
  if (is_one_of(op, {"softplus", "smooth_l1_loss"}))
    attributes.given["beta"] = dice.between(0.1, 3);
  if (op.find("_pool") != op.npos || is_one_of(op, {"convolution", "batch_norm", "group_norm"})) {
    return random_sample(library, op, dice);
  }
  // What the contract says of an operator's attributes goes with a shape of any rank; those that
  // need another take one of their samples.
  const bool has_dim = takes(op, "--dim");
  const bool has_dims = takes(op, "--dims");
  Dims shape = random_shape(dice, has_dim || has_dims ? 1 : 0, 3);
  if (has_dim) {
    auto dim = static_cast<double>(dice.below(shape.size()));
    shape[static_cast<std::size_t>(dim)] *= 2;  // some halve it
    if (dice.coin()) dim -= static_cast<double>(shape.size());
    attributes.given["dim"] = dim;
  }
  if (has_dims) {
    Dims dims;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (dice.coin()) dims.push_back(static_cast<std::int64_t>(d));
    }
    attributes.given["dims"] = dims;
  }
  if (takes(op, "--into") && dice.coin()) {
    attributes.given["into"] = static_cast<aclDataType>(kFloating[dice.below(3)]);
  }
  if (is_one_of(op, {"add", "sub", "adds", "subs"})) {
    attributes.given["alpha"] = random_factor(dice);
  }
  if (takes(op, "--other") && dice.coin()) attributes.given["other"] = narrowed(shape, dice);
  try {
    return make_target(library, op, attributes, shape);
  } catch (const ValueError&) {  // no shape for this operator
    return random_sample(library, op, dice);
  }
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
    const Target target = random_target(library, dice);
    Options options;
    options.dtypes = {kDTypes[dice.below(3)]};
    options.layouts = {kLayouts[dice.below(std::size(kLayouts))]};
    options.seed = dice.below(1u << 20);
    options.draws = 1;
    options.behaviour = dice.below(8) == 0;
    options.every_shape = false;
    const Report report = check_operator(target.candidate, options);
    ++sweep.configurations;
    if (report.passed()) continue;
    // Of empty tensors alone, which a check calls undecided.
    if (report.elements() == 0 && report.verdict() == gradcheck::Verdict::inconclusive) {
      continue;
    }
    const bool is_alarm = report.verdict() != Verdict::inconclusive;
    if (sweep.first_alarm.empty() || (is_alarm && sweep.alarms == 0)) {
      sweep.first_alarm = report.to_string();
    }
    ++(is_alarm ? sweep.alarms : sweep.inconclusive);
  }
  return sweep;
}

}  // namespace aclgrad::mutants
