// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "aclgrad/error.h"
#include "live/server_state.h"

namespace aclgrad::live {
namespace {

// A trainer of the program's.
class OneTrainer final : public Network {
 public:
  OneTrainer(Trainer& trainer, data::Dataset example)
      : trainer_(trainer), example_(std::move(example)) {
    if (example_.size() == 0) throw ValueError("`example` needs examples, at least one");
  }
  std::vector<Trainer*> trainers() override { return {&trainer_}; }
  data::Dataset batch(std::int64_t) override { return example_; }

 private:
  Trainer& trainer_;
  data::Dataset example_;
};

}  // namespace

Server::Server(Trainer& trainer, ServerOptions options) {
  Maker make = [&trainer, example = std::exchange(options.example, {})](const Chosen&) {
    return std::make_unique<OneTrainer>(trainer, example);
  };
  state_ = std::make_unique<State>(std::vector<Choice>(), std::move(make), std::move(options));
}

Server::Server(std::vector<Choice> choices, Maker make, ServerOptions options)
    : state_(std::make_unique<State>(std::move(choices), std::move(make), std::move(options))) {}

Server::~Server() = default;

const std::string& Server::address() const { return state_->address(); }
void Server::wait() { state_->wait(); }
void Server::stop() { state_->stop(); }
Callback Server::callback() { return state_->callback(); }

}  // namespace aclgrad::live
