// SPDX-License-Identifier: Apache-2.0
// One client: what it has sent, what it is to get, and until when.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "live/exchange.h"
#include "live/http_request.h"

namespace aclgrad::live {

using SharedText = std::shared_ptr<const std::string>;
inline SharedText share(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

class Connection {
 public:
  enum class Phase {
    head,       ///< of a request comes
    body,       ///< of an accepted one comes
    waiting,    ///< for the program's answer
    answering,  ///< goes out
    streaming,  ///< frames go out, as they come
    leaving,    ///< all is said; what it still sends is thrown away, or it would lose the answer
    gone,
  };

  /// Takes the socket, which does not block.
  explicit Connection(int socket);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  int socket() const { return socket_; }
  Phase phase() const { return phase_; }
  bool is_known() const { return known_; }
  bool wants_to_write() const { return !out_.empty(); }
  bool reads() const { return phase_ <= Phase::body || phase_ == Phase::leaving; }
  Clock::time_point deadline() const { return deadline_; }
  const RequestHead& request() const { return head_; }

  /// Takes what has come; true where it was something.
  bool receive();

  /// The head, once it is complete, or why it is refused.
  std::optional<std::variant<RequestHead, RefusedRequest>> next_head();

  /// Goes on to the body of a request that may be answered.
  void accept(RequestHead head);

  /// The body, once it is complete; the connection then waits for its answer.
  std::optional<std::string> next_body();

  void answer(int status, const char* type, SharedText body);
  void begin_stream(SharedText head);
  void send(SharedText text);
  bool is_clear() const { return out_.empty(); }

  /// Sends what can be sent.
  void flush();

  /// Where the deadline is over: says so where that helps, and ends.
  void expire();
  void leave();

  std::uint64_t frame = 0;  // the latest one sent
  SharedText said;
  Clock::time_point next_frame{}, next_sign{};

 private:
  void go(Phase phase);

  int socket_;
  Phase phase_ = Phase::head;
  Clock::time_point deadline_;
  bool known_ = false, last_ = false;
  std::string in_;
  RequestHead head_;
  std::deque<SharedText> out_;
  std::size_t sent_ = 0;  // of the first
};

}  // namespace aclgrad::live
