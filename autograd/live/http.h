// SPDX-License-Identifier: Apache-2.0
// The page over HTTP, on 127.0.0.1, under an address that only its reader knows. One thread serves
// all; nobody can make it wait. What a client may cost is bounded before it has shown the token: a
// head of 32 KiB, five seconds, and one of 64 places, the oldest of which goes where a new client
// comes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "live/exchange.h"

namespace aclgrad::live {

/// All are called by the server's thread, and none may wait.
struct HttpHandlers {
  std::function<void(Mailbox::Done done)> page;
  std::function<void(std::string body, Mailbox::Done done)> command;
  std::function<std::string()> script;                  ///< that pages share
  std::function<std::chrono::nanoseconds()> neglected;  ///< for how long nobody answers
};

class Http {
 public:
  /// Listens until it dies. Throws IoError where the port is taken, or no thread can be started.
  Http(std::uint16_t port, HttpHandlers handlers);
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  /// Returns at once, whatever clients do.
  ~Http();

  const std::string& address() const;

  /// A frame for every page that listens; from any thread. A slow page gets fewer of them.
  void publish(std::string frame);

  /// A sentence for them, about what no frame can be made of.
  void say(const std::string& sentence);

  /// Whether a page listens; and since when none does, after one did.
  bool has_listeners() const;
  std::chrono::nanoseconds abandoned() const;

  /// Tells the pages that the program has ended.
  void end();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace aclgrad::live
