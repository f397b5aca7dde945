// SPDX-License-Identifier: Apache-2.0
#pragma once

// The folder of a federation as `fedrk provision` makes and changes it:
//
//     ca/      the authority, its key, the register of what it issued, the revocation list
//     server/  a start-up folder for the server
//     NAME/    one for each client
//
// A new federation appears as a whole or not at all. A change is written into the register first: after a crash the
// same command can be given again.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "pki/authority.hpp"
#include "pki/certificate.hpp"
#include "pki/moment.hpp"
#include "start_up_folder.hpp"

namespace fedrk::app {

// ---- The register, ca/issued.json: every certificate of the federation, the last one of a name being the current one.

struct Issued {
  std::string name;
  std::string serial;
  security::Moment from, until;
  std::optional<security::Moment> revoked;
};

struct Register {
  FederationFacts facts;
  int days = 365;
  std::vector<Issued> certificates;

  bool knows(const std::string& name) const;
  std::vector<security::Revoked> revoked() const;
};

/// What the register keeps of a certificate.
Result<Issued> entry_of(const std::string& certificate);

Result<Register> read_register(const std::filesystem::path& path);
Result<void> write_register(const std::filesystem::path& path, const Register& issued);

// ---- The folder.

/// What is wrong with the name of a client, if anything.
Result<void> check_name(const std::string& name);

/// Something that was done, to be told.
struct ProvisionStep {
  std::string action;  // "made", "added", "renewed", "revoked"
  Issued certificate;
  std::string folder;
};

struct Provisioned {
  std::vector<ProvisionStep> steps;
  std::vector<std::string> notes;  // what is left to do
};

struct NewFederation {
  Register issued;  // facts and days; no certificates yet
  std::vector<std::string> clients;
  std::string plan;  // text; empty: a sample
};

/// A certificate for the server, where that is the name, or for a client.
Result<security::Identity> issue(const security::Authority& authority, const std::vector<std::string>& hosts, int days,
                                 const std::string& name);

Result<Provisioned> make_federation_folder(const std::filesystem::path& folder, const NewFederation& wanted);

/// An existing federation, locked while this object lives.
class FederationFolder {
 public:
  static Result<FederationFolder> open(const std::filesystem::path& folder);

  FederationFolder(FederationFolder&& other) noexcept;
  FederationFolder& operator=(FederationFolder&&) = delete;
  ~FederationFolder();

  /// A server that moved: kept for what is issued from now on.
  void move_server(const std::vector<std::string>& hosts, std::optional<std::uint16_t> port);
  /// Other than the register says, for this time only.
  void set_days(int days) { days_ = days; }
  void set_draws(const std::string& draws) { draws_ = draws; }

  Result<void> add(const std::string& name, Provisioned& done);
  Result<void> renew(const std::string& name, Provisioned& done);
  Result<void> revoke(const std::string& name, Provisioned& done);

 private:
  FederationFolder(std::filesystem::path folder, int lock, Register issued, security::Authority authority);
  Result<security::Identity> issue(const std::string& name);
  /// As new folders are to say it.
  FederationFacts facts() const;
  Result<void> renew_files(const std::string& name, const security::Identity& identity) const;
  void join_server(const std::string& name, Provisioned& done) const;

  std::filesystem::path folder_;
  int lock_;
  Register issued_;
  security::Authority authority_;
  int days_;
  std::string draws_;
};

}  // namespace fedrk::app
