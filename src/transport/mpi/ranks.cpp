// SPDX-License-Identifier: Apache-2.0
#include "fedrk/mpi_ranks.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "fedrk/error.hpp"

namespace fedrk::mpi {
namespace {

constexpr int kTag = 0;
constexpr std::size_t kChunk = std::size_t{1} << 30;  // bytes; MPI counts with an int

int whole(std::size_t count) { return static_cast<int>(count); }

// Calls work(data, bytes) for chunks that MPI can count.
template <class Byte, class Work>
void in_chunks(Byte* data, std::size_t bytes, const Work& work) {
  for (; bytes > kChunk; data += kChunk, bytes -= kChunk) work(data, whole(kChunk));
  work(data, whole(bytes));
}

// How many processes the launcher says it started, as Open MPI, PMI and Slurm tell; 1 where nobody does.
std::size_t launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const char* text = std::getenv(name)) return std::max(1UL, std::strtoul(text, nullptr, 10));
  }
  return 1;
}

}  // namespace

Ranks::Ranks(int& argc, char**& argv) {
  int granted = 0, rank = 0, count = 1, neighbours = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  MPI_Comm machine{};
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &neighbours);
  MPI_Comm_free(&machine);
  rank_ = static_cast<std::size_t>(rank);
  count_ = static_cast<std::size_t>(count);
  on_this_machine_ = static_cast<std::size_t>(neighbours);
  if (count_ == 1 && launched() > 1) {
    MPI_Finalize();
    throw InvalidArgument("the launcher started " + std::to_string(launched()) +
                          " processes, but each is alone: it belongs to another MPI than the one fedrk_mpi was built "
                          "with");
  }
}

Ranks::~Ranks() { MPI_Finalize(); }

// A launcher that binds each rank to its cores has said how many there are.
std::size_t Ranks::default_threads() const {
  const std::size_t allowed = std::max(1U, std::thread::hardware_concurrency());
  const auto there = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return allowed < there ? allowed : std::max<std::size_t>(1, there / on_this_machine_);
}

void Ranks::broadcast(void* data, std::size_t bytes) const {
  in_chunks(static_cast<char*>(data), bytes,
            [](char* from, int count) { MPI_Bcast(from, count, MPI_BYTE, 0, MPI_COMM_WORLD); });
}

void Ranks::broadcast_from(const void* data, std::size_t bytes) const {
  broadcast(const_cast<void*>(data), bytes);  // NOLINT: MPI has one function for both sides
}

void Ranks::broadcast(std::string& bytes) const {
  std::uint64_t size = bytes.size();
  broadcast(&size, sizeof size);
  bytes.resize(size);
  broadcast(bytes.data(), size);
}

std::vector<std::string> Ranks::gather(const std::string& mine) const {
  if (rank_ != 0) {
    send(0, mine);
    return {};
  }
  std::vector<std::string> all{mine};
  while (all.size() < count_) all.push_back(receive(all.size()));
  return all;
}

void Ranks::reduce(double* values, std::size_t count) const {
  const void* from = rank_ == 0 ? MPI_IN_PLACE : values;
  MPI_Reduce(from, values, whole(count), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

void Ranks::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }

void Ranks::send(std::size_t to, const void* data, std::size_t bytes) const {
  in_chunks(static_cast<const char*>(data), bytes,
            [to](const char* from, int count) { MPI_Send(from, count, MPI_BYTE, whole(to), kTag, MPI_COMM_WORLD); });
}

void Ranks::send(std::size_t to, const std::string& bytes) const {
  send(to, bytes.data(), bytes.size());
  if (bytes.size() % kChunk == 0 && !bytes.empty()) send(to, nullptr, 0);
}

void Ranks::receive(std::size_t from, void* data, std::size_t bytes) const {
  in_chunks(static_cast<char*>(data), bytes, [from](char* to, int count) {
    MPI_Recv(to, count, MPI_BYTE, whole(from), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

// A message tells its length; a full chunk is followed by another.
std::string Ranks::receive(std::size_t from) const {
  std::string bytes;
  int count = 0;
  do {
    MPI_Status status;
    MPI_Probe(whole(from), kTag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    bytes.resize(bytes.size() + static_cast<std::size_t>(count));
    char* const to = bytes.data() + bytes.size() - static_cast<std::size_t>(count);
    MPI_Recv(to, count, MPI_BYTE, whole(from), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } while (count == whole(kChunk));
  return bytes;
}

struct Ranks::Sendings::Impl {
  std::vector<MPI_Request> requests;
};

Ranks::Sendings::Sendings() : impl_(std::make_unique<Impl>()) {}

Ranks::Sendings::~Sendings() {
  MPI_Waitall(whole(impl_->requests.size()), impl_->requests.data(), MPI_STATUSES_IGNORE);
}

void Ranks::Sendings::send_one(std::size_t to, const void* data, std::size_t bytes) {
  MPI_Isend(data, whole(bytes), MPI_BYTE, whole(to), kTag, MPI_COMM_WORLD, &impl_->requests.emplace_back());
}

void Ranks::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

}  // namespace fedrk::mpi
