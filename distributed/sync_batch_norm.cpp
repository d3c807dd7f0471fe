// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/distributed/sync_batch_norm.h"

#include "aclgrad/distributed/collectives.h"

namespace aclgrad {
namespace {

// On the stream of DataParallel's exchanges, so that all ranks have them in one order.
class RankExchange final : public ChannelExchange {
 public:
  explicit RankExchange(const Communicator& communicator) : communicator_(communicator) {}

  std::int64_t ranks() const override { return communicator_.size(); }
  Value gather(const Value& vector) const override { return all_gather(communicator_, vector); }
  std::vector<Value> sum(const std::vector<Value>& vectors) const override {
    const Value all = all_reduce(communicator_, vectors);
    std::vector<Value> sums;
    std::int64_t first = 0;
    for (const Value& each : vectors) {
      sums.push_back(part(all, first, each.shape()));
      first += each.shape().numel();
    }
    return sums;
  }

 private:
  Communicator communicator_;
};

}  // namespace

SyncBatchNorm::SyncBatchNorm(const Communicator& communicator, const Name& name,
                             std::int64_t channels, BatchNorm2dOptions options)
    : BatchNorm2d(name, channels, options, "SyncBatchNorm") {
  if (communicator.size() > 1) exchange_ = std::make_shared<const RankExchange>(communicator);
}

Value SyncBatchNorm::operator()(Operand x) const {
  const Graph graph = x.graph();
  if (exchange_ == nullptr || !is_training(graph)) return BatchNorm2d::operator()(x);
  const auto of = [&](const Variable& variable) { return graph.parameter(variable, x.where); };
  return sync_batch_norm(x, of(weight_), of(bias_), of(running_mean_), of(running_var_),
                         {.momentum = options_.momentum, .eps = options_.eps}, exchange_)
      .named(path());
}

}  // namespace aclgrad
