// SPDX-License-Identifier: Apache-2.0
// The page over HTTP, on 127.0.0.1, under an address that only its reader knows.
#ifndef ACLGRAD_AUTOGRAD_LIVE_HTTP_H_
#define ACLGRAD_AUTOGRAD_LIVE_HTTP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "live/exchange.h"

namespace aclgrad::live {

class Http {
 public:
  /// Listens until it dies. Both functions are called by threads of its own. Throws IoError where
  /// the port is taken.
  Http(std::uint16_t port, std::function<Answer()> page,
       std::function<Answer(const std::string& body)> command, Broadcast& frames);
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  /// Closes the broadcast.
  ~Http();

  const std::string& address() const { return address_; }

 private:
  class Listener;

  std::string address_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace aclgrad::live

#endif  // ACLGRAD_AUTOGRAD_LIVE_HTTP_H_
