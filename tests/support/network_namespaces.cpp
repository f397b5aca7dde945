// SPDX-License-Identifier: Apache-2.0
#include "support/network_namespaces.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <sstream>

#include "support/process.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::test {
namespace {

using Arguments = std::vector<std::string>;
constexpr const char* kFamily = "fedrk-test-";

Result<void> run(const Arguments& arguments) {
  const Outcome ended = run_command(arguments);
  if (ended.exit_code == 0) return {};
  std::string line;
  for (const std::string& word : arguments) line += (line.empty() ? "" : " ") + word;
  return Error{line + ": " + ended.err};
}

// What a test that was killed has left: names hold the number of their process.
void remove_leftovers() {
  std::istringstream list(run_command({"ip", "netns", "list"}).out);
  for (std::string name, line; std::getline(list, line);) {
    name = line.substr(0, line.find(' '));
    if (!name.starts_with(kFamily)) continue;
    const pid_t owner = std::atoi(name.c_str() + std::string(kFamily).size());  // NOLINT: 0 is nobody
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) run_command({"ip", "netns", "delete", name});
  }
}

std::string new_prefix() {
  static std::atomic<int> count = 0;
  return kFamily + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

}  // namespace

NetworkNamespaces::NetworkNamespaces() : prefix_(new_prefix()) {}

NetworkNamespaces::~NetworkNamespaces() {
  for (const Side side : {Side::Server, Side::Client}) run_command({"ip", "netns", "delete", name(side)});
}

std::string NetworkNamespaces::address(Side side) { return side == Side::Server ? "10.77.0.1" : "10.77.0.2"; }

std::string NetworkNamespaces::name(Side side) const {
  return prefix_ + (side == Side::Server ? "-server" : "-client");
}

Result<std::unique_ptr<NetworkNamespaces>> NetworkNamespaces::make() {
  if (::geteuid() != 0) return Error{"making network namespaces takes root"};
  for (const char* tool : {"ip", "nft"}) {
    if (run_command({tool, "-V"}).exit_code != 0) return Error{"there is no program named " + std::string(tool)};
  }
  remove_leftovers();
  std::unique_ptr<NetworkNamespaces> made(new NetworkNamespaces);  // its end removes what was made before a failure
  const std::string server = made->name(Side::Server), client = made->name(Side::Client);
  std::vector<Arguments> commands = {
      {"ip", "netns", "add", server},
      {"ip", "netns", "add", client},
      // Both ends are born inside, so that this machine never sees them.
      {"ip", "-n", server, "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", client}};
  for (const Side side : {Side::Server, Side::Client}) {
    const std::string where = made->name(side);
    commands.push_back({"ip", "-n", where, "address", "add", address(side) + "/24", "dev", "wire"});
    commands.push_back({"ip", "-n", where, "link", "set", "lo", "up"});
    commands.push_back({"ip", "-n", where, "link", "set", "wire", "up"});
  }
  for (const Arguments& command : commands) {
    if (auto done = run(command); !done) return done.error();
  }
  for (const int percent : {1, 0}) {  // the kernel may lack what the rule needs
    if (auto rules = made->lose(percent); !rules) return rules.error();
  }
  return made;
}

Arguments NetworkNamespaces::inside(Side side, Arguments command) const {
  Arguments arguments = {"ip", "netns", "exec", name(side)};
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

// What arrives is lost, on each side: so each direction loses once.
Result<void> NetworkNamespaces::lose(int percent) const {
  const TempFolder folder;
  std::string rules =
      "add table ip loss\n"
      "delete table ip loss\n"
      "add table ip loss\n"
      "add chain ip loss arriving { type filter hook input priority 0; policy accept; }\n";
  if (percent > 0) {
    rules +=
        "add rule ip loss arriving iifname wire numgen random mod 100 <= " + std::to_string(percent - 1) + " drop\n";
  }
  const std::string file = folder.write("rules.nft", rules).string();
  for (const Side side : {Side::Server, Side::Client}) {
    if (auto set = run(inside(side, {"nft", "-f", file})); !set) return set.error();
  }
  return {};
}

Result<void> NetworkNamespaces::link(bool up) const {
  return run({"ip", "-n", name(Side::Server), "link", "set", "wire", up ? "up" : "down"});
}

}  // namespace fedrk::test
