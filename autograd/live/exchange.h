// SPDX-License-Identifier: Apache-2.0
// What goes between a run and the pages that show it, whatever carries it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace aclgrad::live {

using Clock = std::chrono::steady_clock;

/// An answer to a browser.
struct Answer {
  int status = 200;
  std::string body = {};
};

/// The pages that show a run, wherever they are: what all of them are told.
class Pages {
 public:
  virtual ~Pages() = default;

  /// A frame, as JSON. A slow page may get fewer of them.
  virtual void publish(const std::string& frame) = 0;

  /// A sentence, about what no frame can be made of.
  virtual void say(const std::string& sentence) = 0;

  /// Whether there is one; and since when there is none any more, after there was.
  virtual bool any() const = 0;
  virtual std::chrono::nanoseconds abandoned() const = 0;

  /// Whether one of them asks for something, and waits.
  virtual bool ask() const = 0;
};

/// Questions of one thread, which another answers in their order.
class Mailbox {
 public:
  using Question = std::function<Answer()>;
  using Done = std::function<void(Answer answer)>;

  /// Never waits. `done` gets the answer on the thread that answers; one of status 503 where nobody
  /// answers any more, or too many wait.
  void ask(Question question, Done done);

  /// Answers all that wait, after waiting for the first where a time is given.
  void answer(std::chrono::nanoseconds wait = std::chrono::nanoseconds(0));

  /// Whether somebody waits.
  bool has_questions() const;

  /// For how long nobody has looked for questions: the program computes, or hangs.
  std::chrono::nanoseconds neglected() const;

  /// Nobody waits any more, be it for questions or for answers.
  void close();

 private:
  struct Letter {
    Question question;
    Done done;
  };
  bool awake() const { return !letters_.empty() || closed_; }
  void wait(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds time);

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Letter> letters_;
  bool closed_ = false;
  bool waiting_ = false;
  Clock::time_point looked_ = Clock::now();
};

}  // namespace aclgrad::live
