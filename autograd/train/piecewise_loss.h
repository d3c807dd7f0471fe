// SPDX-License-Identifier: Apache-2.0
// The loss of examples in Mode::evaluation, so many at a time: what pieces give is added up, and
// the loss is made of it at the end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/session/cache.h"
#include "train/loss_totals.h"
#include "train/recorded_loss.h"

namespace aclgrad::detail {

/// The loss of examples is not made of those of pieces.
class NotPiecewise : public ValueError {
 public:
  using ValueError::ValueError;
};

[[noreturn]] void refuse_pieces(std::int64_t examples, const NoTotal& obstacle);

class PiecewiseLoss {
 public:
  /// What the pieces are run for: their loss, or only the totals of which it is made, for
  /// difference(), whatever else stands in it.
  enum class For : std::uint8_t { loss, totals };

  /// Records the loss of as many examples as will come.
  PiecewiseLoss(LossRecorder loss, const BatchSpecs& whole, const SessionCacheOptions& options,
                For purpose = For::loss);

  // Sessions refer to it.
  PiecewiseLoss(const PiecewiseLoss&) = delete;
  PiecewiseLoss& operator=(const PiecewiseLoss&) = delete;

  /// The loss of the examples in pieces of such a size, but for the last. Throws NotPiecewise,
  /// naming the node, where pieces do not make the whole.
  double run(const data::Dataset& examples, std::int64_t piece, const std::vector<Feed>& more = {});

  /// A total of the last run() that is another one of all examples at once, if any. Only where the
  /// loss shows how it adds up.
  struct Difference {
    Value total;
    double in_pieces, at_once;
    std::size_t fetch, element;  // of sums()
  };
  std::optional<Difference> difference(const data::Dataset& examples,
                                       const std::vector<Feed>& more) const;

  /// The totals of the last run().
  const std::vector<std::vector<double>>& sums() const { return sums_; }

  const RecordedLoss& whole() const { return whole_; }

 private:
  // What is fetched of a piece, and how that of all is made of it.
  struct Leaf {
    Total kind;
    Value whole;
    std::size_t first;      // of the fetches
    bool is_in_all = true;  // pieces, whatever their size
    std::size_t count() const { return kind == Total::weighted ? 2 : 1; }
  };
  // The way through the loss of a piece; a new one plans what comes after the pieces, too.
  struct Walk {
    LossTotals totals;
    bool is_new;
    std::map<ValueId, std::vector<Value>> fetched = {};  // by the whole's leaves
    std::set<ValueId> seen = {};                         // of the whole
  };
  SessionCache::BuiltGraph record_piece(const SessionCache::Inputs& inputs);
  void walk_told(Walk& walk, const Loss& piece);
  void collect(Walk& walk, const InBoth& value);
  std::optional<Total> kind_of(const Walk& walk, const InBoth& value) const;
  bool collect_fixed(Walk& walk, const InBoth& value);
  void add_leaf(Walk& walk, Total kind, const InBoth& value);
  static std::vector<Value> fetches_of(Total kind, const Value& value);
  std::vector<Fetch> fetches_of(const Walk& walk, const Graph& piece);
  void add(const Results& results, double examples);
  std::vector<double> total_of(const Leaf& leaf) const;

  LossRecorder loss_;
  SessionOptions options_;
  For purpose_;
  RecordedLoss whole_;
  bool is_planned_ = false;  // by the first walk that came to its end:
  std::vector<Leaf> leaves_;
  Graph tail_;                        // from totals to the loss
  std::map<ValueId, Value> in_tail_;  // by the whole's values
  std::optional<Session> rest_;       // none where the loss is a total itself
  std::vector<std::vector<double>> sums_;
  std::vector<double> sizes_;  // of the numbers of which sums are made
  SessionCache pieces_;
};

/// Throws NoTotal where the loss of the examples is another one in pieces of such a size than
/// of all at once, and names a node by which examples see each other. Parameters are moved at
/// random for it, since they often begin where nothing shows. False where nothing can be seen, as
/// all is NaN or roundings are as large.
bool require_separate_examples(const LossRecorder& loss, const std::vector<Variable>& parameters,
                               const data::Dataset& examples, std::int64_t piece,
                               const SessionOptions& options);

/// The same, until something was seen, or several times nothing: it costs evaluations.
class SeparateExamples {
 public:
  void require(const LossRecorder& loss, const std::vector<Variable>& parameters,
               const data::Dataset& examples, std::int64_t piece, const SessionOptions& options);

 private:
  int tries_left_ = 4;
};

}  // namespace aclgrad::detail
