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
#include "network/vectors.hpp"
#include "secure_sum/masker.hpp"
#include "support/any_value.hpp"
#include "support/local_federation.hpp"
#include "transport/protocol/participant.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::fuzz {
namespace {

using namespace network;

constexpr std::size_t kRows = 5, kColumns = 3;

/// A real client of a few rows.
class TinyOwner final : public DataOwner {
 public:
  Result<TableShape> read(const std::string&, const io::Plan&) override {
    return TableShape{kRows, kColumns, {}, false, false};
  }
  Result<ColumnSums> column_sums(std::size_t columns) override {
    if (columns != kColumns) return Error{"it has other columns"};
    return fedrk::column_sums(system());
  }
  Result<ColumnSums> column_square_sums(std::span<const double> centre) override {
    if (centre.size() != kColumns) return Error{"it has other columns"};
    return fedrk::column_square_sums(system(), centre);
  }
  Result<PreparedRows> prepare(const Preparation& wanted) override {
    LinearSystem rows = copy_of(system());
    if (wanted.scaling) {
      if (wanted.scaling->centre.size() != kColumns || wanted.scaling->scale.size() != kColumns) {
        return Error{"it has other columns"};
      }
      apply(*wanted.scaling, rows);
    }
    client_.emplace(wanted.place, "tiny", RowBlock(std::move(rows)), 1);
    return PreparedRows{client_->summary(), kColumns};
  }
  Result<LocalReply> answer(const LocalTask& task) override { return client_->local_update(task); }

 private:
  static const LinearSystem& system() {
    static const LinearSystem made = generate({.rows = kRows, .cols = kColumns, .seed = 3}).system;
    return made;
  }
  std::optional<Client> client_;
};

std::string bytes_of(ArrivedQuestion& question) {
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

void fill(wire::Task& task, Input& input) {
  task.set_run(input.run());
  task.set_number(input.number());
  ArrivedQuestion question;
  fill(question, input);
  const auto length = static_cast<std::uint32_t>(question.columns.empty() ? kColumns : question.columns.size());
  task.set_question(bytes_of(question));
  if (input.below(8) == 0) input.spoil(*task.mutable_question());
  input.fill(*task.mutable_x(), length);
  task.set_attempt(input.below(3));
  if (input.maybe()) task.set_exponent(static_cast<std::int32_t>(input.below(64)) - 48);
  if (input.below(3) == 0) input.fill(*task.mutable_own(), length);
}

// Mostly one in which this client has its own place, with two others whose keys could be anybody's.
void fill(wire::Company& company, const wire::MaskKey& own, Input& input) {
  static const masking::Masker second(masking::Key{1}, "fuzz"), third(masking::Key{2}, "fuzz");
  company.set_run(input.run());
  *company.add_members()->mutable_key() = own;
  for (const masking::Masker* other : {&second, &third}) {
    if (input.below(8) == 0) continue;
    const masking::Key& key = other->public_key();
    auto& member = *company.add_members();
    member.set_name(input.below(8) == 0 ? input.text() : other == &second ? "second" : "third");
    member.mutable_key()->set_key(input.below(8) == 0 ? input.text() : std::string(key.begin(), key.end()));
  }
  company.mutable_members(0)->set_name("tiny");
  company.set_place(input.below(8) == 0 ? input.below(4) : 0);
}

wire::ServerMessage built(Input& input, const wire::MaskKey& own) {
  wire::ServerMessage message;
  switch (input.below(11)) {
    case 10:
      fill(*message.mutable_company(), own, input);
      break;
    case 0:
      message.mutable_welcome()->set_protocol(input.protocol());
      message.mutable_welcome()->set_run(input.run());
      message.mutable_welcome()->set_masked(input.maybe());
      if (input.below(4) == 0) {
        auto& entry = *message.mutable_welcome()->add_plan();
        constexpr const char* kEntries[] = {"target", "seed", "rounds", "local-steps", "intercept", "data"};
        entry.set_name(input.below(4) == 0 ? input.text() : kEntries[input.below(6)]);
        for (std::uint32_t k = input.below(3); k > 0; --k) entry.add_values(input.text());
      }
      break;
    case 1:
      message.mutable_sum_columns()->set_run(input.run());
      message.mutable_sum_columns()->set_columns(input.maybe() ? kColumns : input.number());
      break;
    case 2:
      message.mutable_sum_squares()->set_run(input.run());
      input.fill(*message.mutable_sum_squares()->mutable_centre(), kColumns);
      break;
    case 3:
      message.mutable_prepare()->set_run(input.run());
      message.mutable_prepare()->set_columns(input.maybe() ? kColumns : input.number());
      message.mutable_prepare()->set_place(input.below(4) == 0 ? static_cast<std::uint32_t>(input.number()) : 0);
      if (input.below(4) != 0) break;
      message.mutable_prepare()->set_standardized(true);
      input.fill(*message.mutable_prepare()->mutable_centre(), kColumns);
      input.fill(*message.mutable_prepare()->mutable_scale(), kColumns);
      break;
    case 4:
      input.fill(*message.mutable_piece());
      break;
    case 5:
      message.mutable_end()->set_status(input.text());
      input.fill(*message.mutable_end()->mutable_coefficients(), kColumns);
      break;
    default:
      fill(*message.mutable_task(), input);
      break;
  }
  return message;
}

// Long work is no finding: a server may ask for much, and a client's owner may end it.
void shorten(std::uint64_t& steps) {
  constexpr std::uint64_t kMost = 50, kRefused = std::uint64_t{1} << 40;
  if (steps <= kRefused) steps = std::min(steps, kMost);
}

void shorten(LocalWork& work) {
  if (auto* steps = std::get_if<FixedSteps>(&work)) shorten(steps->count);
  if (auto* steps = std::get_if<SparseSteps>(&work)) shorten(steps->budget.count);
  if (auto* steps = std::get_if<ValidSteps>(&work)) {
    if (auto* fixed = std::get_if<FixedSteps>(&steps->budget)) shorten(fixed->count);
  }
  if (auto* steps = std::get_if<GradientSteps>(&work)) {
    shorten(steps->count);
    shorten(steps->batch);
  }
}

void shorten(wire::ServerMessage& message) {
  if (!wire::holds<wire::Task>(message)) return;
  auto question = wire::question_of(std::get<wire::Task>(message));
  if (!question) return;
  FUZZ_PROMISE(bytes_of(*question) == std::get<wire::Task>(message).question);
  shorten(question->task.work);
  message.mutable_task()->set_question(bytes_of(*question));
}

// The answer as the server gets it, through pieces of any size.
void check_travel(const wire::ClientMessage& answer, Input& input) {
  wire::Assembly<wire::ClientMessage> assembly(1000);
  std::optional<wire::ClientMessage> arrived;
  wire::ClientMessage whole = answer;
  wire::vectors_of(whole);
  for (const wire::ClientMessage& piece : wire::in_pieces(answer, 1 + input.below(5))) {
    FUZZ_PROMISE(!arrived);
    auto added = assembly.add(piece);
    FUZZ_PROMISE(added);
    arrived = *std::move(added);
  }
  FUZZ_PROMISE(arrived && arrived->SerializeAsString() == whole.SerializeAsString());
}

void check_task(const wire::Task& task, const wire::ClientMessage& answer, bool masked) {
  FUZZ_PROMISE(wire::holds<wire::Update>(answer) || wire::holds<wire::Refusal>(answer));
  if (wire::holds<wire::Refusal>(answer)) FUZZ_PROMISE(std::get<wire::Refusal>(answer).number == task.number());
  if (!wire::holds<wire::Update>(answer)) return;
  const wire::Update& update = std::get<wire::Update>(answer);
  const auto question = wire::question_of(task);
  FUZZ_PROMISE(question);
  const LocalTask& asked = question->task;
  FUZZ_PROMISE(!std::holds_alternative<AllRows>(asked.work));
  FUZZ_PROMISE(update.number() == task.number() && update.run() == task.run() && update.round() == asked.round.value);
  FUZZ_PROMISE(update.masked() == masked);
  if (masked) {
    FUZZ_PROMISE(asked.reveal == Reveal::Sums && question->participants.size() >= 3);
    FUZZ_PROMISE(!std::holds_alternative<ClippedPass>(asked.work));
    FUZZ_PROMISE(update.attempt() == task.attempt());
    FUZZ_PROMISE(!update.squared_residual.has_value() && !update.gap.has_value());
  } else {
    FUZZ_PROMISE(update.part() == (asked.reveal == Reveal::Sums));
    FUZZ_PROMISE(update.squared_residual.has_value() == asked.report_residual);
  }
  FUZZ_PROMISE(update.values().length() == static_cast<std::uint64_t>(update.values().values_size()));
}

void play(Input& input) {
  test::NoLog log;
  TinyOwner owner;
  Participant participant({.name = "tiny", .software = "fuzz", .reveal_updates = true, .expose_rows = true}, owner,
                          log);
  wire::MaskKey own;
  bool masked = false;
  wire::Assembly<wire::ServerMessage> assembly(16);
  for (int step = 0; step < 60 && input.more(); ++step) {
    wire::ServerMessage message;
    if (input.below(6) != 0) {
      message = built(input, own);
    } else if (!input.parse(message)) {
      continue;
    }
    shorten(message);
    auto whole = assembly.add(std::move(message));
    if (!whole || !*whole) continue;
    const wire::ServerMessage& heard = **whole;
    const auto reaction = participant.on_message(heard);
    const int said = (reaction.answer ? 1 : 0) + (reaction.end ? 1 : 0);
    FUZZ_PROMISE(said == 1 || (said == 0 && wire::holds<wire::Company>(heard)));
    FUZZ_PROMISE(reaction.end.has_value() == wire::holds<wire::End>(heard));
    if (!reaction.answer) continue;
    if (wire::holds<wire::Ready>(*reaction.answer)) {
      own = std::get<wire::Ready>(*reaction.answer).mask_key;
      masked = std::get<wire::Welcome>(heard).masked;
    }
    check_travel(*reaction.answer, input);
    if (!wire::holds<wire::Task>(heard)) continue;
    check_task(std::get<wire::Task>(heard), *reaction.answer, masked);
    const auto again = participant.on_message(heard);
    FUZZ_PROMISE(again.answer->SerializeAsString() == reaction.answer->SerializeAsString());
  }
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  fedrk::fuzz::play(input);
  return 0;
}
