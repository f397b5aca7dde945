// SPDX-License-Identifier: Apache-2.0
#include "round/thread_pool.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace fedrk {

ThreadPool::ThreadPool(std::size_t threads) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  if (threads == 0) threads = cores;
  may_watch_ = threads <= cores;
  workers_.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) workers_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    // The system gives no more threads: fewer do the same work, with the same result.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_there_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  count_ = unfinished_ = count;
  failure_ = nullptr;
  pieces_open_ = count > 0;
  all_done_ = count == 0;
  if (count > 1) work_there_.notify_all();
  take_pieces(lock);
  if (unfinished_ > 0) {
    lock.unlock();
    watch_for([this] { return all_done_.load(); });
    lock.lock();
  }
  work_done_.wait(lock, [this] { return unfinished_ == 0; });
  work_ = nullptr;
  count_ = 0;
  if (failure_) std::rethrow_exception(failure_);
}

// The next round of a run follows within microseconds, waking a thread takes as long as some clients' work: so a thread
// that waits looks out for a while before it sleeps.
template <class Ready>
void ThreadPool::watch_for(const Ready& ready) const {
  constexpr auto kWhile = std::chrono::microseconds(50);
  if (!may_watch_) return;
  const auto end = std::chrono::steady_clock::now() + kWhile;
  while (!ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

void ThreadPool::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!closing_ && next_ >= count_) {
      lock.unlock();
      watch_for([this] { return pieces_open_.load(); });
      lock.lock();
    }
    work_there_.wait(lock, [this] { return closing_ || next_ < count_; });
    if (closing_) return;
    take_pieces(lock);
  }
}

void ThreadPool::take_pieces(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const std::size_t index = next_++;
    if (next_ == count_) pieces_open_ = false;
    const auto& work = *work_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work(index);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && (!failure_ || index < failed_index_)) {
      failure_ = failure;
      failed_index_ = index;
    }
    if (--unfinished_ > 0) continue;
    all_done_ = true;
    work_done_.notify_all();
  }
}

}  // namespace fedrk
