// SPDX-License-Identifier: Apache-2.0
#include "live/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/gradcheck/derivative.h"
#include "aclgrad/gradcheck/numbers.h"
#include "engine/dependents.h"
#include "gradcheck/graph/double_copy.h"
#include "session/state.h"

namespace aclgrad::live {
namespace {

constexpr int kRows = 6;
constexpr int kRoundings = 4;        // runs that measure what rounding does
constexpr double kRoundingRoom = 6;  // so many times what they found

// Backward goes on from an edited result as if the operator had made it, which is no derivative of
// what lies before it. Throws ValueError where the value does.
void refuse_before_edits(const Graph& graph, const Edits& edits, const detail::DoubleCopy& copy,
                         const Value& value) {
  if (edits.empty()) return;
  const auto reached = detail::dependents(graph, {value}, static_cast<NodeId>(graph.size()) - 1);
  for (const Edit& edit : edits) {
    if (edit.value == value.id() || !copy.copies.contains(edit.value)) continue;
    if (!reached.contains(edit.value)) continue;
    throw ValueError(fmt::format(
        "{} lies before {}, which is edited: release that, or check what comes after it",
        value.description(), graph.value(edit.value).description()));
  }
}

// The first edit that a gradient follows from although the loss does not: of the seed, say, or of a
// gradient on the way.
const Edit* falsified_by(const Preview& preview, const Edits& edits, const detail::DoubleCopy& copy,
                         const Value& gradient) {
  const Graph& graph = preview.step().graph;
  for (const Edit& edit : edits) {
    if (copy.copies.contains(edit.value)) continue;
    std::set<ValueId> reached = {edit.value};
    for (std::size_t id = 0; id < graph.size(); ++id) {
      const Node& node = graph.node(static_cast<NodeId>(id));
      const auto is_reached = [&](ValueId input) { return reached.contains(input); };
      if (std::ranges::any_of(node.inputs, is_reached)) {
        reached.insert(node.outputs.begin(), node.outputs.end());
      }
    }
    if (reached.contains(gradient.id())) return &edit;
  }
  return nullptr;
}

// What a function is off by: what runs with other roundings have found, and room for others.
class Off {
 public:
  explicit Off(double centre) : centre_(centre) {}
  void add(double other) {
    const double off = std::abs(other - centre_);
    most_ = std::isfinite(off) ? std::max(most_, off) : std::numeric_limits<double>::infinity();
  }
  double room() const { return kRoundingRoom * most_; }

 private:
  double centre_, most_ = 0;
};

// The loss in float64 as a function of the element.
class Curve {
 public:
  Curve(const Preview& preview, const data::Dataset& batch, const Edits& edits, const Value& value,
        std::int64_t index)
      : copy_(detail::copy_as_double(preview.step().loss)), index_(index) {
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
    ours_ = gradient();
    Off off(ours_);
    for (int i = 0; i < kRoundings; ++i) {
      Rounding rounding(static_cast<std::uint64_t>(i));
      run(edits_, &rounding);
      off.add(gradient());
    }
    room_ = off.room();
  }

  const detail::DoubleCopy& copy() const { return copy_; }
  double centre() const { return centre_; }
  double ours() const { return ours_; }
  double room() const { return room_; }  // for rounding, in ours()

  // What rounding may do to the loss there.
  double off(long double x) {
    Off off((*this)(x));
    for (int i = 0; i < kRoundings; ++i) {
      Rounding rounding(static_cast<std::uint64_t>(i));
      off.add(at(x, &rounding));
    }
    return off.room();
  }

  double operator()(long double x) { return at(x, nullptr); }

 private:
  double at(long double x, Rounding* rounding) {
    Edits edits = edits_;
    edits.set({at_.id(), index_, static_cast<double>(x)});
    run(edits, rounding);
    return session_->executable().memory().download(copy_.result.id()).item();
  }

  double gradient() const {
    return session_->executable().memory().download(gradient_.id()).get(index_);
  }

  void fill_leaves(const data::Dataset& batch) {
    const auto parts = batch.tensors();
    for (const auto& [original, input] : copy_.leaves) {
      if (const Variable* variable = original.variable()) {
        point_.push_back(variable->value().to(input.dtype()));
        continue;
      }
      const auto part = std::ranges::find_if(
          parts, [&](const auto& named) { return named.first == original.name(); });
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

  void run(const Edits& edits, Rounding* rounding = nullptr) {
    fed_ = point_;
    std::vector<Feed> feeds;
    for (std::size_t i = 0; i < fed_.size(); ++i) {
      edits.apply(copy_.leaves[i].copy.id(), fed_[i]);
      feeds.emplace_back(copy_.leaves[i].copy, std::as_const(fed_[i]));
    }
    Interventions interventions(copy_.graph, edits);
    std::vector<detail::RunObserver*> observers = {&interventions};
    if (rounding != nullptr) observers.push_back(rounding);
    session_->bind(feeds, observers);
    session_->executable().run_node_by_node(observers);
  }

  detail::DoubleCopy copy_;
  Value at_, gradient_;
  std::int64_t index_;
  std::unique_ptr<detail::SessionState> session_;
  std::vector<Tensor> point_, fed_;  // by leaf, without edits and with them
  Edits edits_;
  double centre_ = 0;
  double ours_ = 0;
  double room_ = 0;
};

// As gradcheck's, with what rounding does to this very loss, where it is looked at: a loss of
// differences that cancel has far less left than its own last digits say.
gradcheck::Slopes slopes_of(Curve& curve) {
  constexpr long double kLeast = 16 * gradcheck::kDoubleNoise;
  const long double x = curve.centre();
  const double centre = curve(x), off_centre = curve.off(x);
  gradcheck::Slopes found;
  bool is_first = true;
  for (const long double widest : gradcheck::h_choices(x)) {
    gradcheck::Samples samples{.h = widest, .centre = centre, .noise = kLeast, .floor = off_centre};
    long double h = widest;
    for (int i = 0; i < gradcheck::kHalvings; ++i, h /= 2) {
      samples.plus.push_back(curve(x + h));
      samples.minus.push_back(curve(x - h));
    }
    // Far away the loss is larger, and so is what it is off by.
    for (const long double side : {widest, -widest}) {
      const long double size = std::abs(side > 0 ? samples.plus.front() : samples.minus.front());
      if (size > 0) samples.noise = std::max(samples.noise, curve.off(x + side) / size);
      samples.floor = std::max<long double>(samples.floor, curve.off(x + side / 16));
    }
    const gradcheck::Slopes now = gradcheck::analyse(samples);
    found = is_first ? now : gradcheck::better(found, now);
    is_first = false;
    if (!gradcheck::wants_smaller_h(found)) break;
  }
  return found;
}

std::vector<Check::Row> difference_rows(Curve& curve) {
  std::vector<Check::Row> rows;
  double h = std::max(0.0625, std::abs(curve.centre()) / 8);
  for (int row = 0; row < kRows; ++row, h /= 2) {
    const long double x = curve.centre();
    Check::Row& now = rows.emplace_back(Check::Row{h, {}});
    now.quotients.push_back(static_cast<double>((curve(x + h) - curve(x - h)) / (2 * h)));
    double factor = 4;
    for (int column = 1; column <= row; ++column, factor *= 4) {
      const double left = now.quotients.back();
      const double above =
          rows[static_cast<std::size_t>(row) - 1].quotients[static_cast<std::size_t>(column) - 1];
      now.quotients.push_back(left + (left - above) / (factor - 1));
    }
  }
  return rows;
}

// The gradient on show, and what rounding in its dtype may do to it.
struct Shown {
  double value;
  double room;
};

Shown measure_shown(Preview& preview, Trainer& trainer, const data::Dataset& batch,
                    const Edits& edits, const Value& gradient, std::int64_t index) {
  const auto element = [&] { return preview.values().at(gradient.id()).get(index); };
  const double value = element();
  Off off(value);
  for (int i = 0; i < kRoundings; ++i) {
    Rounding rounding(static_cast<std::uint64_t>(i));
    preview.run(trainer, batch, edits, &rounding);
    off.add(element());
  }
  // Numbers among the attributes are rounded, too.
  const auto ulp = static_cast<double>(gradcheck::ulp(value, gradient.dtype()));
  return {value, off.room() + 16 * ulp};
}

class Judge {
 public:
  Judge(Check& check, const gradcheck::Slopes& slopes, const Shown& shown, const Value& value)
      : check_(check), slopes_(slopes), shown_(shown), value_(value) {
    low_ = static_cast<double>(slopes.low());
    high_ = static_cast<double>(slopes.high());
  }

  void judge() {
    constexpr double kUsual = 1e-9;
    const double ours = check_.ours;
    const double size = std::max({std::abs(ours), std::abs(low_), std::abs(high_)});
    const double room = 3 * check_.error + kUsual * size;
    if (slopes_.kind == gradcheck::PointKind::unknown || !std::isfinite(size + room)) {
      return say(Check::Verdict::unclear,
                 "differences give no clear slope here" +
                     (slopes_.reason.empty() ? "" : ": " + slopes_.reason));
    }
    if (!within(ours, room)) {
      const std::string sentence = fmt::format(
          "backward and differences are {:.3g} apart, with an error of {:.1e}", apart(ours), room);
      return say(Check::Verdict::differs, is_corner() ? corner("outside") : sentence);
    }
    // Off from float64 by more than rounding: what was computed is another gradient.
    const double room_shown = room + shown_.room;
    if (!within(shown_.value, room_shown)) {
      return say(Check::Verdict::differs,
                 fmt::format("in float64 both agree, but what is on show is {:.3g} off, of which "
                             "rounding in {} explains {:.1e}",
                             apart(shown_.value), value_.dtype(), room_shown));
    }
    // Nothing would be as good an answer.
    if (size > 0 && room >= size / 2) {
      return say(Check::Verdict::unclear,
                 fmt::format("too small to judge: differences are off by up to {:.1e}", room));
    }
    if (size > 0 && room_shown >= size) {
      return say(Check::Verdict::unclear,
                 fmt::format("too small to judge in {}: rounding may make {:.1e} of it; in float64 "
                             "both agree to {:.1e}",
                             value_.dtype(), room_shown, std::abs(ours - check_.slope)));
    }
    say(Check::Verdict::agrees,
        is_corner() ? corner("within")
                    : fmt::format("both agree to {:.1e}", std::abs(ours - check_.slope)));
  }

  void say(Check::Verdict verdict, std::string sentence) {
    check_.verdict = verdict;
    check_.sentence = std::move(sentence);
  }

 private:
  bool within(double gradient, double room) const {
    return gradient >= low_ - room && gradient <= high_ + room;
  }
  double apart(double gradient) const { return std::max({low_ - gradient, gradient - high_, 0.0}); }
  bool is_corner() const { return slopes_.kind == gradcheck::PointKind::corner; }
  std::string corner(const char* where) const {
    return fmt::format(
        "a corner: the slope is {:.6g} from the left and {:.6g} from the right, and ours is {}",
        static_cast<double>(slopes_.left.value), static_cast<double>(slopes_.right.value), where);
  }

  Check& check_;
  const gradcheck::Slopes& slopes_;
  const Shown& shown_;
  const Value& value_;
  double low_, high_;
};

}  // namespace

Check check_element(Preview& preview, Trainer& trainer, const data::Dataset& batch,
                    const Edits& edits, const Value& value, std::int64_t index) {
  if (!is_floating(value.dtype())) {
    throw DTypeError(fmt::format("{} is {}: there is no gradient with respect to it",
                                 value.description(), value.dtype()));
  }
  if (index < 0 || index >= value.shape().numel()) {
    throw ShapeError(fmt::format("{} has {} elements, there is no element {}", value.description(),
                                 value.shape().numel(), index));
  }
  Curve curve(preview, batch, edits, value, index);
  refuse_before_edits(preview.step().graph, edits, curve.copy(), value);
  Check check;
  check.ours = check.shown = curve.ours();
  check.rows = difference_rows(curve);
  const gradcheck::Slopes slopes = slopes_of(curve);
  check.slope = static_cast<double>(slopes.kind == gradcheck::PointKind::smooth
                                        ? slopes.best.value
                                        : (slopes.low() + slopes.high()) / 2);
  check.error = static_cast<double>(slopes.error()) + curve.room() / 3;
  Shown shown{check.ours, 0};
  const Edit* falsifies = nullptr;
  if (preview.step().gradients.contains(value)) {
    const Value gradient = preview.step().gradients[value];
    falsifies = falsified_by(preview, edits, curve.copy(), gradient);
    shown = measure_shown(preview, trainer, batch, edits, gradient, index);
    check.shown = shown.value;
    if (falsifies != nullptr) shown = {check.ours, 0};
  }
  Judge judge(check, slopes, shown, value);
  judge.judge();
  if (falsifies != nullptr) {
    const bool agrees = check.agrees();
    judge.say(Check::Verdict::edited,
              fmt::format("the gradient on show is {:.6g}, since {} is edited; without that it is "
                          "{:.6g}{}",
                          check.shown, preview.step().graph.value(falsifies->value).description(),
                          check.ours, agrees ? ", which agrees" : ": " + check.sentence));
  }
  return check;
}

}  // namespace aclgrad::live
