// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of a run as bytes, and back. A class lists its members once, and the list serves both ways:
//
//     void Monitor::state(StateStream& stream) { stream(level_, rounds_, best_); }
//
// Members are numbers, enumerations, optionals, vectors, deques and classes with a list of their own: a function
// `state(StateStream&)`, or `list(StateStream&, Class&)` beside the class.

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/byte_stream.hpp"
#include "fedrk/client_id.hpp"
#include "fedrk/history.hpp"
#include "fedrk/method.hpp"
#include "fedrk/round_index.hpp"
#include "methods/fit_summary.hpp"

namespace fedrk {

class StateStream {
 public:
  /// Writes.
  StateStream() : in_({}) {}
  /// Reads what another wrote.
  explicit StateStream(std::string_view bytes) : in_(bytes), reads_(true) {}

  template <class... Members>
  void operator()(Members&... members) {
    (member(members), ...);
  }

  bool reads() const { return reads_; }
  /// All was there, and nothing more.
  bool complete() const { return in_.complete(); }
  std::string& bytes() { return out_.bytes(); }

 private:
  template <class Member>
  void member(Member& m) {
    if constexpr (std::is_enum_v<Member>) {
      auto number = static_cast<std::underlying_type_t<Member>>(m);
      member(number);
      m = static_cast<Member>(number);
    } else if constexpr (std::is_arithmetic_v<Member>) {
      reads_ ? void(m = in_.get<Member>()) : out_.put(m);
    } else if constexpr (requires { m.state(*this); }) {
      m.state(*this);
    } else {
      list(*this, m);
    }
  }
  void member(ClientId& client) { member(client.value); }
  void member(RoundIndex& round) { member(round.value); }
  void member(std::string& text) { reads_ ? in_.get(text) : out_.put(std::string_view(text)); }
  template <class Member>
  void member(std::optional<Member>& m) {
    bool there = m.has_value();
    member(there);
    if (reads_) there ? void(m.emplace()) : m.reset();
    if (m) member(*m);
  }
  template <class Member, class Allocator>
  void member(std::vector<Member, Allocator>& all) {
    if constexpr (std::is_arithmetic_v<Member> && !std::is_same_v<Member, bool>) {
      if (reads_) return in_.get(all);
      out_.put(std::string_view(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Member)),
               std::uint64_t{all.size()});
    } else {
      sequence(all);
    }
  }
  template <class Member>
  void member(std::deque<Member>& all) {
    sequence(all);
  }
  template <class First, class Second>
  void member(std::pair<First, Second>& both) {
    (*this)(both.first, both.second);
  }
  template <class Key, class Value>
  void member(std::map<Key, Value>& all) {
    std::vector<std::pair<Key, Value>> pairs(all.begin(), all.end());
    sequence(pairs);
    if (reads_) all = {pairs.begin(), pairs.end()};
  }
  void member(std::vector<bool>& all) {
    resize(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool one = all[i];
      member(one);
      all[i] = one;
    }
  }
  template <class Sequence>
  void sequence(Sequence& all) {
    resize(all);
    for (auto& one : all) member(one);
  }
  template <class Sequence>
  void resize(Sequence& all) {
    if (reads_) return all.resize(in_.length(1));
    out_.put(std::uint64_t{all.size()});
  }

  ByteWriter out_;
  ByteReader in_;
  bool reads_ = false;
};

inline void list(StateStream& stream, Absence& absence) { stream(absence.client, absence.reason); }
inline void list(StateStream& stream, RoundRecord& record) {
  stream(record.round, record.participants, record.absences, record.relative_residual, record.movement, record.seconds,
         record.bytes_up, record.bytes_down);
}
inline void list(StateStream& stream, ClientSummary& client) {
  stream(client.id, client.name, client.rows, client.squared_rhs_norm, client.squared_norm);
}
inline void list(StateStream& stream, FitMeasure& measure) {
  stream(measure.relative_residual, measure.criterion, measure.holds);
}

inline void list(StateStream& stream, FitSummary& fit) {
  stream(fit.rows, fit.rank, fit.df_residual, fit.sigma, fit.r_squared, fit.criterion, fit.coefficients,
         fit.not_estimable, fit.combined_of);
}

}  // namespace fedrk
