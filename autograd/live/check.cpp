// SPDX-License-Identifier: Apache-2.0
#include "live/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/gradcheck_derivative.h"
#include "dependents.h"
#include "gradcheck/double_copy.h"
#include "session/state.h"

namespace aclgrad::live {
namespace {

constexpr int kRows = 6;

// Backward goes on from an edited result as if the operator had made it, which is no derivative of
// what lies before it. Throws ValueError where the value does.
void refuse_before_edits(const Graph& graph, const Edits& edits, const Value& value) {
  if (edits.empty()) return;
  const auto reached = detail::dependents(graph, {value}, static_cast<NodeId>(graph.size()) - 1);
  for (const Edit& edit : edits) {
    if (edit.value == value.id() || !reached.contains(edit.value)) continue;
    throw ValueError(fmt::format(
        "{} lies before {}, which is edited: release that, or check what comes after it",
        value.description(), graph.value(edit.value).description()));
  }
}

// The loss in float64 as a function of the element.
class Curve {
 public:
  Curve(const Look& look, const data::Dataset& batch, const Edits& edits, const Value& value,
        std::int64_t index)
      : copy_(detail::copy_as_double(look.step().loss)), index_(index) {
    const auto found = copy_.copies.find(value.id());
    if (found == copy_.copies.end()) {
      throw ValueError(fmt::format("the loss does not depend on {}", value.description()));
    }
    at_ = found->second;
    gradient_ = backward(copy_.result, {at_})[at_];
    SessionOptions eager;
    eager.eager = true;
    session_ = std::make_unique<detail::SessionState>(
        copy_.graph, std::vector<Fetch>{copy_.result, gradient_}, eager);
    fill_leaves(batch);
    for (Edit edit : edits) {
      const auto copied = copy_.copies.find(edit.value);
      if (copied == copy_.copies.end()) continue;
      edit.value = copied->second.id();
      edits_.set(edit);
    }
    run(edits_);
    centre_ = element();
    ours_ = session_->executable().memory().download(gradient_.id()).get(index);
  }

  double centre() const { return centre_; }
  double ours() const { return ours_; }

  double operator()(long double x) {
    Edits edits = edits_;
    edits.set({at_.id(), index_, static_cast<double>(x)});
    run(edits);
    return session_->executable().memory().download(copy_.result.id()).item();
  }

 private:
  void fill_leaves(const data::Dataset& batch) {
    const auto parts = batch.tensors();
    for (const auto& [original, input] : copy_.leaves) {
      if (const Variable* variable = original.variable()) {
        point_.push_back(variable->value().to(input.dtype()));
        continue;
      }
      const auto part = std::ranges::find_if(
          parts, [&](const auto& each) { return each.first == original.name(); });
      point_.push_back(part->second->to(input.dtype()));
    }
  }

  // As the latest run had it.
  double element() const {
    for (std::size_t i = 0; i < fed_.size(); ++i) {
      if (copy_.leaves[i].copy == at_) return fed_[i].get(index_);
    }
    return session_->executable().memory().download(at_.id()).get(index_);
  }

  void run(const Edits& edits) {
    fed_ = point_;
    std::vector<Feed> feeds;
    for (std::size_t i = 0; i < fed_.size(); ++i) {
      edits.apply(copy_.leaves[i].copy.id(), fed_[i]);
      feeds.emplace_back(copy_.leaves[i].copy, std::as_const(fed_[i]));
    }
    Interventions interventions(copy_.graph, edits);
    detail::RunObserver* const observer = &interventions;
    session_->bind(feeds, {&observer, 1});
    session_->executable().run_by_step({&observer, 1});
  }

  detail::DoubleCopy copy_;
  Value at_, gradient_;
  std::int64_t index_;
  std::unique_ptr<detail::SessionState> session_;
  std::vector<Tensor> point_, fed_;  // by leaf, without edits and with them
  Edits edits_;
  double centre_ = 0;
  double ours_ = 0;
};

std::string sentence_of(const Check& check, const gradcheck::Slopes& slopes) {
  switch (slopes.kind) {
    case gradcheck::PointKind::unknown:
      return "differences give no clear slope here: " + slopes.reason;
    case gradcheck::PointKind::corner:
      return fmt::format(
          "a corner: the slope is {:.6g} from the left and {:.6g} from the right, and ours is {}",
          static_cast<double>(slopes.left.value), static_cast<double>(slopes.right.value),
          check.agrees ? "within" : "outside");
    case gradcheck::PointKind::smooth:
      break;
  }
  return check.agrees ? fmt::format("both agree to {:.1e}", std::abs(check.ours - check.slope))
                      : fmt::format("they differ by {:.3g}, far more than the error of {:.1e}",
                                    std::abs(check.ours - check.slope), check.error);
}

}  // namespace

Check check_element(const Look& look, const data::Dataset& batch, const Edits& edits,
                    const Value& value, std::int64_t index) {
  if (!is_floating(value.dtype())) {
    throw DTypeError(fmt::format("{} is {}: there is no gradient with respect to it",
                                 value.description(), value.dtype()));
  }
  if (index < 0 || index >= value.shape().numel()) {
    throw ShapeError(fmt::format("{} has {} elements, there is no element {}", value.description(),
                                 value.shape().numel(), index));
  }
  refuse_before_edits(look.step().graph, edits, value);
  Curve curve(look, batch, edits, value, index);
  Check check;
  check.ours = curve.ours();
  double h = std::max(0.0625, std::abs(curve.centre()) / 8);
  for (int row = 0; row < kRows; ++row, h /= 2) {
    const long double x = curve.centre();
    Check::Row& now = check.rows.emplace_back(Check::Row{h, {}});
    now.quotients.push_back(static_cast<double>((curve(x + h) - curve(x - h)) / (2 * h)));
    double factor = 4;
    for (int column = 1; column <= row; ++column, factor *= 4) {
      const double left = now.quotients.back();
      const double above = check.rows[static_cast<std::size_t>(row) - 1]
                               .quotients[static_cast<std::size_t>(column) - 1];
      now.quotients.push_back(left + (left - above) / (factor - 1));
    }
  }
  const gradcheck::Slopes slopes = gradcheck::slopes_at(
      [&](long double x) { return curve(x); }, curve.centre(), 16 * gradcheck::kDoubleNoise);
  check.slope = static_cast<double>(slopes.kind == gradcheck::PointKind::smooth
                                        ? slopes.best.value
                                        : (slopes.low() + slopes.high()) / 2);
  check.error = static_cast<double>(slopes.error());
  const double room = 3 * check.error + 1e-9 * std::abs(check.ours);
  check.agrees = check.ours >= static_cast<double>(slopes.low()) - room &&
                 check.ours <= static_cast<double>(slopes.high()) + room;
  check.sentence = sentence_of(check, slopes);
  return check;
}

}  // namespace aclgrad::live
