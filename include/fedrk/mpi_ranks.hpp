// SPDX-License-Identifier: Apache-2.0
#pragma once

// The processes that an MPI launcher started together, and the few ways in which they talk here. The one place that
// knows MPI. Whoever calls is the thread that made the object. An error of MPI itself, such as a rank that died, ends
// the whole job: there is no fault tolerance in it, and none is pretended.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fedrk::mpi {

class Ranks {
 public:
  /// Throws InvalidArgument where the launcher is not one of this MPI: then everyone believes to be alone.
  Ranks(int& argc, char**& argv);
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();

  std::size_t rank() const { return rank_; }
  std::size_t count() const { return count_; }
  /// Threads that a rank can use without taking the cores of another on this machine.
  std::size_t default_threads() const;

  // ---- Everyone calls these together.

  /// What rank 0 has, for all.
  void broadcast(void* data, std::size_t bytes) const;
  void broadcast_from(const void* data, std::size_t bytes) const;  // the same at rank 0, which only reads
  void broadcast(std::string& bytes) const;
  /// Everyone's, in order of rank: at rank 0, and nothing elsewhere.
  std::vector<std::string> gather(const std::string& mine) const;
  /// The sum at rank 0, in any order: for comparisons of speed only, as its bits depend on the number of ranks.
  void reduce(double* values, std::size_t count) const;
  void barrier() const;

  // ---- From one to another, in order.

  void send(std::size_t to, const void* data, std::size_t bytes) const;
  void send(std::size_t to, const std::string& bytes) const;
  void receive(std::size_t from, void* data, std::size_t bytes) const;
  std::string receive(std::size_t from) const;  // what was sent as a string, of any length

  /// Messages on their way; its end waits for them. What they send must stay as it is meanwhile.
  class Sendings {
   public:
    Sendings();
    Sendings(const Sendings&) = delete;
    Sendings& operator=(const Sendings&) = delete;
    ~Sendings();
    /// REQUIRES: less than 2^31 bytes.
    void send_one(std::size_t to, const void* data, std::size_t bytes);

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

  /// Ends the processes of all ranks at once: the last resort.
  [[noreturn]] void abort(int exit_code) const;

 private:
  std::size_t rank_ = 0, count_ = 1, on_this_machine_ = 1;
};

}  // namespace fedrk::mpi
