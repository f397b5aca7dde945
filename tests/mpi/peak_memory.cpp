// SPDX-License-Identifier: Apache-2.0

// Runs a command and leaves the largest resident memory it had, in kB, in the file FILE.RANK:
//
//     mpirun -n 2 peak_memory FILE command ...

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp(argv[2], argv + 2);
    ::_exit(127);
  }
  // The launcher ends all ranks as soon as one ends with a code: this one has its file to write first.
  (void)std::signal(SIGTERM, SIG_IGN);
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child) return 1;
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  std::ofstream(argv[1] + std::string(".") + (rank == nullptr ? "0" : rank)) << usage.ru_maxrss << '\n';
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
