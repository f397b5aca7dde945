// SPDX-License-Identifier: Apache-2.0

// From the files of a plan to the rows of each client: all of them, or those of one peer.

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "data/powers.hpp"
#include "plan/column_match.hpp"
#include "plan/federation.hpp"
#include "plan/memory.hpp"
#include "plan/peers.hpp"
#include "plan/source_files.hpp"
#include "problem/added_columns.hpp"
#include "problem/partition.hpp"

namespace fedrk::io {
namespace {

/// The clients of one peer among all of them.
struct Share {
  std::size_t first = 0, count = 0, all = 0;
};

Result<Share> share_of(const Peers& peers, std::span<const std::size_t> weights) {
  if (peers.count() > weights.size()) {
    return Error{fmt::format("{} ranks for {} {}: each needs one of its own, so start at most {}", peers.count(),
                             weights.size(), weights.size() == 1 ? "client" : "clients", weights.size())};
  }
  const auto first = balanced_blocks(weights, peers.count());
  return Share{first[peers.rank()], first[peers.rank() + 1] - first[peers.rank()], weights.size()};
}

std::size_t added_columns(const Plan& plan) { return power_count(plan.powers) + plan.run.noise_columns; }

// Each client computes those of its own rows.
Result<void> put_powers(const Plan& plan, Peers& peers, ClientTables& tables) {
  const auto terms = powers_of(plan.powers, tables.columns);
  auto names = with_powers(plan.powers, std::move(tables.columns));
  if (!names) return names.error();  // at every peer: all have the same columns
  tables.columns = *std::move(names);
  return together(peers, [&]() -> Result<void> {
    for (std::size_t k = 0; k < tables.systems.size(); ++k) {
      try {
        add_powers(tables.systems[k], *terms);
      } catch (const InvalidArgument& error) {
        return Error{tables.names[k] + ": " + error.what()};
      }
    }
    return {};
  });
}

// ---- One file a client. Its bytes tell how heavy it is, without reading it.

// As rank 0 sees the files. Where it does not see all, as each machine may have its own, all count alike.
std::vector<std::size_t> file_weights(const Plan& plan, Peers& peers) {
  std::vector<std::size_t> weights;
  bool seen = true;
  for (std::size_t i = 0; i < source_count(plan); ++i) {
    std::error_code unknown;
    weights.push_back(std::filesystem::file_size(source_path(plan, i), unknown));
    seen = seen && !unknown;
  }
  if (exchange_number(peers, seen ? 1 : 0).front() == 0) return std::vector<std::size_t>(weights.size(), 1);
  const std::string text = peers.exchange(bytes_of(weights)).front();
  return ByteReader(text).get<std::vector<std::size_t>>();
}

// The features of all files, in the order of the first; empty where they have no names.
Result<std::vector<std::string>> features_in_order(const Plan& plan, Peers& peers, const Share& share) {
  if (plan.data.empty()) return std::vector<std::string>{};
  const auto headers = exchange_headers(plan, peers, share.first, share.count);
  if (!headers) return headers.error();
  return match_columns(plan, *headers);
}

Result<ClientTables> one_file_each(const Plan& plan, Peers& peers) {
  const auto share = share_of(peers, file_weights(plan, peers));
  if (!share) return share.error();
  const auto features = features_in_order(plan, peers, *share);
  if (!features) return features.error();
  auto sources = together(peers, [&]() -> Result<std::vector<SourceFile>> {
    std::vector<SourceFile> own;
    for (std::size_t i = share->first; i < share->first + share->count; ++i) {
      auto source = read_source(plan, i, {}, *features);
      if (!source) return source.error();
      own.push_back(*std::move(source));
    }
    return own;
  });
  if (!sources) return sources.error();
  auto columns = agree_on_columns(plan, peers, *sources);
  if (!columns) return columns.error();
  const std::size_t width = columns->count;
  const auto fits = together(peers, [&] { return check_memory(plan, width + added_columns(plan), share->all); });
  if (!fits) return fits.error();

  ClientTables tables{.columns = columns->names.empty() ? numbered_columns(width) : std::move(columns->names),
                      .first = share->first};
  const auto names = names_from_files(plan);
  for (std::size_t k = 0; k < share->count; ++k) {
    tables.names.push_back(names[share->first + k]);
    tables.systems.push_back(std::move((*sources)[k].data.system));
  }
  return tables;
}

// ---- One file for all clients.

Partition partition_for(const Plan& plan, const Dataset& data) {
  const std::size_t rows = row_count(data.system.rows), clients = std::max<std::size_t>(1, plan.clients);
  if (!plan.group_by().empty()) return partition_by_label(data.labels);
  return plan.partition == "shuffled" ? partition_shuffled(rows, clients, plan.run.seed)
                                      : partition_contiguous(rows, clients);
}

/// Rows of a shared file, and how they go to the clients.
struct SharedFile {
  SourceFile source;
  Partition partition;  // of the rows that were read
  Share share;
};

// A mapped file is looked at where the own rows are, and nowhere else.
Result<SharedFile> read_own_rows(const Plan& plan, const Peers& peers, std::size_t rows) {
  const Partition all = partition_contiguous(rows, std::max<std::size_t>(1, plan.clients));
  const auto share = share_of(peers, all.counts);
  if (!share) return share.error();
  const auto begin = all.counts.begin() + static_cast<std::ptrdiff_t>(share->first);
  const auto end = begin + static_cast<std::ptrdiff_t>(share->count);
  const RowRange range{std::accumulate(all.counts.begin(), begin, std::size_t{0}),
                       std::accumulate(begin, end, std::size_t{0}), rows};
  auto source = read_source(plan, 0, range);
  if (!source) return source.error();
  SharedFile file{.source = *std::move(source), .partition = {}, .share = *share};
  file.partition.counts.assign(begin, end);
  file.partition.names.assign(all.names.begin() + static_cast<std::ptrdiff_t>(share->first),
                              all.names.begin() + static_cast<std::ptrdiff_t>(share->first + share->count));
  return file;
}

Result<SharedFile> read_all_rows(const Plan& plan, const Peers& peers, std::span<const std::string> features) {
  auto source = read_source(plan, 0, {}, features);
  if (!source) return source.error();
  Partition partition = partition_for(plan, source->data);
  const auto share = share_of(peers, partition.counts);
  if (!share) return share.error();
  return SharedFile{*std::move(source), std::move(partition), *share};
}

Result<SharedFile> read_shared(const Plan& plan, const Peers& peers, std::span<const std::string> features) {
  if (peers.count() > 1 && !plan.matrix.empty() && plan.partition == "contiguous") {
    const auto rows = count_npy_rows(plan.matrix[0]);
    if (!rows) return rows.error();
    if (*rows) return read_own_rows(plan, peers, **rows);
  }
  return read_all_rows(plan, peers, features);
}

// Their memory goes back to the system where the storage, which all pieces share, is large.
void forget(LinearSystem& system) {
  std::visit(
      [](auto& matrix) {
        if constexpr (requires { matrix.give_back(0, 0); }) matrix.give_back(0, matrix.rows());
      },
      system.rows);
}

// With these features in this order, where there are any.
Result<ClientTables> one_file_for_all(const Plan& plan, Peers& peers, std::span<const std::string> features = {}) {
  auto file = together(peers, [&] { return read_shared(plan, peers, features); });
  if (!file) return file.error();
  std::vector<SourceFile> own;
  own.push_back(std::move(file->source));
  auto columns = agree_on_columns(plan, peers, own);
  if (!columns) return columns.error();
  const std::size_t width = columns->count;
  const auto fits = together(peers, [&] { return check_memory(plan, width + added_columns(plan), file->share.all); });
  if (!fits) return fits.error();

  ClientTables tables{.columns = columns->names.empty() ? numbered_columns(width) : std::move(columns->names),
                      .first = file->share.first};
  auto pieces = split(std::move(own.front().data.system), file->partition);
  const std::size_t skipped = pieces.size() == file->share.count ? 0 : file->share.first;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i < skipped || i >= skipped + file->share.count) {
      forget(pieces[i]);
    } else {
      tables.names.push_back(std::move(file->partition.names[i]));
      tables.systems.push_back(std::move(pieces[i]));
    }
  }
  return tables;
}

}  // namespace

std::vector<std::string> numbered_columns(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t j = 0; j < count; ++j) names[j] = fmt::format("x{}", j + 1);
  return names;
}

Result<ClientTables> read_clients(const Plan& plan, Peers& peers) {
  if (const auto fine = check(plan); !fine) return fine.error();
  auto tables = source_count(plan) == 1 ? one_file_for_all(plan, peers) : one_file_each(plan, peers);
  if (!tables) return tables;
  if (const auto done = put_powers(plan, peers, *tables); !done) return done.error();
  return tables;
}

Result<ClientTables> read_clients(const Plan& plan, const std::vector<std::string>& columns) {
  if (const auto fine = check(plan); !fine) return fine.error();
  Alone alone;
  const std::size_t powers = std::min(power_count(plan.powers), columns.size());
  auto tables = one_file_for_all(plan, alone, std::span(columns).first(columns.size() - powers));
  if (!tables) return tables;
  if (const auto done = put_powers(plan, alone, *tables); !done) return done.error();
  return tables;
}

Result<ClientTables> read_clients(const Plan& plan) {
  Alone alone;
  return read_clients(plan, alone);
}

}  // namespace fedrk::io
