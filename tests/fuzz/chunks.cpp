// SPDX-License-Identifier: Apache-2.0
//
// Chunks in whatever order: a message that they make has their very bytes, and no more is kept than a message may have.
#include <string>

#include "fuzz/fuzz_messages.hpp"

namespace fedrk::fuzz {
namespace {

void play(Input& input) {
  constexpr std::size_t kLargest = 200, kNumbers = 20;
  wire::Reassembler<wire::ClientMessage> incoming(kLargest, kNumbers);
  std::string open;  // of a message that was begun
  for (int k = 0; k < 20 && input.more(); ++k) {
    wire::ClientMessage message;
    fill(message, input);
    std::string bytes = bytes_of(message);
    for (const std::string& chunk : any_chunks_of(bytes, input)) {
      if (input.rarely(12)) continue;
      const auto got = incoming.add(chunk);
      const auto kind = chunk.empty() ? wire::ChunkKind::Part : static_cast<wire::ChunkKind>(chunk.front());
      if (!got) {
        open.clear();
      } else if (kind == wire::ChunkKind::Whole) {
        FUZZ_PROMISE(*got && bytes_of(**got) == chunk.substr(1));
        FUZZ_PROMISE(open.empty() || wire::holds<wire::Heartbeat>(**got));
      } else if (kind == wire::ChunkKind::Part) {
        FUZZ_PROMISE(!*got);
        open += chunk.substr(1);
        FUZZ_PROMISE(open.size() <= kLargest + kNumbers * sizeof(double));
      } else {
        FUZZ_PROMISE(*got && bytes_of(**got) == open + chunk.substr(1));
        open.clear();
      }
    }
  }
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  fedrk::fuzz::play(input);
  return 0;
}
