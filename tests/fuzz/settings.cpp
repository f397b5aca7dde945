// SPDX-License-Identifier: Apache-2.0
//
// Whatever stands in the file of a plan, a client or a server, or in a plan that a server sends: it is taken or refused
// at its line, what was taken and written out reads the same, and what was checked can be decided.
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fuzz/fuzz_files.hpp"
#include "plan/plan.hpp"
#include "plan/plan_options.hpp"
#include "plan/settings.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::fuzz {
namespace {

namespace fs = std::filesystem;
using network::ClientSettings;
using network::ServerSettings;

constexpr double kLongest = 1e9;  // seconds: a wait in nanoseconds fits 64 bits

std::string any_value(Input& input) {
  return std::string(input.one_of({"true",
                                   "false",
                                   "1",
                                   "0",
                                   "20",
                                   "\"auto\"",
                                   "\"all\"",
                                   "\"inf\"",
                                   "inf",
                                   "-inf",
                                   "nan",
                                   "1e-8",
                                   "-1",
                                   "0.5",
                                   "\"none\"",
                                   "\"endless\"",
                                   "\"fit\"",
                                   "\"solve\"",
                                   "\"gram\"",
                                   "\"fedrk\"",
                                   "\"sums\"",
                                   "\"updates\"",
                                   "\"soft:0.1\"",
                                   "\"tail:3\"",
                                   "\"by:site\"",
                                   "\"shuffled\"",
                                   "[\"a:2\", \"b:3\"]",
                                   "[\"a.csv\", \"../b.csv\"]",
                                   "\"a.csv\"",
                                   "\"/x/y.npy\"",
                                   "[]",
                                   "[[]]",
                                   "{}",
                                   "18446744073709551615",
                                   "\"18446744073709551615\"",
                                   "9223372036854775807",
                                   "\"json\"",
                                   "\"debug\"",
                                   "\"half\"",
                                   "\"plan\"",
                                   "\"float32\"",
                                   "\"\\u0001\\u007f\\\"\\\\\"",
                                   "\"\\t\\n\"",
                                   "\"\"",
                                   "1979-05-27",
                                   "0x10",
                                   "3.0",
                                   "1e300",
                                   "\"greedy\"",
                                   "\"a\\u00e9\"",
                                   "4294967296"}));
}

template <class Settings>
std::string any_name(Input& input, std::span<const io::Option<Settings>> options) {
  if (input.rarely(24)) return std::string(input.one_of({"nobody", "\"quoted key\"", "a.b", "[data]", "allow-names"}));
  return std::string(options[input.below(static_cast<std::uint32_t>(options.size()))].name);
}

template <class Settings>
std::string any_file(Input& input, std::span<const io::Option<Settings>> options) {
  std::string text;
  for (std::uint32_t k = input.below(6); k > 0; --k) text += any_name(input, options) + " = " + any_value(input) + "\n";
  if (input.rarely(6)) input.spoil(text);
  if (input.rarely(8)) text += input.rest();
  return text;
}

const MemoryFile& file() {
  static const MemoryFile made;
  return made;
}

std::string any_text(Input& input) {
  switch (input.below(4)) {
    case 0:
      return any_file(input, network::client_options());
    case 1:
      return any_file(input, network::server_options());
    case 2:
      return input.raw();
    default:
      return any_file(input, io::plan_options());
  }
}

// TOML's own words may quote what they did not expect, so such a message is only looked at for its place.
void check_place(const Error& error) { FUZZ_PROMISE(error.message.starts_with(file().path().string() + ":")); }

void check_alike(const std::string& written, const std::string& again) {
  if (written != again)
    std::fprintf(stderr, "written:\n%s\nread and written again:\n%s\n", written.c_str(), again.c_str());
  FUZZ_PROMISE(written == again);
}

/// The text of settings again, after they were read from it; why not, where that does not work.
template <class Read, class Settings>
std::string read_again(const std::string& text, const Read& read, std::span<const io::Option<Settings>> options) {
  const auto again = read(file().holding(text));
  return again ? io::options_text(options, *again, file().path().parent_path()) : again.error().message;
}

// ---- Plans.

void check_decisions(const io::Plan& plan) {
  if (!io::check_method(plan)) return;
  const io::ResolvedPlan decided = io::resolve(plan);
  FUZZ_PROMISE(decided.run.rounds > 0);
  (void)io::without_effect(plan);
}

// As one file, and as a server sends it.
void check_plan(const io::Plan& plan) {
  const fs::path folder = file().path().parent_path();
  const std::string text = io::plan_text(plan, folder);
  io::Plan again;
  const auto read = io::read_plan(file().holding(text), again);
  // A fit has no entries for equations, so what they said is not written.
  check_alike(text, read ? io::plan_text(again, folder) : read.error().message);
  io::Plan arrived;
  const auto sent = wire::plan_message(plan);
  FUZZ_PROMISE(wire::take_plan(sent, arrived));
  FUZZ_PROMISE(bytes_of(wire::plan_message(arrived)) == bytes_of(sent));
  check_decisions(plan);
}

void play_file(Input& input) {
  const std::string text = any_text(input);
  io::Plan plan;
  const auto read_plan = io::read_plan(file().holding(text), plan);
  auto client = network::read_client_settings(file().path());
  auto server = network::read_server_settings(file().path());
  (void)network::is_server_file(file().path());
  if (!read_plan) check_place(read_plan.error());
  if (!client) check_place(client.error());
  if (!server) check_place(server.error());
  const fs::path folder = file().path().parent_path();
  // An empty text is not written, and stands for the default where there is one.
  if (client && client->state.empty()) client->state = (file().path().parent_path() / "state").string();
  if (server && server->listen.empty()) server->listen = network::ServerSettings().listen;
  if (client) {
    if (network::check(*client)) FUZZ_PROMISE(client->wait <= kLongest && client->largest_message >= 2 << 20);
    const std::string written = io::options_text(network::client_options(), *client, folder);
    check_alike(written, read_again(written, network::read_client_settings, network::client_options()));
  }
  if (server) {
    if (network::check(*server)) {
      FUZZ_PROMISE(std::max({server->join_limit, server->reply_limit, server->away_limit, server->heartbeat}) <=
                   kLongest);
    }
    const std::string written = io::options_text(network::server_options(), *server, folder);
    check_alike(written, read_again(written, network::read_server_settings, network::server_options()));
    if (read_plan && io::check_method(plan)) (void)network::check_privacy(*server, plan);
  }
  if (read_plan) check_plan(plan);
}

// ---- A plan from a server, whose entries hold any number of any texts.

void play_message(Input& input) {
  std::vector<wire::PlanEntry> entries;
  for (std::uint32_t k = 1 + input.below(4); k > 0; --k) {
    auto& entry = entries.emplace_back();
    entry.name = any_name(input, io::plan_options());
    for (std::uint32_t values = input.below(3); values > 0; --values) {
      entry.values.push_back(
          input.maybe() ? input.text()
                        : std::string(input.one_of({"1", "auto", "inf", "all", "true", "fit", "0", "gram", "1e-300",
                                                    "soft:", "tail:", "by:", "a:2", "18446744073709551615"})));
    }
  }
  io::Plan plan;
  if (wire::take_plan(entries, plan)) {
    FUZZ_PROMISE(plan.data.empty() && plan.matrix.empty() && plan.rhs.empty() && plan.start.empty());
    check_decisions(plan);
  }
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  input.rarely(3) ? fedrk::fuzz::play_message(input) : fedrk::fuzz::play_file(input);
  return 0;
}
