// SPDX-License-Identifier: Apache-2.0
// Texts on their way, which the sender does not wait for. MPI reads a text until its send is over,
// so each stays where it is until then.
#pragma once

#include <list>
#include <string>
#include <utility>

namespace aclgrad::hccl {

template <class Request>
class PendingSends {
 public:
  // Forgets the sends of which is_over(request) says so, then calls begin(text) for a copy of the
  // text that stays in place; begin returns the request. Not for several threads at once.
  template <class IsOver, class Begin>
  void send(std::string text, const IsOver& is_over, const Begin& begin) {
    sends_.remove_if([&](Send& send) { return is_over(send.request); });
    std::list<Send> one;
    one.emplace_back(std::move(text));
    one.back().request = begin(std::as_const(one.back().text));
    sends_.splice(sends_.end(), one);
  }

 private:
  struct Send {
    explicit Send(std::string what) : text(std::move(what)) {}

    std::string text;
    Request request{};
  };
  std::list<Send> sends_;  // whose elements never move
};

}  // namespace aclgrad::hccl
