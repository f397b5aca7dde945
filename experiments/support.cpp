// SPDX-License-Identifier: Apache-2.0
#include "experiments/support.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "linalg/random/rng_stream.hpp"
#include "linalg/row_space.hpp"
#include "problem/added_columns.hpp"
#include "problem/partition.hpp"
#include "round/thread_pool.hpp"

namespace fedrk::experiments {

std::vector<Client> clients_of(LinearSystem system, std::span<const std::size_t> rows_of_client, std::uint64_t seed,
                               std::size_t noise_columns, StepOptions steps) {
  Partition partition = partition_contiguous(row_count(system.rows), rows_of_client.size());
  partition.counts.assign(rows_of_client.begin(), rows_of_client.end());
  auto parts = split(std::move(system), partition);
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    const std::string& name = partition.names[i];
    const std::uint64_t own = client_seed(seed, name);
    add_noise_columns(parts[i], noise_columns, stream_for(own, Purpose::NoiseColumns));
    clients.emplace_back(ClientId{i}, name, RowBlock(std::move(parts[i])), own, steps);
  }
  return clients;
}

std::vector<Client> clients_of(LinearSystem system, std::size_t count, std::uint64_t seed, std::size_t noise_columns,
                               StepOptions steps) {
  const auto shares = partition_contiguous(row_count(system.rows), count).counts;
  return clients_of(std::move(system), shares, seed, noise_columns, steps);
}

std::vector<double> nearest_solution(const LinearSystem& system, std::vector<double> x) {
  std::visit([&](const auto& rows) { RowSpaceProjection(rows, system.rhs).project(x); }, system.rows);
  return x;
}

std::uint64_t trial_seed(std::uint64_t seed, std::size_t trial) {
  return client_seed(seed, "trial-" + std::to_string(trial + 1));
}

std::vector<double> gaussian_vector(std::size_t size, std::uint64_t seed) {
  RngStream stream = stream_for(seed, Purpose::GeneratedSolution, RoundIndex{1});  // round 0 made x*
  std::vector<double> values(size);
  for (double& value : values) value = stream.gaussian();
  return values;
}

Progress part_of(const Progress& progress, double begin, double end) {
  return [&progress, begin, end](double share, std::string_view doing) {
    if (progress) progress(begin + (end - begin) * share, doing);
  };
}

void Stretch::done(std::size_t pieces, std::size_t of) const {
  if (progress_) progress_(begin_ + (end_ - begin_) * static_cast<double>(pieces) / static_cast<double>(of), doing_);
}

void ReportRounds::on_round(const RoundRecord& record, std::span<const double>) {
  const std::uint32_t made = record.round.value + 1, every = std::max(1U, rounds_ / 20);
  if (made % every == 0 || made == rounds_) stretch_.done(made, rounds_);
}

void for_each_trial(std::size_t count, std::size_t threads, const Stretch& stretch,
                    const std::function<void(std::size_t)>& work) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  ThreadPool pool(std::min(threads, std::max<std::size_t>(1, count)));
  const std::size_t batch = std::max(2 * pool.threads(), count / 20);  // some twenty reports
  stretch.done(0, std::max<std::size_t>(1, count));
  for (std::size_t first = 0; first < count; first += batch) {
    const std::size_t here = std::min(batch, count - first);
    pool.for_each(here, [&](std::size_t k) { work(first + k); });
    stretch.done(first + here, count);
  }
}

double mean(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

double standard_error(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  const double centre = mean(values), count = static_cast<double>(values.size());
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / (count - 1.0) / count);
}

std::optional<std::size_t> rounds_to(double level, std::span<const double> errors) {
  const auto reached = std::ranges::find_if(errors, [=](double error) { return error <= level; });
  if (reached == errors.end()) return std::nullopt;
  return static_cast<std::size_t>(reached - errors.begin()) + 1;
}

std::string listed(std::span<const std::string> texts) {
  std::string text;
  for (const std::string& word : texts) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

std::string listed(std::span<const double> values, std::string_view format) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format(fmt::runtime(format), value));
  return listed(texts);
}

io::Series by_round(std::string label, std::span<const double> values, std::optional<double> start) {
  io::Series series;
  series.label = std::move(label);
  if (start) series.points.push_back({0.0, *start});
  for (std::size_t t = 0; t < values.size(); ++t) series.points.push_back({static_cast<double>(t + 1), values[t]});
  return series;
}

io::LinePlot error_plot(std::string title, std::string y_label, std::vector<io::Series> series) {
  io::LinePlot plot;
  plot.title = std::move(title);
  plot.x_label = "round";
  plot.y_label = std::move(y_label);
  plot.series = std::move(series);
  return plot;
}

Table table_of(std::string name, std::string x_column, std::span<const io::Series> series) {
  Table table;
  table.name = std::move(name);
  table.columns.push_back(std::move(x_column));
  const io::Series* longest = nullptr;
  for (const io::Series& one : series) {
    table.columns.push_back(one.label);
    if (longest == nullptr || one.points.size() > longest->points.size()) longest = &one;
  }
  for (std::size_t k = 0; longest != nullptr && k < longest->points.size(); ++k) {
    std::vector<std::string> row{io::to_text(longest->points[k].x)};
    for (const io::Series& one : series) row.push_back(k < one.points.size() ? io::to_text(one.points[k].y) : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> number_row(std::span<const double> values) {
  std::vector<std::string> row;
  for (const double value : values) row.push_back(io::to_text(value));
  return row;
}

}  // namespace fedrk::experiments
