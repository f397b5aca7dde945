// SPDX-License-Identifier: Apache-2.0
//
// Whatever a server says: a client answers or refuses, the same when it is asked again, its rows stay where they are,
// and under one mask there is one answer.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/generate.hpp"
#include "fuzz/fuzz_messages.hpp"
#include "fuzz/mask_watch.hpp"
#include "plan/plan_options.hpp"
#include "plan/setup.hpp"
#include "plan/table_site.hpp"
#include "secure_sum/column_part.hpp"
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
  Result<std::vector<ColumnKind>> count_columns() override { return site_->column_kinds(); }
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

/// The others of a masked run, who are honest: with their parts the server's questions make sense, so that this client
/// goes on to the next.
class Company {
 public:
  Company() {
    for (const char* name : {"second", "third"}) members_.push_back(std::make_unique<Member>(name));
  }

  /// Tells them what this client is told, and writes down what they say to it.
  void hear(const wire::ServerMessage& message) {
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
      Member& member = *members_[i];
      wire::ServerMessage told = message;
      if (auto* group = std::get_if<wire::MaskingGroup>(&told)) group->place = i + 1;
      if (auto* prepare = std::get_if<wire::Prepare>(&told)) prepare->place = i + 1;
      auto answer = member.protocol.on_message(told).answer;
      if (!answer) continue;
      if (const auto* ready = std::get_if<wire::Ready>(&*answer)) member.membership = ready->membership;
      if (const auto* sums = std::get_if<wire::ColumnSums>(&*answer)) member.said[sums->of] = sums->part;
    }
  }

  const std::string& name(std::size_t i) const { return members_[i]->name; }
  const wire::Membership& membership(std::size_t i) const { return members_[i]->membership; }
  std::size_t count() const { return members_.size(); }

  /// Everyone's, this client's first; empty as long as somebody has not said it.
  std::vector<wire::SignedPart> parts(io::SumColumns::Of of, const std::optional<wire::SignedPart>& own) const {
    std::vector<wire::SignedPart> all;
    if (!own) return all;
    all.push_back(*own);
    for (const auto& member : members_) {
      const auto said = member->said.find(of);
      if (said == member->said.end()) return {};
      all.push_back(said->second);
    }
    return all;
  }

 private:
  struct Member {
    explicit Member(const char* its_name)
        : name(its_name),
          protocol({.name = name, .software = "fuzz", .consent = {.rules = test::kNoRules}}, owner, log) {}
    std::string name;
    test::NoLog log;
    TinyOwner owner;
    ClientProtocol protocol;
    wire::Membership membership{};
    std::map<io::SumColumns::Of, wire::SignedPart> said{};
  };
  std::vector<std::unique_ptr<Member>> members_;
};

/// What a server may know when it makes up the next message.
struct Known {
  const Company& company;
  wire::Membership own{};
  std::map<io::SumColumns::Of, wire::SignedPart> said{};  // by this client
  std::size_t unknowns = kColumns;

  std::optional<wire::SignedPart> part(io::SumColumns::Of of) const {
    const auto found = said.find(of);
    return found == said.end() ? std::nullopt : std::optional(found->second);
  }
};

// Work of any kind, with numbers that are mostly small. A grid that could suit its noise is rare enough as it is.
void fill(ArrivedQuestion& question, Input& input) {
  LocalTask& task = question.task;
  task.round.value = input.below(6);
  const LocalWork usual[] = {
      CutSteps{FixedSteps{20}},        Gradient{}, NormalProduct{}, CrossProducts{true}, FixedSteps{0}, ColumnNorms{},
      SparseSteps{FixedSteps{20}, 0.5}};
  task.work = usual[input.below(std::size(usual))];
  if (input.rarely(3)) test::fill_any(task.work, input);
  if (auto* pass = std::get_if<ClippedPass>(&task.work)) {
    pass->exponent = static_cast<std::int32_t>(input.below(64)) - 48;
  }
  task.report_residual = input.maybe();
  task.noise_columns = input.rarely(8) ? input.number() : 0;
  task.reveal = !input.rarely(4) ? Reveal::Sums : Reveal::Updates;
  for (std::uint32_t k = 0; k < 3; ++k) {
    if (k > 0 && input.rarely(8)) continue;
    question.participants.push_back(ClientId{input.rarely(16) ? input.below(9) : k});
  }
  if (!input.rarely(4)) return;
  for (std::uint32_t k = 1 + input.below(3); k > 0; --k) {
    question.columns.push_back(input.rarely(8) ? input.below(9) : 3 - k);
  }
}

// What makes more of a message that holds anything at all.

void make_plausible(wire::Task& task, Input& input, const Known& known) {
  ArrivedQuestion question;
  fill(question, input);
  const auto length = static_cast<std::uint32_t>(question.columns.empty() ? known.unknowns : question.columns.size());
  std::string bytes = question_bytes(question);
  if (input.rarely(8)) input.spoil(bytes);
  task.question = wire::bytes_from(bytes);
  const bool none = std::holds_alternative<CrossProducts>(question.task.work);
  input.fill(task.x, none && !question.task.report_residual && !input.rarely(8) ? 0 : length);
  if (input.maybe()) task.exponent = static_cast<std::int32_t>(input.below(64)) - 48;
  task.own.clear();
  if (input.rarely(12)) input.fill(task.own, length);
}

// Mostly one in which this client has its own place, and the others theirs.
void make_plausible(wire::MaskingGroup& group, Input& input, const Known& known) {
  group.members = {{"tiny", known.own}};
  for (std::size_t i = 0; i < known.company.count(); ++i) {
    if (input.rarely(16)) continue;
    auto& member = group.members.emplace_back();
    member = {known.company.name(i), known.company.membership(i)};
    if (input.rarely(16)) member.name = input.text();
    if (input.rarely(16)) test::fill_any(member.membership, input);
  }
  group.groups = {{ClientId{0}, ClientId{1}, ClientId{2}}};
  if (input.rarely(16)) test::fill_any(group.groups, input);
  group.place = input.rarely(16) ? input.below(4) : 0;
}

void make_plausible(wire::Welcome& welcome, Input& input, const Known&) {
  welcome.protocol = any_protocol(input);
  welcome.masked = !input.rarely(4);
  welcome.plan.clear();
  switch (input.below(6)) {
    case 0:
      welcome.plan = {{"goal", {"fit"}}};
      break;
    case 1:
      welcome.plan = {{"sparse", {"soft:0.5"}}};
      break;
    case 2:
      welcome.plan = {{"least-squares", {"true"}}, {"standardize", {"true"}}};
      break;
    default:
      break;
  }
  if (!input.rarely(4)) return;
  for (std::uint32_t k = 1 + input.below(2); k > 0; --k) {
    const auto options = io::plan_options();
    auto& entry = welcome.plan.emplace_back();
    entry.name = input.rarely(8) ? input.text()
                                 : std::string(options[input.below(static_cast<std::uint32_t>(options.size()))].name);
    for (std::uint32_t values = input.below(3); values > 0; --values) {
      entry.values.push_back(input.maybe() ? input.text() : std::string(input.one_of({"1", "auto", "true", "all"})));
    }
  }
}

// Of the columns that there are, with the parts that were said; now and then something else.
template <class Message>
void make_relayed(Message& message, bool last, Input& input, const Known& known) {
  using Of = io::SumColumns::Of;
  if (input.rarely(16)) return;
  message.parts = {};
  if (input.rarely(16)) return;
  message.parts.values = known.company.parts(Of::Entries, known.part(Of::Entries));
  if (last) message.parts.last = known.company.parts(Of::Squares, known.part(Of::Squares));
  if (last && message.parts.last.empty())
    message.parts.last = known.company.parts(Of::Nothing, known.part(Of::Nothing));
  if (!input.rarely(16)) return;
  auto& parts = message.parts.values.empty() ? message.parts.last : message.parts.values;
  if (!parts.empty()) test::fill_any(parts[input.below(static_cast<std::uint32_t>(parts.size()))], input);
}

void make_plausible(wire::SumColumns& sums, Input& input, const Known& known) {
  constexpr auto kSums = enumerators(io::SumColumns::Of{});
  if (!input.rarely(8)) sums.question = {.columns = kColumns, .of = kSums[input.below(3)]};
  if (input.rarely(8)) input.fill(sums.question.known.sums, kColumns);
  make_relayed(sums, false, input, known);
}

void make_plausible(wire::Prepare& prepare, Input& input, const Known& known) {
  if (!input.rarely(8)) prepare = {.run = prepare.run, .question = {.columns = kColumns}};
  if (input.rarely(8)) {
    input.fill(prepare.question.totals.sums, kColumns);
    input.fill(prepare.question.totals.squares, kColumns);
    prepare.question.totals.rows = input.number();
  }
  make_relayed(prepare, true, input, known);
}

void make_plausible(wire::End&, Input&, const Known&) {}

wire::ServerMessage built(Input& input, const Known& known) {
  wire::ServerMessage message;
  if (!input.maybe()) {
    fill(message, input);
  } else {
    message.emplace<wire::Task>().number = input.number();
  }
  std::visit(
      [&](auto& body) {
        if constexpr (requires { body.run; }) body.run = any_run(input);
        make_plausible(body, input, known);
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
  const std::size_t most = input.rarely(4) ? 1 + input.below(50) : wire::kChunk;
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
    FUZZ_PROMISE(refusal->number == task.number);
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
    FUZZ_PROMISE(update.values.empty());
    FUZZ_PROMISE(!update.squared_residual && !update.gap);
  } else {
    FUZZ_PROMISE(update.part == (asked.reveal == Reveal::Sums));
    FUZZ_PROMISE(update.squared_residual.has_value() == asked.report_residual);
  }
}

class Play final : private io::SetupEngine {
 public:
  explicit Play(Input& input) : input_(input) {}

  void run() {
    if (!input_.rarely(4)) begin_well();
    for (int step = 0; step < 60 && input_.more(); ++step) {
      if (input_.rarely(6)) {
        hear(input_.raw());
      } else {
        say(built(input_, known_));
      }
    }
  }

 private:
  // As an honest server does, up to the first task.
  void begin_well() {
    wire::Welcome welcome{.run = "fuzz"};
    make_plausible(welcome, input_, known_);
    welcome.protocol = wire::kProtocol;
    io::Plan plan;
    if (!wire::take_plan(welcome.plan, plan)) return;
    fixed_ = plan.intercept ? 1 : 0;
    say(welcome);
    if (welcome.masked) say(honest_group());
    (void)io::set_up(plan, {.columns = kColumns, .rows = kRows * (1 + company_.count())}, *this);
  }

  wire::MaskingGroup honest_group() const {
    wire::MaskingGroup group{.run = "fuzz", .members = {{"tiny", known_.own}}};
    for (std::size_t i = 0; i < company_.count(); ++i) {
      group.members.push_back({company_.name(i), company_.membership(i)});
    }
    group.groups = {{ClientId{0}, ClientId{1}, ClientId{2}}};
    return group;
  }

  bool counts_columns() const override { return masked_; }
  Result<std::vector<double>> sum_columns(const io::SumColumns& question) override {
    wire::SumColumns message{.run = "fuzz", .question = question, .parts = parts_};
    if (masked_) message.question.known = {.rows = question.known.rows};
    sums_.clear();
    say(message);
    if (!masked_) return sums_;
    auto parts = company_.parts(question.of, known_.part(question.of));
    if (parts.empty()) return Error{"somebody has not answered"};
    const ColumnPart form(question, fixed_);
    masking::Words total(form.layout().words(), 0);
    for (const wire::SignedPart& part : parts) {
      if (part.words.size() != total.size()) return Error{"an answer to another question"};
      masking::add_part(form.layout(), part.words, total);
    }
    (question.of == io::SumColumns::Of::Entries ? parts_.values : parts_.last) = std::move(parts);
    auto read = form.read(total, 1 + company_.count());
    if (!read) return read.error();
    return std::move(read->sums.sums);
  }
  Result<std::vector<io::PreparedRows>> prepare(const io::PrepareRows& question) override {
    wire::Prepare message{.run = "fuzz", .question = question, .parts = parts_};
    if (masked_) message.question.totals = {.rows = question.totals.rows};
    say(message);
    return Error{"the set-up is over"};
  }

  void say(const wire::ServerMessage& message) {
    std::string bytes = bytes_of(message);
    for (const std::string& chunk : any_chunks_of(bytes, input_)) hear(chunk);
  }

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
    if (!wire::holds<wire::Task>(heard) && !wire::holds<wire::End>(heard)) company_.hear(heard);
    if (!reaction.answer) return;
    if (const auto* ready = std::get_if<wire::Ready>(&*reaction.answer)) {
      known_.own = ready->membership;
      masked_ = std::get<wire::Welcome>(heard).masked;
    }
    if (const auto* sums = std::get_if<wire::ColumnSums>(&*reaction.answer)) {
      known_.said[sums->of] = sums->part;
      sums_ = sums->sums;
    }
    if (const auto* ready = std::get_if<wire::Prepared>(&*reaction.answer)) known_.unknowns = ready->unknowns;
    watch_.see(*reaction.answer, masked_);
    check_travel(*reaction.answer, input_);
    const auto* task = std::get_if<wire::Task>(&heard);
    if (task == nullptr) return;
    check_task(*task, *reaction.answer, masked_);
    const auto again = protocol_.on_message(heard);
    FUZZ_PROMISE(bytes_of(*again.answer) == bytes_of(*reaction.answer));
  }

  ConsentOptions any_consent() {
    ConsentOptions consent{.reveal_updates = true, .expose_rows = !input_.rarely(4), .rules = test::kNoRules};
    if (input_.rarely(8)) consent.rules = {.min_rows = input_.below(8), .max_share = input_.below(4) * 0.2};
    consent.whole_run = input_.rarely(4);
    return consent;
  }

  Input& input_;
  test::NoLog log_;
  TinyOwner owner_;
  ClientProtocol protocol_{{.name = "tiny", .software = "fuzz", .consent = any_consent()}, owner_, log_};
  Company company_;
  Known known_{company_};
  MaskWatch watch_;
  bool masked_ = false;
  std::size_t fixed_ = 0;
  wire::RelayedParts parts_;  // as an honest server has them
  std::vector<double> sums_;  // of this client, in the clear
  wire::Reassembler<wire::ServerMessage> incoming_{2000, 400};
};

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  fedrk::fuzz::Play(input).run();
  return 0;
}
