// SPDX-License-Identifier: Apache-2.0
// Batches that threads make ahead.
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "tensor/option.h"

namespace aclgrad::data {

// Threads that make one batch after the other, at most two each that nobody has taken.
class Loader::Workers {
 public:
  using Make = std::function<Dataset(Position)>;

  Workers(std::int64_t threads, const Batches& batches, Position begin, std::int64_t count,
          Make make)
      : batches_(batches), make_(std::move(make)), next_(begin), left_(count), most_(2 * threads) {
    const std::int64_t wanted = std::min(threads, count);
    try {
      while (std::ssize(threads_) < wanted) threads_.emplace_back([this] { work(); });
    } catch (const std::exception& error) {  // by a limit of the system
      end();
      throw Error(fmt::format("Loader: only {} of {} workers could be started: {}; ask for fewer",
                              threads_.size(), wanted, error.what()));
    }
  }

  ~Workers() { end(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Throws what making it threw.
  Dataset take() {
    std::unique_lock lock(mutex_);
    has_begun_.wait(lock, [&] { return !made_.empty() || failure_; });
    if (made_.empty()) std::rethrow_exception(failure_);
    std::future<Dataset> first = std::move(made_.front());
    made_.pop_front();
    lock.unlock();
    may_begin_.notify_one();
    return first.get();
  }

 private:
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    may_begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void work() {
    try {
      make_batches();
    } catch (...) {  // there was no memory for a place in made_
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      has_begun_.notify_all();
    }
  }

  void make_batches() {
    std::unique_lock lock(mutex_);
    while (true) {
      may_begin_.wait(lock, [&] { return ends_ || std::ssize(made_) < most_; });
      if (ends_ || left_ == 0) return;
      const Position position = next_;
      next_ = batches_.after(next_);
      --left_;
      std::packaged_task<Dataset()> task([&] { return make_(position); });
      made_.push_back(task.get_future());
      has_begun_.notify_one();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  const Batches& batches_;
  const Make make_;
  std::mutex mutex_;
  std::condition_variable may_begin_, has_begun_;
  Position next_;
  std::int64_t left_;
  std::int64_t most_;
  bool ends_ = false;
  std::exception_ptr failure_;
  std::deque<std::future<Dataset>> made_;  // those begun and not taken, in order
  std::vector<std::thread> threads_;
};

Loader::Loader(const Batches& batches, Position begin, std::int64_t count)
    : Loader(batches, begin, count, batches.options().workers) {}

Loader::Loader(const Batches& batches, Position begin, std::int64_t count, std::int64_t workers)
    : batches_(batches), position_(begin), left_(count), worker_count_(workers) {
  aclgrad::detail::require_at_least("Loader", "count", count, 0);
  aclgrad::detail::require_option("Loader", "workers", static_cast<double>(workers),
                                  {0, kMostWorkers});
  if (batches.batches_per_epoch() == 0 && count > 0) {
    throw ValueError(
        fmt::format("there is no batch to load: an epoch has none of {}", batches.description()));
  }
}

Loader::~Loader() = default;

Dataset Loader::next() {
  if (left_ == 0) throw ValueError("all batches that this Loader was made for are loaded");
  if (!workers_ && worker_count_ > 0) {
    workers_ = std::make_unique<Workers>(worker_count_, batches_, position_, left_,
                                         [this](Position position) { return make(position); });
  }
  Dataset batch;
  try {
    batch = workers_ ? workers_->take() : make(position_);
  } catch (...) {
    workers_.reset();  // what they have is behind the one that failed
    throw;
  }
  position_ = batches_.after(position_);
  --left_;
  return batch;
}

// The order of an epoch is made once, and kept while batches of it or of the one before are made.
std::shared_ptr<const Batches::Epoch> Loader::epoch(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(epochs_, number, [](const auto& it) { return it.first; });
  if (known != epochs_.end()) return known->second;
  if (epochs_.size() == 2) epochs_.erase(epochs_.begin());
  epochs_.emplace_back(number, std::make_shared<const Batches::Epoch>(batches_.epoch(number)));
  return epochs_.back().second;
}

// In their order there may be more examples than can be numbered in memory.
Dataset Loader::make(Position position) {
  if (!batches_.has_order()) return batches_.batch(position);
  return (*epoch(position.epoch))[position.batch];
}

// The loader of an iterator, and what was read last.
struct Batches::Epoch::Iterator::Ahead {
  Ahead(const Batches& batches, Position begin, std::int64_t count)
      : loader(batches, begin, count), index(begin.batch) {}

  Loader loader;
  std::int64_t index;  // of the batch that the loader has next
  Dataset latest = {};
};

Dataset Batches::Epoch::Iterator::operator*() const {
  if (epoch_->batches_->options().workers == 0) return (*epoch_)[index_];
  if (!ahead_ || index_ + 1 < ahead_->index) {
    ahead_ = std::make_shared<Ahead>(*epoch_->batches_, Position{epoch_->number_, index_},
                                     epoch_->size() - index_);
  }
  for (; ahead_->index <= index_; ++ahead_->index) ahead_->latest = ahead_->loader.next();
  return ahead_->latest;
}

}  // namespace aclgrad::data
