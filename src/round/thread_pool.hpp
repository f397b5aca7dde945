// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fixed set of threads for independent pieces of work. Threads are made once; a call makes none.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fedrk {

class ThreadPool {
 public:
  /// `threads` in all, the caller's among them; 0 takes one for each core. Fewer where the system refuses more.
  explicit ThreadPool(std::size_t threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  std::size_t threads() const { return workers_.size() + 1; }

  /// Calls work(0) ... work(count - 1), each once, in no particular order, and returns when all are done. If some
  /// throw, the exception of the lowest index is thrown again. One call at a time.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void serve();
  void take_pieces(std::unique_lock<std::mutex>& lock);
  template <class Ready>
  void watch_for(const Ready& ready) const;

  std::mutex mutex_;
  std::condition_variable work_there_, work_done_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t next_ = 0, count_ = 0, unfinished_ = 0;
  std::size_t failed_index_ = 0;
  std::exception_ptr failure_;
  bool closing_ = false;
  // The same news as the counters above, for those who watch without the lock.
  std::atomic<bool> pieces_open_ = false, all_done_ = true;
  bool may_watch_ = false;  // there is a core for every thread
  std::vector<std::thread> workers_;
};

}  // namespace fedrk
