// SPDX-License-Identifier: Apache-2.0
#include "tests/training/models/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aclgrad::training {
namespace {

Tensor all_of(const std::vector<double>& values) {
  return Tensor::from({static_cast<std::int64_t>(values.size())}, values, DType::float64);
}

// Infinity where one has a NaN or an infinity that the other has not.
double distance(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return INFINITY;
  double largest = 0;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const double x = a.get(i), y = b.get(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double apart = std::abs(x - y);
    largest = std::isfinite(apart) ? std::max(largest, apart) : INFINITY;
  }
  return largest;
}

double magnitude(const Tensor& tensor) {
  double largest = 0;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const double size = std::abs(tensor.get(i));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest;
}

}  // namespace

const Tensor& Trained::operator[](std::string_view name) const {
  for (const auto& [other, tensor] : tensors) {
    if (other == name) return tensor;
  }
  throw ValueError(fmt::format("training left no `{}`", name));
}

Trained outcome(const Problem& problem, Trainer& trainer, const std::vector<double>& losses,
                std::int64_t evaluation_batch_size) {
  const std::int64_t size =
      evaluation_batch_size > 0 ? evaluation_batch_size : problem.evaluation_batch_size;
  Trained trained{.tensors = {{"losses", all_of(losses)}}};
  for (auto& [name, tensor] : values_of(problem.model.state())) {
    trained.tensors.emplace_back(name, tensor);
  }
  trained.tensors.emplace_back("evaluation", all_of({trainer.evaluate(problem.evaluation, size)}));
  trained.tensors.emplace_back("predictions",
                               Predictor(problem.predict, size)(problem.evaluation.features));
  return trained;
}

Trained train(const Spec& spec, const Way& way) {
  const std::unique_ptr<Problem> problem = build(spec, way.numbers);
  if (way.prepare) way.prepare(*problem);
  Trainer trainer(problem->model, problem->loss, *problem->optimizer, way.trainer);
  std::vector<double> losses;
  for (std::int64_t step = 0; step < problem->steps; ++step) {
    losses.push_back(trainer.step(problem->batch(step)));
    if (way.after_step) way.after_step(trainer);
  }
  return outcome(*problem, trainer, losses, way.evaluation_batch_size);
}

std::optional<std::string> different_bits(const Trained& a, const Trained& b) {
  if (a.tensors.size() != b.tensors.size()) return "other tensors";
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    const auto& [name, tensor] = a.tensors[i];
    if (!bitwise_equal(tensor, b.tensors[i].second)) {
      return fmt::format("`{}` has other bits: {} apart", name,
                         distance(tensor, b.tensors[i].second));
    }
  }
  return {};
}

std::optional<std::string> different_numbers(const Trained& expected, const Trained& got,
                                             const std::function<Trained(std::uint64_t)>& nudged,
                                             double unit) {
  constexpr std::uint64_t kFew = 2, kMany = 24;
  std::vector<Trained> runs;
  for (std::size_t i = 0; i < expected.tensors.size(); ++i) {
    const auto& [name, tensor] = expected.tensors[i];
    const double apart = distance(tensor, got[name]);
    double carried = 0;
    const auto allowed = [&] { return kMargin * (carried + 4 * unit * magnitude(tensor)); };
    for (std::uint64_t run = 0; run < kMany; ++run) {
      if (run >= kFew && apart <= allowed()) break;
      if (run >= runs.size()) runs.push_back(nudged(run + 1));
      carried = std::max(carried, distance(tensor, runs[run].tensors[i].second));
    }
    // Where roundings carry as far as the numbers are large, or make infinities, none is right.
    if (apart <= allowed() || !(carried < magnitude(tensor))) continue;
    return fmt::format("`{}` differs by {:.3g}; roundings carry {:.3g}", name, apart, carried);
  }
  return {};
}

double largest_of(const Trained& trained) {
  double largest = 0;
  for (const auto& [name, tensor] : trained.tensors) {
    largest = std::max(largest, magnitude(tensor));
  }
  return largest;
}

double unit_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 0x1p-53;
    case DType::float16:
      return 0x1p-11;
    case DType::bfloat16:
      return 0x1p-8;
    default:
      return 0x1p-24;
  }
}

}  // namespace aclgrad::training
