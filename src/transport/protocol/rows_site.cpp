// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/rows_site.hpp"

#include <utility>

namespace fedrk::network {

Answered<wire::Ready> RowsSite::answer(const RunTerms& terms) {
  log_.info("data.reading", {{"run", terms.run}});
  auto shape = owner_.read(terms.run, terms.plan);
  if (!shape) return Refused{kUnfit, shape.error().message};
  return wire::Ready{shape->rows, shape->columns, std::move(shape->names), shape->sparse, shape->open_ended};
}

Answered<wire::ColumnSums> RowsSite::answer(const wire::SumColumns& question) {
  auto made = owner_.sum_columns(question.question);
  if (!made) return Refused{kUnfit, made.error().message};
  return wire::ColumnSums{.run = question.run,
                          .rows = made->rows,
                          .squared = question.question.centre.has_value(),
                          .sums = std::move(made->sums)};
}

Answered<wire::Prepared> RowsSite::answer(const wire::Prepare& question) {
  const auto rows = owner_.prepare(question.question, ClientId{question.place});
  if (!rows) return Refused{kUnfit, rows.error().message};
  return wire::Prepared{question.run, rows->summary.rows, rows->unknowns, rows->summary.squared_rhs_norm,
                        rows->summary.squared_norm};
}

Answered<wire::Update> RowsSite::answer(AskedTask& asked) {
  const LocalTask& task = asked.task.task();
  auto reply = owner_.answer(task);
  if (!reply) return Refused{reply.error().message};
  return wire::update_message(asked.message.run, asked.task.number(), task, *std::move(reply));
}

}  // namespace fedrk::network
