// SPDX-License-Identifier: Apache-2.0
#include "live/exchange.h"

#include <utility>

namespace aclgrad::live {

Answer Mailbox::ask(Question question) {
  constexpr std::size_t kMost = 64;
  std::packaged_task<Answer()> task(std::move(question));
  std::future<Answer> answer = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return {503, "the program does not answer any more"};
    if (questions_.size() >= kMost) return {503, "too many requests wait already"};
    questions_.push_back(std::move(task));
  }
  arrived_.notify_one();
  try {
    return answer.get();
  } catch (const std::future_error&) {  // closed meanwhile
    return {503, "the program does not answer any more"};
  }
}

void Mailbox::answer(std::chrono::milliseconds wait) {
  std::deque<std::packaged_task<Answer()>> questions;
  {
    std::unique_lock lock(mutex_);
    if (wait.count() > 0) {
      arrived_.wait_for(lock, wait, [&] { return awake(); });
    }
    questions.swap(questions_);
  }
  for (auto& question : questions) question();
}

void Mailbox::wait_for_question(std::chrono::nanoseconds wait) {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, wait, [&] { return awake(); });
}

bool Mailbox::has_questions() const {
  const std::lock_guard lock(mutex_);
  return !questions_.empty();
}

void Mailbox::close() {
  std::deque<std::packaged_task<Answer()>> unanswered;  // whose promises break
  const std::lock_guard lock(mutex_);
  closed_ = true;
  unanswered.swap(questions_);
  arrived_.notify_all();
}

bool Broadcast::join() {
  constexpr int kMost = 12;
  const std::lock_guard lock(mutex_);
  if (closed_ || listeners_ == kMost) return false;
  ++listeners_;
  return true;
}

void Broadcast::leave() {
  const std::lock_guard lock(mutex_);
  --listeners_;
}

bool Broadcast::has_listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_ > 0;
}

void Broadcast::publish(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::make_shared<const std::string>(std::move(text));
  ++number_;
  published_.notify_all();
}

Broadcast::Text Broadcast::wait_newer(std::uint64_t& number, std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  published_.wait_for(lock, wait, [&] { return closed_ || number_ > number; });
  if (closed_ || number_ <= number) return nullptr;
  number = number_;
  return text_;
}

void Broadcast::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  published_.notify_all();
}

bool Broadcast::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace aclgrad::live
