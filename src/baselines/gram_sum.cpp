// SPDX-License-Identifier: Apache-2.0
#include "fedrk/baselines/gram_sum.hpp"

#include <algorithm>
#include <vector>

#include "fedrk/linalg/kernels.hpp"
#include "fedrk/linalg/row_space.hpp"

namespace fedrk {

Request GramSumMethod::request(RoundIndex, std::span<const double>) { return {GramSum{}, {}, {}, Reveal::Sums}; }

void GramSumMethod::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  if (round.answered.size() < clients_) return;
  const std::size_t n = x.size();
  std::vector<double> sum(n * (n + 3) / 2, 0.0);
  for (const LocalReply& reply : round.replies) axpy(1.0, reply.values, sum);

  Matrix gram(n, n);
  std::size_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) gram.row(i)[j] = gram.row(j)[i] = sum[next++];
  }
  std::ranges::fill(x, 0.0);
  RowSpaceProjection(gram, std::span(sum).last(n)).project(x);
  finished_ = true;
}

}  // namespace fedrk
