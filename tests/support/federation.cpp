// SPDX-License-Identifier: Apache-2.0
#include "support/federation.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

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

bool has_federation() { return run_command({FEDRK_PROGRAM, "server", "--help"}).exit_code == 0; }

Federation::Federation(const StartupKit& kit) : clients_(kit.clients()) {
  std::filesystem::copy(kit.folder(), folder_.path(), std::filesystem::copy_options::recursive);
  for (std::size_t i = 0; i < kit.clients(); ++i) networks_.emplace_back(std::uint16_t{1});  // nobody is there yet
}

void Federation::start_server(const std::vector<std::string>& flags) {
  std::vector<std::string> words = {FEDRK_PROGRAM, "server", "server.toml", "--listen", "127.0.0.1:0"};
  words.insert(words.end(), flags.begin(), flags.end());
  server_.reset();
  server_.emplace(words, path("server"), streams_.path(), "server");
  std::optional<std::uint16_t> port;
  wait_until(std::chrono::seconds(20), [&] {
    port = port_in(server_->err());
    return port || !server_->running();
  });
  if (!port) throw std::runtime_error("the server does not listen\n" + story());
  for (ChaosProxy& network : networks_) network.set_target(*port);
}

void Federation::start_client(std::size_t client, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {FEDRK_PROGRAM, "client", "client.toml", "--server",
                                    "127.0.0.1:" + std::to_string(network(client).port())};
  words.insert(words.end(), flags.begin(), flags.end());
  clients_.at(client).reset();
  clients_.at(client).emplace(words, path(site_name(client)), streams_.path(), site_name(client));
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
