// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/rows_site.hpp"

#include <utility>

namespace fedrk::network {

Answered<TableFacts> RowsSite::begin(const RunTerms& terms) {
  log_.info("data.reading", {{"run", terms.run}});
  auto shape = owner_.read(terms.run, terms.plan);
  if (!shape) return Refused{kUnfit, shape.error().message};
  return TableFacts{*std::move(shape)};
}

Answered<ColumnFacts> RowsSite::sum_columns(const io::SumColumns& question) {
  auto made = owner_.sum_columns(question);
  if (!made) return Refused{kUnfit, made.error().message};
  ColumnFacts facts{*std::move(made), {}};
  const auto counts = owner_.count_columns();
  if (!counts) return Refused{kUnfit, counts.error().message};
  for (const ColumnKind kind : *counts) {
    facts.counts.varying.push_back(kind == ColumnKind::Varying ? 1.0 : 0.0);
    facts.counts.present.push_back(kind == ColumnKind::Zero ? 0.0 : 1.0);
    facts.counts.ones.push_back(kind == ColumnKind::Ones ? 1.0 : 0.0);
  }
  return facts;
}

Answered<PreparedFacts> RowsSite::prepare(const Preparation& question) {
  auto rows = owner_.prepare(question.question, question.place);
  if (!rows) return Refused{kUnfit, rows.error().message};
  return PreparedFacts{*std::move(rows)};
}

Answered<LocalReply> RowsSite::answer(AskedTask& asked) {
  auto reply = owner_.answer(asked.task.task());
  if (!reply) return Refused{reply.error().message};
  return *std::move(reply);
}

}  // namespace fedrk::network
