// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/iterate.h"
#include "ops/engine/math/scalar_math.h"
#include "ops/optimizer/adamw_kernel.h"
#include "ops/optimizer/adamw_kernel_step.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 14;
constexpr size_t kMaxTensors = 5;

// Whether it is a float: a weight of at least 1/2 that the caller gave as a float is, and so is
// what it leaves to 1.
bool is_short(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

bool is_moderate(double value) { return std::abs(value) > 0x1p-40 && std::abs(value) < 0x1p40; }

// beta1_power and beta2_power: the t-th powers, t the number of this step.
AdamWFactors factors_of(const AdamWSettings& settings, double beta1_power, double beta2_power) {
  AdamWFactors result{.beta1 = settings.beta1,
                      .one_less_beta1 = settings.maximize ? settings.beta1 - 1 : 1 - settings.beta1,
                      .beta2 = settings.beta2,
                      .one_less_beta2 = 1 - settings.beta2,
                      .decay = 1 - settings.lr * settings.weight_decay,
                      .root_factor = 1 / std::sqrt(1 - beta2_power),
                      .eps = settings.eps,
                      .minus_step_size = -settings.lr / (1 - beta1_power),
                      .fits_float = false};
  const auto all = {result.one_less_beta1, result.one_less_beta2, result.root_factor,
                    result.minus_step_size};
  const auto or_zero = {result.beta1, result.beta2, result.decay, result.eps};
  const auto weights = {result.beta1, result.one_less_beta1, result.beta2, result.one_less_beta2};
  result.fits_float = std::all_of(all.begin(), all.end(), is_moderate) &&
                      std::all_of(or_zero.begin(), or_zero.end(),
                                  [](double value) { return value == 0 || is_moderate(value); }) &&
                      std::all_of(weights.begin(), weights.end(), is_short);
  return result;
}

using FactorsOfRun = std::function<AdamWFactors(const Run&)>;

// Where the step's number is a tensor.
struct FactorsOfStep {
  AdamWSettings settings;
  size_t step;
  aclDataType dtype;

  AdamWFactors operator()(const Run& run) const {
    double steps_done = 0;
    load(run.data(step), dtype, 1, &steps_done, 1);
    const double t = steps_done + 1;
    return factors_of(settings, power(settings.beta1, t), power(settings.beta2, t));
  }
};

// Dense tensors of one dtype, in one pass over their own memory. An elementwise loop would give the
// same, but could not be run in units, as its factors are those of a whole run. A unit is an
// element.
class DenseStep final : public Tiling {
 public:
  DenseStep(bool amsgrad, aclDataType dtype, int64_t count, std::vector<size_t> parameters,
            const FactorsOfStep& factors)
      : amsgrad_(amsgrad),
        dtype_(dtype),
        count_(count),
        parameters_(std::move(parameters)),
        factors_(factors) {}

  aclError run(const Run& run) const {
    const AdamWFactors factors = factors_(run);
    parallel_pieces(count_, kGrain, [&](int64_t begin, int64_t end) {
      step(run, factors, {begin, end, 1, end - begin, false});
    });
    return ACL_SUCCESS;
  }

  int64_t units() const override { return count_; }
  // All are read, and all but the gradient are written; last comes the number of the step.
  size_t operand_count() const override { return 2 * parameters_.size(); }
  Footprint footprint(size_t index) const override {
    const auto size = static_cast<int64_t>(element_size(dtype_));
    if (index < parameters_.size()) return {parameters_[index], 0, size, size, false};
    if (index + 1 == operand_count()) {
      return {factors_.step, 0, 0, static_cast<int64_t>(element_size(factors_.dtype)), false};
    }
    const size_t output = index - parameters_.size();
    return {parameters_[output < kGradient ? output : output + 1], 0, size, size, true};
  }
  void run_part(const Run& run, const Part& part) const override {
    step(run, factors_(run), part.joined());
  }

 private:
  static constexpr size_t kGradient = 3;

  void step(const Run& run, const AdamWFactors& factors, const Part& part) const {
    std::array<void*, kMaxTensors> data{};
    for (size_t k = 0; k < parameters_.size(); ++k) {
      data[k] = element(run.data(parameters_[k]), dtype_, part.begin);
    }
    const std::array<const void*, kMaxTensors> in = {data[0], data[1], data[2], data[3], data[4]};
    const std::array<void*, kMaxTensors - 1> out = {data[0], data[1], data[2], data[4]};
    std::array<int64_t, kMaxTensors> strides{};
    strides.fill(part.stride * static_cast<int64_t>(element_size(dtype_)));
    adamw_native(amsgrad_, factors,
                 {.dtype = dtype_,
                  .in = in.data(),
                  .out = out.data(),
                  .count = static_cast<size_t>(part.end - part.begin),
                  .rows = static_cast<size_t>(part.rows),
                  .in_strides = strides.data(),
                  .out_strides = strides.data()});
  }

  bool amsgrad_;
  aclDataType dtype_;
  int64_t count_;
  std::vector<size_t> parameters_;  // theta, m, v, gradient, with amsgrad the largest v so far
  FactorsOfStep factors_;
};

// All others, by the elementwise engine.
class ViewStep {
 public:
  // The largest v is an output, too, if it is kept.
  ViewStep(bool amsgrad, const Dims& shape, std::vector<Operand> outputs,
           std::vector<Operand> inputs, FactorsOfRun factors_of_run, bool keeps_largest)
      : factors_of_run_(std::move(factors_of_run)),
        loop_(shape, std::move(outputs), std::move(inputs), kernel(amsgrad, keeps_largest)) {}

  // The loop's kernel sees the factors of one run at a time.
  aclError run(const Run& run) {
    const std::lock_guard lock(mutex_);
    factors_ = factors_of_run_(run);
    return loop_(run);
  }

 private:
  Kernel kernel(bool amsgrad, bool keeps_largest) const {
    RealKernel exact = [=, this](const double* const* in, double* const* out, size_t count) {
      adamw_exact(amsgrad, keeps_largest, factors_, in, out, count);
    };
    if (!keeps_largest) return exact;
    return FloatKernel{std::move(exact), [=, this](const NativeBlock& block) {
                         adamw_native(amsgrad, factors_, block);
                       }};
  }

  std::mutex mutex_;
  FactorsOfRun factors_of_run_;
  AdamWFactors factors_{};
  Elementwise loop_;
};

std::vector<Operand> operands(const Arguments& arguments, const std::vector<size_t>& parameters,
                              const Dims& shape) {
  std::vector<Operand> result;
  for (const size_t each : parameters) result.push_back(operand(arguments, each, shape));
  return result;
}

Plan plan_of(std::shared_ptr<ViewStep> step) {
  return {[step = std::move(step)](const Run& run) { return step->run(run); }};
}

}  // namespace

Plan plan_adamw(const Arguments& arguments, const AdamWParameters& parameters,
                const AdamWSettings& settings) {
  std::vector<size_t> outputs = {parameters.var, parameters.m, parameters.v};
  std::vector<size_t> inputs = {parameters.var, parameters.m, parameters.v, parameters.gradient};
  if (settings.amsgrad) {
    outputs.push_back(parameters.largest_v);
    inputs.push_back(parameters.largest_v);
  }
  const Dims& shape = arguments.shape(parameters.var);
  const aclDataType dtype = arguments.dtype(parameters.var);
  const bool dense = std::all_of(inputs.begin(), inputs.end(), [&](size_t each) {
    return arguments.dtype(each) == dtype && StridedIndex(shape, arguments.strides(each)).dense();
  });
  const FactorsOfStep factors{settings, parameters.step, arguments.dtype(parameters.step)};
  if (dense && dtype != ACL_DOUBLE) {
    const auto step = std::make_shared<const DenseStep>(settings.amsgrad, dtype,
                                                        count_elements(shape), inputs, factors);
    return {[step](const Run& run) { return step->run(run); }, 0, step};
  }
  return plan_of(std::make_shared<ViewStep>(
      settings.amsgrad, shape, operands(arguments, outputs, shape),
      operands(arguments, inputs, shape), factors, /*keeps_largest=*/true));
}

Plan plan_adamw(const Arguments& arguments, const AdamWParameters& parameters,
                const AdamWNumbers& numbers, bool amsgrad, bool maximize) {
  const Dims& shape = arguments.shape(parameters.var);
  const auto factors = [=, dtype = arguments.dtype(parameters.var)](const Run& run) {
    const auto read = [&](size_t parameter) {
      double value = 0;
      load(run.data(parameter), dtype, 1, &value, 1);
      return value;
    };
    const AdamWSettings settings{read(numbers.lr),
                                 read(numbers.beta1),
                                 read(numbers.beta2),
                                 read(numbers.weight_decay),
                                 read(numbers.eps),
                                 amsgrad,
                                 maximize};
    return factors_of(settings, read(numbers.beta1_power) * settings.beta1,
                      read(numbers.beta2_power) * settings.beta2);
  };
  std::vector<size_t> outputs = {parameters.var, parameters.m, parameters.v};
  std::vector<size_t> inputs = {parameters.var, parameters.m, parameters.v, parameters.gradient};
  if (amsgrad) inputs.push_back(parameters.largest_v);
  return plan_of(std::make_shared<ViewStep>(amsgrad, shape, operands(arguments, outputs, shape),
                                            operands(arguments, inputs, shape), factors,
                                            /*keeps_largest=*/false));
}

}  // namespace aclgrad::ops
