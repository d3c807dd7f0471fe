// SPDX-License-Identifier: Apache-2.0
// What goes between the thread that trains and those that talk to browsers.
#ifndef ACLGRAD_AUTOGRAD_LIVE_EXCHANGE_H_
#define ACLGRAD_AUTOGRAD_LIVE_EXCHANGE_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace aclgrad::live {

/// An answer to a browser.
struct Answer {
  int status = 200;
  std::string body = {};
};

/// Questions of many threads, which one thread answers in their order.
class Mailbox {
 public:
  using Question = std::function<Answer()>;

  /// Waits for the answer; one of status 503 where nobody answers any more, or too many wait.
  Answer ask(Question question);

  /// Answers all that wait, after waiting for the first where a time is given.
  void answer(std::chrono::milliseconds wait = std::chrono::milliseconds(0));

  /// Returns when somebody asks, or the time is over.
  void wait_for_question(std::chrono::nanoseconds wait);

  /// Whether somebody waits.
  bool has_questions() const;

  /// Nobody waits any more, be it for questions or for answers.
  void close();

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  bool awake() const { return !questions_.empty() || closed_; }

  std::deque<std::packaged_task<Answer()>> questions_;
  bool closed_ = false;
};

/// The newest frame, for any number of pages. A slow page gets fewer of them.
class Broadcast {
 public:
  using Text = std::shared_ptr<const std::string>;

  /// Of a page that listens; false where there are too many.
  bool join();
  void leave();
  bool has_listeners() const;

  void publish(std::string text);

  /// Waits for a text newer than the one of that number, and sets the number; null where none came
  /// in time.
  Text wait_newer(std::uint64_t& number, std::chrono::milliseconds wait);

  void close();
  bool is_closed() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable published_;
  Text text_;
  std::uint64_t number_ = 0;
  int listeners_ = 0;
  bool closed_ = false;
};

}  // namespace aclgrad::live

#endif  // ACLGRAD_AUTOGRAD_LIVE_EXCHANGE_H_
