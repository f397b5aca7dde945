// SPDX-License-Identifier: Apache-2.0
#include "start_up_settings.hpp"

#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "fedrk/security/private_file.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;

// Reads entries one by one and keeps the first complaint.
class Entries {
 public:
  Entries(const toml::table& table, fs::path path) : table_(table), path_(std::move(path)) {}

  std::string text(std::string_view name, bool required) {
    const toml::node* node = table_.get(name);
    if (node == nullptr) {
      if (required) complain(fmt::format("{}: expected an entry {} = \"...\"", path_.string(), name));
      return {};
    }
    const auto value = node->value<std::string>();
    if (value && !(required && value->empty())) return *value;
    complain(fmt::format("{}:{}: {}: expected a text", path_.string(), node->source().begin.line, name));
    return {};
  }

  fs::path file(std::string_view name, bool required) {
    const fs::path value = text(name, required);
    return value.empty() || value.is_absolute() ? value : (path_.parent_path() / value).lexically_normal();
  }

  std::vector<std::string> texts(std::string_view name) {
    std::vector<std::string> values;
    const toml::array* array = table_[name].as_array();
    if (array == nullptr) complain(fmt::format("{}: expected an entry {} = [\"...\", ...]", path_.string(), name));
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
      const auto value = (*array)[i].value<std::string>();
      if (!value) complain(fmt::format("{}: {}: expected texts only", path_.string(), name));
      values.push_back(value.value_or(""));
    }
    return values;
  }

  security::CredentialFiles credentials() { return {file("certificate", true), file("key", true), file("ca", true)}; }

  void complain(std::string what) {
    if (complaint_.empty()) complaint_ = std::move(what);
  }
  const std::string& complaint() const { return complaint_; }

 private:
  const toml::table& table_;
  fs::path path_;
  std::string complaint_;
};

ClientStartUp client_in(Entries& entries, const fs::path& path) {
  ClientStartUp client;
  client.server = entries.text("server", true);
  client.name = entries.text("name", true);
  client.credentials = entries.credentials();
  client.data = entries.file("data", false);
  client.matrix = entries.file("matrix", false);
  client.rhs = entries.file("rhs", false);
  client.state = entries.file("state", false);
  if (client.state.empty()) client.state = path.parent_path() / "state";
  if (const std::string draws = entries.text("draws", false); !draws.empty()) client.draws = draws;
  if (client.draws != "secret" && client.draws != "plan") {
    entries.complain(fmt::format("{}: draws: expected \"secret\" or \"plan\"", path.string()));
  }
  const bool pair = !client.matrix.empty() && !client.rhs.empty();
  const bool either = !client.matrix.empty() || !client.rhs.empty();
  if (client.data.empty() ? !pair : either) {
    entries.complain(fmt::format("{}: expected either data = \"FILE\", or matrix and rhs", path.string()));
  }
  return client;
}

ServerStartUp server_in(Entries& entries, const fs::path& path) {
  ServerStartUp server;
  server.listen = entries.text("listen", true);
  server.credentials = entries.credentials();
  server.crl = entries.file("crl", false);
  server.plan = entries.file("plan", false);
  server.out = entries.file("out", false);
  if (server.out.empty()) server.out = path.parent_path() / "runs" / "federation";
  server.clients = entries.texts("clients");
  return server;
}

}  // namespace

Result<std::variant<ClientStartUp, ServerStartUp>> read_start_up(const fs::path& path) {
  using Settings = std::variant<ClientStartUp, ServerStartUp>;
  const auto text = security::read_text_file(path);
  if (!text) return text.error();
  toml::table table;
  try {
    table = toml::parse(*text, path.string());
  } catch (const toml::parse_error& error) {
    return Error{fmt::format("{}:{}: {}", path.string(), error.source().begin.line, error.description())};
  }
  Entries entries(table, path);
  const bool is_server = table.contains("listen");
  Settings settings = is_server ? Settings(server_in(entries, path)) : Settings(client_in(entries, path));
  if (!entries.complaint().empty()) return Error{entries.complaint()};
  return settings;
}

}  // namespace fedrk::app
