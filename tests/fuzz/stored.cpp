// SPDX-License-Identifier: Apache-2.0
//
// Whatever a run or a client stored, read back: answers, the federation, what was disclosed, the history of rounds and
// the state of each method. What was written is read as it was; what is something else is not taken for it.
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/answer_codec.hpp"
#include "checkpoint/disclosure_ledger.hpp"
#include "fedrk/error.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/run.hpp"
#include "fuzz/fuzz_input.hpp"
#include "methods/method_options.hpp"
#include "round/checkpoints.hpp"
#include "round/state_stream.hpp"
#include "support/any_value.hpp"
#include "support/tiny_systems.hpp"
#include "transport/protocol/agreement.hpp"

namespace fedrk::fuzz {
namespace {

// ---- What has no state: bytes of structs.

/// Reads the bytes as such a value, of which they must then be the bytes.
template <class T>
bool reads_as_it_is(const std::string& bytes) {
  T value{};
  ByteReader in(bytes);
  in.get(value);
  FUZZ_PROMISE(!in.complete() || bytes_of(value) == bytes);
  return in.complete();
}

template <class T>
std::string any_bytes(Input& input) {
  T value{};
  test::fill_any(value, input);
  std::string bytes = bytes_of(value);
  if (input.maybe()) input.spoil(bytes);
  if (input.rarely(8)) bytes += input.rest();
  return bytes;
}

void play_answer(Input& input) {
  RoundReplies round;
  test::fill_any(round, input);
  std::string bytes = store::encoded(round);
  const auto as_written = store::decoded(bytes);
  FUZZ_PROMISE(as_written && same(*as_written, round));
  const std::string before = bytes;
  input.spoil(bytes);
  if (bytes != before) FUZZ_PROMISE(!store::decoded(bytes));
  (void)store::decoded(input.rest());
}

void play_federation(Input& input) {
  const std::string bytes = any_bytes<wire::StoredFederation>(input);
  const auto federation = network::federation_from(bytes);
  FUZZ_PROMISE(!federation || (bytes_of(*federation) == bytes && !federation->members.empty()));
  if (!federation) return;
  const auto gathered = network::gathered_from(*federation, {});
  if (gathered) FUZZ_PROMISE(gathered->roster.size() == federation->members.size() && gathered->stored == bytes);
}

// ---- The state of runs.

struct Kind {
  MethodOptions method;
  RunOptions run;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  const RunOptions run{.seed = 3, .rounds = 12, .participants = 0, .local_budget = FixedSteps{4}};
  all.push_back({{}, run});
  all.push_back({{.memory = HyperplaneMemory::kAll, .reveal = Reveal::Sums}, run});
  all.push_back({{.name = MethodName::Fedrk}, run});
  all.push_back({{.name = MethodName::Gram, .fit = true}, run});
  all.push_back({{.name = MethodName::Cg, .fit = true}, run});
  all.push_back({{.soft = 0.1}, run});
  all.push_back({{.name = MethodName::Fedrk, .average = TailBurnIn{2}}, run});
  return all;
}

std::vector<Client> tiny_clients() {
  return test::clients_of(generate({.rows = 12, .cols = 3, .seed = 5}).system, 3, 1,
                          {.sampling = RowSampling::Shuffled});
}

/// A run whose state is kept after each round, or begun from one.
class Kept final : public Engine, public Checkpoints {
 public:
  explicit Kept(std::optional<Saved> from = {}) : from_(std::move(from)) {}
  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    return inner_.local_updates(task, participants);
  }
  Checkpoints* checkpoints() override { return this; }
  std::optional<Saved> saved() override { return std::exchange(from_, std::nullopt); }
  bool due() override { return true; }
  void save(std::string state, std::span<const RoundRecord> rounds) override {
    history_.insert(history_.end(), rounds.begin(), rounds.end());
    states.push_back({std::move(state), history_});
  }
  std::vector<Saved> states;

 private:
  InProcessEngine inner_{tiny_clients(), 1};
  std::optional<Saved> from_;
  RunHistory history_;
};

/// The states that a method was in, round after round.
struct Recorded {
  Kind kind;
  std::vector<Checkpoints::Saved> states;
  RunResult result;
};

RunResult run(const Kind& kind, Kept& engine) {
  const RunOptions options = run_options_for(goal_of(kind.method, kind.run), kind.run);
  const auto method = make_method(kind.method, options, engine);
  return FederatedRun(options).run(engine, *method);
}

const std::vector<Recorded>& recorded() {
  static const std::vector<Recorded> all = [] {
    std::vector<Recorded> made;
    for (const Kind& kind : kinds()) {
      Kept engine;
      RunResult result = run(kind, engine);
      made.push_back({kind, std::move(engine.states), std::move(result)});
    }
    return made;
  }();
  return all;
}

// A run that goes on from where it was ends where it ended.
void play_resumed(Input& input) {
  const Recorded& of = recorded()[input.below(static_cast<std::uint32_t>(recorded().size()))];
  if (of.states.empty()) return;
  Kept engine(of.states[input.below(static_cast<std::uint32_t>(of.states.size()))]);
  const RunResult again = run(of.kind, engine);
  FUZZ_PROMISE(same(again.x, of.result.x) && again.history.size() == of.result.history.size());
}

// The bytes of a state, damaged: the method reads what it can, and what it has then is written as it was read.
void play_state(Input& input) {
  const Recorded& of = recorded()[input.below(static_cast<std::uint32_t>(recorded().size()))];
  if (of.states.empty()) return;
  Kept engine;
  const RunOptions options = run_options_for(goal_of(of.kind.method, of.kind.run), of.kind.run);
  const auto written = make_method(of.kind.method, options, engine);
  StateStream out;
  if (!written->state(out)) return;
  std::string bytes = std::move(out.bytes());
  if (input.rarely(4)) {  // a piece of the state of a whole run
    const std::string& whole = of.states[input.below(static_cast<std::uint32_t>(of.states.size()))].state;
    bytes = whole.substr(input.below(static_cast<std::uint32_t>(whole.size())));
  }
  for (std::uint32_t k = input.below(4); k > 0; --k) input.spoil(bytes);
  bytes += input.rest();
  const auto read = make_method(of.kind.method, options, engine);
  StateStream in(bytes);
  try {
    if (!read->state(in) || !in.complete()) return;
  } catch (const InvalidArgument&) {
    return;
  }
  StateStream again;
  FUZZ_PROMISE(read->state(again) && again.bytes() == bytes);
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fedrk;
  fuzz::Input input(data, size);
  switch (input.below(12)) {
    case 0:
    case 1:
      fuzz::play_answer(input);
      break;
    case 2:
    case 3:
    case 4:
      fuzz::play_federation(input);
      break;
    case 5:
    case 6:
      (void)fuzz::reads_as_it_is<store::Disclosed>(fuzz::any_bytes<store::Disclosed>(input));
      break;
    case 7:
      (void)fuzz::reads_as_it_is<RunHistory>(fuzz::any_bytes<RunHistory>(input));
      break;
    case 8:
      fuzz::play_resumed(input);
      break;
    default:
      fuzz::play_state(input);
      break;
  }
  return 0;
}
