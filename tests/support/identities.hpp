// SPDX-License-Identifier: Apache-2.0
#pragma once

// A CA and certificates for a federation on this machine, made for one test or one run of a benchmark.

#include <filesystem>
#include <stdexcept>
#include <string>

#include "fedrk/tls_files.hpp"
#include "pki/authority.hpp"
#include "pki/moment.hpp"
#include "pki/private_file.hpp"

namespace fedrk::test {

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

class Identities {
 public:
  explicit Identities(std::filesystem::path folder)
      : folder_(std::move(folder)), authority_(or_throw(security::Authority::make(validity()))) {
    std::filesystem::create_directories(folder_);
  }

  const std::string& ca() const { return authority_.identity().certificate; }
  security::Identity client(const std::string& name) const {
    return or_throw(authority_.issue_client(name, validity()));
  }
  network::TlsFiles server_files() const {
    return files("server", or_throw(authority_.issue_server({"127.0.0.1"}, validity())));
  }
  network::TlsFiles client_files(const std::string& name) const { return files(name, client(name)); }

 private:
  static security::Validity validity() { return security::valid_for_days(security::now(), 2); }

  network::TlsFiles files(const std::string& name, const security::Identity& identity) const {
    const auto write = [&](const std::string& ending, const std::string& text) {
      const auto path = folder_ / (name + ending);
      if (const auto done = security::write_private_file(path, text); !done) {
        throw std::runtime_error(done.error().message);
      }
      return path.string();
    };
    return {write(".crt", identity.certificate), write(".key", identity.key), write(".ca", ca())};
  }

  std::filesystem::path folder_;
  security::Authority authority_;
};

}  // namespace fedrk::test
