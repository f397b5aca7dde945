// SPDX-License-Identifier: Apache-2.0
//
// Whatever became of the files of a run or of a client (run.db, client.db, masks.db, the counts beside them, the seed):
// they are refused, or what is sealed in them reads as it was written. A report comes out of any result.json and
// history.csv that can be read.
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/hash.hpp"
#include "checkpoint/answer_codec.hpp"
#include "checkpoint/client_store.hpp"
#include "checkpoint/run_journal.hpp"
#include "checkpoint/run_store.hpp"
#include "fuzz/fuzz_files.hpp"
#include "report/report.hpp"
#include "report/saved_run.hpp"
#include "secure_sum/replay_guard.hpp"

namespace fedrk::fuzz {
namespace {

namespace fs = std::filesystem;
using Files = std::map<fs::path, std::string>;  // by their place in the folder

const MemoryFolder& folder() {
  static const MemoryFolder made;
  return made;
}

template <class Value>
Value the(Result<Value> result) {
  FUZZ_PROMISE(result);
  return *std::move(result);
}
void done(const Result<void>& result) { FUZZ_PROMISE(result); }

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Files files_of(const fs::path& whole) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(whole)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), whole)] = content(entry.path());
  }
  return files;
}

void lay_out(const Files& files, const fs::path& whole) {
  fs::remove_all(whole);
  for (const auto& [name, bytes] : files) {
    fs::create_directories((whole / name).parent_path());
    std::ofstream(whole / name, std::ios::binary) << bytes;
    fs::permissions(whole / name, fs::perms::owner_read | fs::perms::owner_write);
  }
}

/// One of the files, in some of its bytes, or at its end; or it is gone.
void damage(Files& files, Input& input) {
  const auto file = std::next(files.begin(), input.below(static_cast<std::uint32_t>(files.size())));
  std::string& bytes = file->second;
  if (input.rarely(16)) return static_cast<void>(files.erase(file));
  for (std::uint32_t k = 1 + input.below(3); k > 0 && !bytes.empty(); --k) {
    const auto at = input.below(static_cast<std::uint32_t>(bytes.size()));
    switch (input.below(8)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.insert(at, input.text());
        break;
      case 2:
        bytes.replace(at, 8, std::string(8, static_cast<char>(input.below(256))));
        break;
      default:
        bytes[at] = static_cast<char>(input.below(256));
        break;
    }
  }
}

// ---- run.db.

const store::RunIdentity kIdentity{.id = "0123456789abcdef0123456789abcdef",
                                   .kind = store::RunKind::Server,
                                   .title = "a run",
                                   .plan = "target = \"y\"\n",
                                   .rounds = 9,
                                   .roster = {{ClientId{0}, "a", 3, 1.0, 2.0}, {ClientId{1}, "b", 4, 5.0, 6.0}}};
constexpr std::string_view kDocument = "what was agreed on";
constexpr std::string_view kState = "the state of the run";

RoundReplies replies(std::uint32_t round) {
  return {
      .replies = {{ClientId{0}, {1.0 * round, 2.0}}}, .absences = {{ClientId{1}, "late"}}, .answered = {ClientId{0}}};
}

const Files& run_files() {
  static const Files made = [] {
    const fs::path whole = folder() / "made-run";
    fs::create_directories(whole);
    {
      auto store = the(store::RunStore::create(whole / "run.db", kIdentity));
      done(store.put_document("federation", kDocument));
      store::RunJournal journal(store, store::CommitPolicy::EachAnswer, 0.0);
      for (std::uint32_t t = 0; t < 4; ++t) {
        journal.add_answer({t, t, 17 + t, 0.5, store::encoded(replies(t))});
        journal.add_round({RoundIndex{t}, {ClientId{0}}, {{ClientId{1}, "late"}}, 0.5, 1.0, 0.1, 10, 20});
        const RoundRecord record{RoundIndex{t}, {ClientId{0}}, {{ClientId{1}, "late"}}, 0.5, 1.0, 0.1, 10, 20};
        if (t < 3) journal.add_snapshot(t + 1, std::string(kState), std::span(&record, 1));
      }
    }
    return files_of(whole);
  }();
  return made;
}

void play_run(Input& input) {
  Files files = run_files();
  damage(files, input);
  const fs::path whole = folder() / "run";
  lay_out(files, whole);
  const bool reads = input.maybe();
  auto store =
      store::RunStore::open(whole / "run.db", reads ? store::RunStore::Access::Read : store::RunStore::Access::Write);
  if (!store) return;
  // What is under a seal.
  const store::RunIdentity& identity = store->identity();
  FUZZ_PROMISE(identity.id == kIdentity.id && identity.plan == kIdentity.plan && identity.rounds == kIdentity.rounds &&
               same(identity.roster, kIdentity.roster));
  const auto document = store->document("federation");
  if (document && *document) FUZZ_PROMISE(**document == kDocument);
  (void)store->progress();
  if (reads) return;
  try {
    store::RunJournal journal(*store, input.maybe() ? store::CommitPolicy::EachAnswer : store::CommitPolicy::Intervals);
    if (const auto saved = journal.saved()) {
      FUZZ_PROMISE(saved->state == kState && saved->history.size() == journal.first());
    }
    for (std::uint64_t number = journal.first(); number < std::min<std::uint64_t>(journal.found(), 8); ++number) {
      const auto answer = store->answer(number);
      if (!answer) continue;
      const auto round = store::decoded(answer->bytes);
      if (round) FUZZ_PROMISE(answer->number == number && round->replies.size() == 1);
    }
  } catch (const store::StoreFailed&) {
  }
}

// ---- A client's folder.

constexpr store::ReplayGuard::Key kSecret{1, 2, 3}, kQuestion{4}, kAnswer{5}, kOther{6};
const store::Disclosed kDisclosed{
    .versions = {{{"a", "b"}, {1, 2, 3}}}, .companies = {}, .products = {{{"site"}, {"a"}}}};
constexpr double kBudget = 1.0, kSpent = 0.25;

/// And what they are to read as.
struct ClientFiles {
  Files files;
  std::uint64_t seed = 0, salt = 0;
};

const ClientFiles& client_files() {
  static const ClientFiles made = [] {
    ClientFiles all;
    const fs::path whole = folder() / "made-client", state = whole / "state";
    fs::create_directories(state);
    {
      auto store = the(store::ClientStore::open(state));
      all.seed = the(store.secret_seed());
      FUZZ_PROMISE(the(store.spend({"run", 1, kSpent}, kBudget)));
      all.salt = the(store.disclosures().salt());
      const auto id = the(store.disclosures().add(kDisclosed));
      (void)the(store.disclosures().count(id, {2, 3}));
      const auto guard = the(store::open_replay_guard(state));
      (void)the(guard->secret("run", kSecret));
      (void)the(guard->record("run", kQuestion, kAnswer));
    }
    all.files = files_of(whole);
    return all;
  }();
  return made;
}

// Without the count beside the folder, nothing tells that the file is an old or a new one.
bool is_whole(const Files& files) {
  for (const auto& [name, bytes] : client_files().files) {
    if (!files.contains(name)) return false;
  }
  return true;
}

void play_client(Input& input) {
  const ClientFiles& made = client_files();
  Files files = made.files;
  damage(files, input);
  const fs::path whole = folder() / "client", state = whole / "state";
  lay_out(files, whole);
  if (!is_whole(files)) return;  // taken away: made anew, as its owner may want it
  if (auto store = store::ClientStore::open(state)) {
    const auto seed = store->secret_seed();
    // Half of the file's digits are for checking the others; a seed without them is one of an earlier version.
    const auto text = files.find(fs::path("state") / "secret");
    if (seed && text->second.size() > 20) FUZZ_PROMISE(*seed == made.seed);
    if (const auto spent = store->spent()) FUZZ_PROMISE(*spent == kSpent);
    if (const auto salt = store->disclosures().salt()) FUZZ_PROMISE(*salt == made.salt);
    if (const auto entries = store->disclosures().entries()) {
      FUZZ_PROMISE(entries->size() == 1 && same(entries->front().what, kDisclosed));
      FUZZ_PROMISE(entries->front().counts.vectors == 2 && entries->front().counts.scalars == 3);
    }
    const auto more = store->spend({"run", 2, kBudget}, kBudget);
    FUZZ_PROMISE(!more);
  }
  if (auto guard = store::open_replay_guard(state)) {
    if (const auto secret = (*guard)->secret("run", kOther)) FUZZ_PROMISE(*secret == kSecret);
    const auto seen = (*guard)->record("run", kQuestion, kOther);
    if (seen) FUZZ_PROMISE(*seen == store::ReplayGuard::Seen::Other);
  }
}

// ---- The result of a run.

std::string any_json(Input& input, int depth = 0) {
  if (depth < 3 && input.below(4) == 1) {
    std::string text = "{";
    for (std::uint32_t k = input.below(4); k > 0; --k) {
      text += "\"" +
              std::string(input.one_of({"title", "rounds", "coefficient", "name", "value", "selected", "", "fit",
                                        "rows", "level", "count", "columns"})) +
              "\": " + any_json(input, depth + 1) + (k > 1 ? ", " : "");
    }
    return text + "}";
  }
  if (depth < 3 && input.below(4) == 1)
    return "[" + any_json(input, depth + 1) + ", " + any_json(input, depth + 1) + "]";
  return std::string(input.one_of({"1", "-0.5", "1e308", "1e400", "null", "true", "\"text\"", "\"<b>\"", "\"\\u0000\"",
                                   "18446744073709551616", "\"\"", "[]", "{}", "3", "1e-320"}));
}

std::string any_result(Input& input) {
  std::string text = "{";
  const std::string_view keys[] = {"options",
                                   "rounds",
                                   "clients",
                                   "name",
                                   "convergence",
                                   "version",
                                   "tolerance",
                                   "standardized",
                                   "seed",
                                   "rows",
                                   "problem",
                                   "goal",
                                   "fit",
                                   "warnings",
                                   "title",
                                   "target",
                                   "storage",
                                   "stop_reason",
                                   "status",
                                   "sigma",
                                   "selection",
                                   "seconds",
                                   "relative_residual",
                                   "relative_error",
                                   "refit_rounds",
                                   "r_squared",
                                   "progress",
                                   "noise_columns",
                                   "model",
                                   "method_notes",
                                   "method",
                                   "level",
                                   "df_residual",
                                   "count",
                                   "columns",
                                   "coefficients",
                                   "bytes_up",
                                   "bytes_down",
                                   "absences"};
  for (std::uint32_t k = input.below(8); k > 0; --k) {
    text += "\"" + std::string(keys[input.below(std::size(keys))]) + "\": " + any_json(input) + (k > 1 ? ",\n" : "\n");
  }
  text += "}";
  if (input.rarely(4)) input.spoil(text);
  return text;
}

std::string any_history(Input& input) {
  std::string text = input.rarely(8) ? input.text() : "round,residual,movement,error\n";
  for (std::uint32_t rows = input.below(6); rows > 0; --rows) {
    for (std::uint32_t k = 0; k < (input.rarely(12) ? input.below(6) : 4); ++k) {
      text += (k > 0 ? "," : "") + std::string(any_number(input));
    }
    text += "\n";
  }
  if (input.rarely(6)) input.spoil(text);
  return text;
}

void play_report(Input& input) {
  const fs::path whole = folder() / "result";
  Files files{{"result.json", input.rarely(8) ? input.rest() : any_result(input)}};
  if (!input.rarely(6)) files["history.csv"] = any_history(input);
  lay_out(files, whole);
  const auto saved = io::read_saved_run(whole);
  if (!saved) {
    FUZZ_PROMISE(saved.error().message.starts_with(whole.string()));
    return;
  }
  for (const io::SavedRound& round : saved->history) FUZZ_PROMISE(std::isfinite(round.round));
  const auto page = io::render_report(whole);
  FUZZ_PROMISE(page && page->size() > 1000);
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  switch (input.below(3)) {
    case 0:
      fedrk::fuzz::play_report(input);
      break;
    case 1:
      fedrk::fuzz::play_run(input);
      break;
    default:
      fedrk::fuzz::play_client(input);
      break;
  }
  return 0;
}
