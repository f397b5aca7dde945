// SPDX-License-Identifier: Apache-2.0
#include "support/federation.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace fedrk::test {
namespace {

constexpr std::string_view kListening = "fedrk: listening on 127.0.0.1:";

std::optional<std::uint16_t> port_in(const std::string& text) {
  const std::size_t at = text.find(kListening);
  if (at == std::string::npos || text.find('\n', at) == std::string::npos) return std::nullopt;
  return static_cast<std::uint16_t>(std::stoi(text.substr(at + kListening.size())));
}

std::string last_lines(const std::string& text, int lines) {
  std::size_t at = text.size();
  for (int i = 0; i <= lines && at != std::string::npos && at > 0; ++i) at = text.rfind('\n', at - 1);
  return at == std::string::npos || at == 0 ? text : text.substr(at + 1);
}

// The number behind the last occurrence of a word.
std::size_t last_number(const std::string& text, std::string_view word) {
  const std::size_t at = text.rfind(word);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + word.size(), nullptr, 10);
}

}  // namespace

Arguments patient_limits() {
  return {"--heartbeat", "0.2", "--join-limit", "30", "--reply-limit", "30", "--away-limit", "30"};
}

Federation::Federation(const StartupKit& kit, Arguments server_flags, Arguments client_flags)
    : server_flags_(std::move(server_flags)), client_flags_(std::move(client_flags)), clients_(kit.clients()) {
  std::filesystem::copy(kit.folder(), folder_.path(), std::filesystem::copy_options::recursive);
  for (std::size_t i = 0; i < kit.clients(); ++i) networks_.emplace_back(std::uint16_t{1});  // nobody is there yet
}

Federation::Federation(const Federation& other)
    : server_flags_(other.server_flags_), client_flags_(other.client_flags_), clients_(other.clients()) {
  std::filesystem::copy(other.folder_.path(), folder_.path(), std::filesystem::copy_options::recursive);
  for (std::size_t i = 0; i < other.clients(); ++i) networks_.emplace_back(std::uint16_t{1});
}

void Federation::change_plan(const std::string& entries) const { put_entries(path("server") / "plan.toml", entries); }

void Federation::start_server(Start how, const Arguments& before) {
  Arguments arguments = {FEDRK_PROGRAM, "resume", "runs/federation"};
  if (how == Start::SameCommand) {
    arguments = {FEDRK_PROGRAM, "server", "server.toml", "--listen", "127.0.0.1:0"};
    arguments.insert(arguments.end(), server_flags_.begin(), server_flags_.end());
  }
  arguments.insert(arguments.begin(), before.begin(), before.end());
  server_.reset();
  server_.emplace(arguments, path("server"), streams_.path(), "server");
  std::optional<std::uint16_t> port;
  wait_until(std::chrono::seconds(20), [&] {
    port = port_in(server_->err());
    return port || !server_->running();
  });
  if (!port) throw std::runtime_error("the server does not listen\n" + story());
  port_ = *port;
  for (ChaosProxy& network : networks_) network.set_target(port_);
}

std::string Federation::address_for(std::size_t client) const {
  return "127.0.0.1:" + std::to_string(networks_.at(client).port());
}

void Federation::start_client(std::size_t client) {
  Arguments arguments = {FEDRK_PROGRAM, "client", "client.toml", "--server", address_for(client)};
  arguments.insert(arguments.end(), client_flags_.begin(), client_flags_.end());
  clients_.at(client).reset();
  clients_.at(client).emplace(arguments, path(site_name(client)), streams_.path(), site_name(client));
}

void Federation::start_all() {
  start_server();
  for (std::size_t i = 0; i < clients(); ++i) start_client(i);
}

Outcome Federation::command(const std::string& name, const Arguments& flags) const {
  Arguments arguments = {FEDRK_PROGRAM, name, "runs/federation"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return run_command(arguments, std::chrono::seconds(30), path("server"));
}

std::string Federation::state() const {
  const std::string text = command("status", {"--format", "json"}).out;
  constexpr std::string_view kEntry = "\"state\": \"";
  const std::size_t at = text.find(kEntry);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kEntry.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

std::size_t Federation::round() const {
  const std::string told = streams_.read("server.err");
  return std::max(last_number(told, "[ROUND "), last_number(told, " round="));
}

std::string Federation::story() const {
  std::string story = "server: " + last_lines(streams_.read("server.err"), 15);
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    story += site_name(i) + ": " + last_lines(streams_.read(site_name(i) + ".err"), 6);
  }
  return story;
}

}  // namespace fedrk::test
