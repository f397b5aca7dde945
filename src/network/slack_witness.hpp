// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client of masked sums remembers of the rounds with private slack that it answered, and whether what the server
// now says of them can be true. A server tells how far it went in earlier rounds, and each client moves its slack by
// that. Told to one of them alone, or to all but one, it would make one client stand out of the next sum. So all see
// what each is told, and each insists:
//
//   - of one round all are told the same factor, and none beyond all measure;
//   - who is told of a round sees that all who were in it with it are told too, but for those who have heard the last
//     of that round since, in a later one without it, of which they are told now;
//   - a client is told of no round that it did not answer;
//   - a client whose answers were used is not told that they were not;
//   - a fit of other unknowns begins without slack, and those before it are over.
//
// It remembers as long as its process lives, and asks for less where that began within a run.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fedrk/v1/federation.pb.h"
#include "network/wire.hpp"

namespace fedrk::network {

class SlackWitness {
 public:
  /// What is wrong with what the participants are told; empty where nothing is.
  std::string wrong(const v1::Task& message, const wire::ReceivedTask& task, ClientId self) const;

  /// This client has answered. REQUIRES: nothing was wrong with it.
  void answered(const v1::Task& message, const wire::ReceivedTask& task, ClientId self);

 private:
  using Factors = std::map<std::uint32_t, double>;  // by round
  using Unknowns = std::vector<std::uint32_t>;

  /// What is remembered of one fit.
  struct Fit {
    Unknowns unknowns;                                      // that it is about
    std::map<std::uint32_t, std::vector<ClientId>> rounds;  // that may still be told of: who was in them
    bool complete = false;                                  // these are all, from the first on
    bool used = false;                                      // answers were, as the server said
  };

  std::string wrong_of_my_rounds(const wire::ReceivedTask& task, const std::vector<Factors>& told,
                                 std::size_t me) const;
  bool is_new(const wire::ReceivedTask& task) const;

  std::optional<Fit> fit_;
  std::set<Unknowns> over_;
};

}  // namespace fedrk::network
