// SPDX-License-Identifier: Apache-2.0
#pragma once

// issued.json, the memory of a federation's authority: which certificates it gave to whom, and which of them it took
// back. A name may have several: after a renewal the last is the current one.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fedrk/base/result.hpp"
#include "fedrk/security/certificate.hpp"
#include "fedrk/security/moment.hpp"
#include "start_up_texts.hpp"

namespace fedrk::app {

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

}  // namespace fedrk::app
