// SPDX-License-Identifier: Apache-2.0
//
// Whatever bytes there are: a reader takes them or not, asks for no memory beyond them, and what it takes has these
// very bytes.
#include <string>

#include "base/byte_stream.hpp"
#include "fuzz/fuzz_input.hpp"
#include "round/question_bytes.hpp"
#include "support/any_value.hpp"

namespace fedrk::fuzz {
namespace {

struct Question {
  LocalTask task{};
  std::vector<std::uint32_t> columns{};
  std::vector<ClientId> participants{};
  static constexpr auto fields(auto& self) { return std::tie(self.task, self.columns, self.participants); }
};

template <class T>
void play(Input& input) {
  T value{};
  if (input.maybe()) test::fill_any(value, input);
  std::string bytes = bytes_of(value);
  if (input.maybe()) input.spoil(bytes);
  if (input.maybe()) bytes += input.rest();
  T again{};
  ByteReader in(bytes);
  in.get(again);
  FUZZ_PROMISE(!in.complete() || bytes_of(again) == bytes);
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  switch (input.below(4)) {
    case 0:
      fedrk::fuzz::play<fedrk::fuzz::Question>(input);
      break;
    case 1:
      fedrk::fuzz::play<fedrk::LocalWork>(input);
      break;
    case 2:
      fedrk::fuzz::play<fedrk::RoundReplies>(input);
      break;
    default:
      fedrk::fuzz::play<std::vector<fedrk::ClientSummary>>(input);
      break;
  }
  return 0;
}
