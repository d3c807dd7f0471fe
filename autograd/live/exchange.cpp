// SPDX-License-Identifier: Apache-2.0
#include "live/exchange.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace aclgrad::live {
namespace {

Answer answer_of(const Mailbox::Question& question) {
  try {
    return question();
  } catch (const std::exception& error) {
    return {500, error.what()};
  } catch (...) {  // of the program's own functions
    return {500, "the program threw something that is no exception"};
  }
}

}  // namespace

void Mailbox::ask(Question question, Done done) {
  constexpr std::size_t kMost = 64;
  const char* refusal = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      refusal = "the program does not answer any more";
    } else if (letters_.size() >= kMost) {
      refusal = "too many requests wait already";
    } else {
      letters_.push_back({std::move(question), std::move(done)});
    }
  }
  if (refusal != nullptr) return done({503, refusal});
  arrived_.notify_one();
}

void Mailbox::wait(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds time) {
  // Some implementations overflow for what lies centuries ahead.
  constexpr std::chrono::nanoseconds kMost = std::chrono::hours(24);
  waiting_ = true;
  arrived_.wait_for(lock, std::min(time, kMost), [&] { return awake(); });
  waiting_ = false;
  looked_ = Clock::now();
}

void Mailbox::answer(std::chrono::nanoseconds time) {
  std::deque<Letter> letters;
  {
    std::unique_lock lock(mutex_);
    if (time.count() > 0) wait(lock, time);
    looked_ = Clock::now();
    letters.swap(letters_);
  }
  for (Letter& letter : letters) {
    letter.done(answer_of(letter.question));
    const std::lock_guard lock(mutex_);
    looked_ = Clock::now();
  }
}

bool Mailbox::has_questions() const {
  const std::lock_guard lock(mutex_);
  return !letters_.empty();
}

std::chrono::nanoseconds Mailbox::neglected() const {
  const std::lock_guard lock(mutex_);
  return waiting_ || closed_ ? std::chrono::nanoseconds(0) : Clock::now() - looked_;
}

void Mailbox::close() {
  std::deque<Letter> unanswered;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    unanswered.swap(letters_);
  }
  arrived_.notify_all();
  for (Letter& letter : unanswered) letter.done({503, "the program does not answer any more"});
}

}  // namespace aclgrad::live
