// SPDX-License-Identifier: Apache-2.0
// Trains a problem and compares what comes of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/training/models/problem.h"

namespace aclgrad::training {

/// What training leaves. Losses are those before each step; the tensors, in order, the losses, the
/// model's parameters and buffers, the loss of the evaluation and the predictions for it.
struct Trained {
  NamedTensors tensors;

  const Tensor& operator[](std::string_view name) const;
};

/// How to train.
struct Way {
  Numbers numbers = {};
  TrainerOptions trainer = {};
  std::int64_t evaluation_batch_size = 0;      // 0: the problem's
  std::function<void(Problem&)> prepare = {};  // before the first step
  std::function<void(Trainer&)> after_step = {};
};

Trained train(const Spec& spec, const Way& way = {});

/// What a trainer and its model have after the losses of its steps.
Trained outcome(const Problem& problem, Trainer& trainer, const std::vector<double>& losses,
                std::int64_t evaluation_batch_size = 0);

/// The first difference in bits; nothing where there is none.
std::optional<std::string> different_bits(const Trained& a, const Trained& b);

/// Whether two ways of training are the same up to rounding. How far rounding carries is measured:
/// `nudged(i)` trains with numbers moved by a rounding, differently for every i > 0, and what that
/// does to each tensor, times kMargin, is allowed, since training rounds in every operation and
/// nudges only what goes in. A difference beyond it has to stand against many nudges before it is
/// believed: a number at a corner (of relu, say) is at it for the nudged runs, too. Nothing is said
/// of tensors that roundings change as much as they are large. Returns the difference.
inline constexpr double kMargin = 32;
std::optional<std::string> different_numbers(const Trained& expected, const Trained& got,
                                             const std::function<Trained(std::uint64_t)>& nudged,
                                             double unit);

/// The largest finite magnitude among the numbers.
double largest_of(const Trained& trained);

/// The roundings of a dtype: half the distance from 1 to the next number.
double unit_of(DType dtype);

}  // namespace aclgrad::training
