// SPDX-License-Identifier: Apache-2.0

// fedrk resume: goes on with a run whose process ended before the run did.

#include "resume.hpp"

#include <filesystem>

#include "commands.hpp"
#include "launcher.hpp"

namespace fedrk::app {

int resume_any(const ResumeArguments& arguments) {
  const std::filesystem::path path = std::filesystem::path(arguments.folder) / "run.db";
  if (std::filesystem::exists(path)) {
    const auto store = store::RunStore::open(path, store::RunStore::Access::Read);
    if (!store) return complain(store.error().message, kBadInput);
    if (store->identity().kind == store::RunKind::Server) return resume_server(arguments);
  }
  LocalLauncher here;
  return resume_run(arguments, here);
}

}  // namespace fedrk::app
