// SPDX-License-Identifier: Apache-2.0
//
// Whatever a server says: a client answers or refuses, the same when it is asked again, and its rows stay where they
// are.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/generate.hpp"
#include "fuzz/fuzz_input.hpp"
#include "secure_sum/masker.hpp"
#include "support/any_value.hpp"
#include "support/bare_owner.hpp"
#include "support/local_federation.hpp"
#include "transport/protocol/client_protocol.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::fuzz {
namespace {

using namespace network;

constexpr std::size_t kRows = 5, kColumns = 3;

/// A real client of a few rows.
class TinyOwner final : public test::BareOwner {
 public:
  Result<TableShape> read(const std::string&, const io::Plan& plan) override {
    plan_ = plan;
    return TableShape{kRows, kColumns, {}, false, false};
  }
  Result<ColumnSums> sum_columns(const io::SumColumns& question) override {
    if (question.columns != kColumns) return Error{"it has other columns"};
    site_.emplace(plan_, "tiny", copy_of(system()));
    return site_->sum_columns(question);
  }
  Result<io::PreparedRows> prepare(const io::PrepareRows& wanted, ClientId place) override {
    io::TableSite site(plan_, "tiny", copy_of(system()));
    std::vector<std::string> warnings;
    auto made = std::move(site).prepare(wanted, {}, {place, 1}, warnings);
    if (!made) return made.error();
    client_ = *std::move(made);
    return io::PreparedRows{client_->summary(), client_->block().cols()};
  }
  Result<LocalReply> answer(const LocalTask& task) override { return client_->local_update(task); }

 private:
  static const LinearSystem& system() {
    static const LinearSystem made = generate({.rows = kRows, .cols = kColumns, .seed = 3}).system;
    return made;
  }
  io::Plan plan_;
  std::optional<io::TableSite> site_;
  std::optional<Client> client_;
};

std::string question_bytes(ArrivedQuestion& question) {
  ByteWriter out;
  describe_question(question.look(), question.participants, out);
  return std::move(out.bytes());
}

// Work of any kind, with numbers that are mostly small. A grid that could suit its noise is rare enough as it is.
void fill(ArrivedQuestion& question, Input& input) {
  LocalTask& task = question.task;
  task.round.value = input.below(6);
  test::fill_any(task.work, input);
  if (auto* pass = std::get_if<ClippedPass>(&task.work)) {
    pass->exponent = static_cast<std::int32_t>(input.below(64)) - 48;
  }
  task.report_residual = input.maybe();
  task.noise_columns = input.below(4) == 0 ? input.number() : 0;
  task.reveal = input.maybe() ? Reveal::Sums : Reveal::Updates;
  for (std::uint32_t k = 0; k < 3; ++k) {
    if (k > 0 && !input.maybe()) continue;
    question.participants.push_back(ClientId{input.below(8) == 0 ? input.below(9) : k});
  }
  if (input.below(4) != 0) return;
  for (std::uint32_t k = 1 + input.below(3); k > 0; --k) {
    question.columns.push_back(input.below(8) == 0 ? input.below(9) : 3 - k);
  }
}

// What makes more of a message that holds anything at all.

void make_plausible(wire::Task& task, Input& input, const wire::MaskKey&) {
  ArrivedQuestion question;
  fill(question, input);
  const auto length = static_cast<std::uint32_t>(question.columns.empty() ? kColumns : question.columns.size());
  std::string bytes = question_bytes(question);
  if (input.below(8) == 0) input.spoil(bytes);
  task.question = wire::bytes_from(bytes);
  input.fill(task.x, length);
  task.attempt = input.below(3);
  if (input.maybe()) task.exponent = static_cast<std::int32_t>(input.below(64)) - 48;
  task.own.clear();
  if (input.below(3) == 0) input.fill(task.own, length);
}

// Mostly one in which this client has its own place, with two others whose keys could be anybody's.
void make_plausible(wire::MaskingGroup& masking_group, Input& input, const wire::MaskKey& own) {
  static const masking::Masker second(masking::Key{1}, "fuzz"), third(masking::Key{2}, "fuzz");
  masking_group.members = {{"tiny", own}};
  for (const masking::Masker* other : {&second, &third}) {
    if (input.below(8) == 0) continue;
    const std::string key = input.below(8) == 0 ? input.text() : std::string(masking::text_of(other->public_key()));
    masking_group.members.push_back({input.below(8) == 0 ? input.text()
                                     : other == &second  ? "second"
                                                         : "third",
                                     {.key = wire::bytes_from(key)}});
  }
  masking_group.place = input.below(8) == 0 ? input.below(4) : 0;
}

void make_plausible(wire::Welcome& welcome, Input& input, const wire::MaskKey&) {
  welcome.protocol = input.protocol();
  welcome.masked = input.maybe();
  welcome.plan.clear();
  if (input.below(4) != 0) return;
  constexpr const char* kEntries[] = {"target", "seed", "rounds", "local-steps", "intercept", "data"};
  auto& entry = welcome.plan.emplace_back();
  entry.name = input.below(4) == 0 ? input.text() : kEntries[input.below(6)];
  for (std::uint32_t k = input.below(3); k > 0; --k) entry.values.push_back(input.text());
}

void make_plausible(wire::SumColumns& sums, Input& input, const wire::MaskKey&) {
  if (input.maybe()) sums.question = {.columns = kColumns};
  if (input.maybe()) input.fill(sums.question.centre.emplace(), kColumns);
}

void make_plausible(wire::Prepare& prepare, Input& input, const wire::MaskKey&) {
  if (input.maybe()) prepare = {.run = prepare.run, .question = {.columns = kColumns}};
  if (input.below(4) != 0) return;
  Scaling& scaling = prepare.question.scaling.emplace();
  input.fill(scaling.centre, kColumns);
  input.fill(scaling.scale, kColumns);
}

void make_plausible(wire::End&, Input&, const wire::MaskKey&) {}

wire::ServerMessage built(Input& input, const wire::MaskKey& own) {
  wire::ServerMessage message;
  if (!input.maybe()) {
    fill(message, input);
  } else {
    message.emplace<wire::Task>().number = input.number();
  }
  std::visit(
      [&](auto& body) {
        if constexpr (requires { body.run; }) body.run = input.run();
        make_plausible(body, input, own);
      },
      message);
  return message;
}

// Long work is no finding: a server may ask for much, and a client's owner may end it.
void shorten(std::uint64_t& steps) {
  constexpr std::uint64_t kMax = 50, kRefused = std::uint64_t{1} << 40;
  if (steps <= kRefused) steps = std::min(steps, kMax);
}

void shorten(LocalWork& work) {
  if (auto* steps = std::get_if<FixedSteps>(&work)) shorten(steps->count);
  if (auto* steps = std::get_if<SparseSteps>(&work)) shorten(steps->budget.count);
  if (auto* steps = std::get_if<CutSteps>(&work)) {
    if (auto* fixed = std::get_if<FixedSteps>(&steps->budget)) shorten(fixed->count);
  }
  if (auto* steps = std::get_if<GradientSteps>(&work)) {
    shorten(steps->count);
    shorten(steps->batch);
  }
}

void shorten(wire::ServerMessage& message) {
  auto* task = std::get_if<wire::Task>(&message);
  if (task == nullptr) return;
  auto question = wire::question_of(*task);
  if (!question) return;
  FUZZ_PROMISE(question_bytes(*question) == wire::text_of(task->question));
  shorten(question->task.work);
  task->question = wire::bytes_from(question_bytes(*question));
}

// The answer as the server gets it, in chunks of any size.
void check_travel(const wire::ClientMessage& answer, Input& input) {
  wire::Reassembler<wire::ClientMessage> incoming(1 << 20, 1000);
  const std::string bytes = bytes_of(answer);
  const std::size_t most = 1 + input.below(50);
  std::optional<wire::ClientMessage> arrived;
  for (std::size_t from = 0; from < bytes.size(); from += most) {
    FUZZ_PROMISE(!arrived);
    const wire::Chunk chunk = wire::chunk_at(bytes, from, most);
    auto added = incoming.add(static_cast<char>(chunk.kind) + std::string(chunk.bytes));
    FUZZ_PROMISE(added);
    arrived = *std::move(added);
  }
  FUZZ_PROMISE(arrived && bytes_of(*arrived) == bytes);
}

void check_task(const wire::Task& task, const wire::ClientMessage& answer, bool masked) {
  if (const auto* refusal = std::get_if<wire::Refusal>(&answer)) {
    FUZZ_PROMISE(refusal->number == task.number && refusal->attempt == task.attempt);
    return;
  }
  FUZZ_PROMISE(wire::holds<wire::Update>(answer));
  const auto& update = std::get<wire::Update>(answer);
  const auto question = wire::question_of(task);
  FUZZ_PROMISE(question);
  const LocalTask& asked = question->task;
  FUZZ_PROMISE(!std::holds_alternative<AllRows>(asked.work));
  FUZZ_PROMISE(update.number == task.number && update.run == task.run && update.round == asked.round.value);
  FUZZ_PROMISE(update.masked.has_value() == masked);
  if (masked) {
    FUZZ_PROMISE(asked.reveal == Reveal::Sums && question->participants.size() >= 3);
    FUZZ_PROMISE(!std::holds_alternative<ClippedPass>(asked.work));
    FUZZ_PROMISE(update.attempt == task.attempt && update.values.empty());
    FUZZ_PROMISE(!update.squared_residual && !update.gap);
  } else {
    FUZZ_PROMISE(update.part == (asked.reveal == Reveal::Sums));
    FUZZ_PROMISE(update.squared_residual.has_value() == asked.report_residual);
  }
}

class Play {
 public:
  explicit Play(Input& input) : input_(input) {}

  void run() {
    for (int step = 0; step < 60 && input_.more(); ++step) {
      if (input_.below(6) == 0) {
        hear(input_.raw());
      } else {
        std::string bytes = bytes_of(built(input_, own_));
        for (const std::string& chunk : input_.chunks_of(bytes)) hear(chunk);
      }
    }
  }

 private:
  void hear(const std::string& chunk) {
    auto whole = incoming_.add(chunk);
    if (!whole || !*whole) return;
    shorten(**whole);
    answer(**whole);
  }

  void answer(const wire::ServerMessage& heard) {
    const auto reaction = protocol_.on_message(heard);
    const int said = (reaction.answer ? 1 : 0) + (reaction.end ? 1 : 0);
    FUZZ_PROMISE(said == 1 || (said == 0 && wire::holds<wire::MaskingGroup>(heard)));
    FUZZ_PROMISE(reaction.end.has_value() == wire::holds<wire::End>(heard));
    if (!reaction.answer) return;
    if (const auto* ready = std::get_if<wire::Ready>(&*reaction.answer)) {
      own_ = ready->mask_key;
      masked_ = std::get<wire::Welcome>(heard).masked;
    }
    check_travel(*reaction.answer, input_);
    const auto* task = std::get_if<wire::Task>(&heard);
    if (task == nullptr) return;
    check_task(*task, *reaction.answer, masked_);
    const auto again = protocol_.on_message(heard);
    FUZZ_PROMISE(bytes_of(*again.answer) == bytes_of(*reaction.answer));
  }

  Input& input_;
  test::NoLog log_;
  TinyOwner owner_;
  ClientProtocol protocol_{
      {.name = "tiny", .software = "fuzz", .consent = {.reveal_updates = true, .expose_rows = true}}, owner_, log_};
  wire::MaskKey own_;
  bool masked_ = false;
  wire::Reassembler<wire::ServerMessage> incoming_{2000, 16};
};

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  fedrk::fuzz::Play(input).run();
  return 0;
}
