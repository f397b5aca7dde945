// SPDX-License-Identifier: Apache-2.0
#include "analysis/moment_attack.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "linalg/dense.hpp"
#include "linalg/kernels.hpp"
#include "problem/cross_products.hpp"

namespace fedrk {
namespace {

using Numbers = std::vector<double>;

// n + 1 of (n + 1)(n + 2)/2 numbers
std::size_t width_of(std::size_t count) {
  std::size_t cols = 0;
  while (cross_product_count(cols) < count) ++cols;
  return cols + 1;
}

std::size_t triangle(std::size_t width) { return cross_product_count(width - 1); }

// The place of M_ij, i <= j, in the upper triangle.
std::size_t place(std::size_t width, std::size_t i, std::size_t j) { return i * (2 * width - i + 1) / 2 + (j - i); }

Matrix square_of(std::span<const double> values) {
  const std::size_t width = width_of(values.size());
  Matrix square(width, width);
  for (std::size_t i = 0, k = 0; i < width; ++i) {
    for (std::size_t j = i; j < width; ++j, ++k) square.row(i)[j] = square.row(j)[i] = values[k];
  }
  return square;
}

// What was seen, as <u, M v> = value with M the sum of the clients' moments.
struct Form {
  const Observation* seen;
  Numbers u, v;
  double value, size;  // the size of the message: its rounding is in proportion
};

Numbers unit(std::size_t width, std::size_t j) {
  Numbers e(width, 0.0);
  e[j] = 1.0;
  return e;
}

// (factor x, last)
Numbers extended(std::span<const double> x, double factor, double last) {
  Numbers z(x.size() + 1, last);
  for (std::size_t j = 0; j < x.size(); ++j) z[j] = factor * x[j];
  return z;
}

void add_forms(const Observation& seen, std::size_t width, std::vector<Form>& forms) {
  const AlignedVector& values = seen.reply.values;
  const double size = std::sqrt(squared_norm(values));
  const bool at_x = seen.x.size() + 1 == width;
  if (at_x && seen.reply.squared_residual) {
    const Numbers z = extended(seen.x, -1.0, 1.0);
    forms.push_back({&seen, z, z, *seen.reply.squared_residual, *seen.reply.squared_residual});
  }
  const bool gradient = std::holds_alternative<Gradient>(seen.work);
  if (at_x && (gradient || std::holds_alternative<NormalProduct>(seen.work))) {
    const Numbers z = extended(seen.x, gradient ? -1.0 : 1.0, gradient ? 1.0 : 0.0);
    for (std::size_t j = 0; j < values.size(); ++j) forms.push_back({&seen, unit(width, j), z, values[j], size});
  }
  if (std::holds_alternative<ColumnNorms>(seen.work) && values.size() + 1 == width) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      const Numbers e = unit(width, j);
      forms.push_back({&seen, e, e, values[j], values[j]});
    }
  }
  const std::size_t step = sends_pairs(seen.work) ? 2 : 1;
  if (!std::holds_alternative<CrossProducts>(seen.work) || values.size() != step * triangle(width)) return;
  std::size_t k = 0;
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = i; j < width; ++j, k += step) {
      const double value = values[k] + (step == 2 ? values[k + 1] : 0.0);
      forms.push_back({&seen, unit(width, i), unit(width, j), value, std::abs(value)});
    }
  }
}

// x of a run lie close together and along few directions, in which squares of x tell little. With x = x0 - L w of mean
// 0 and covariance 1 the forms are <u', M' v'>, u' = S^-1 u, M' = S^T M S for z = S (w, 1), and well conditioned.
class Coordinates {
 public:
  Coordinates(const Transcript& transcript, std::size_t width) : centre_(width - 1, 0.0), lower_(width - 1, width - 1) {
    const std::size_t n = width - 1;
    for (std::size_t j = 0; j < n; ++j) lower_.row(j)[j] = 1.0;
    std::vector<std::span<const double>> points;
    for (const Observation& seen : transcript) {
      if (seen.x.size() == n) points.emplace_back(seen.x);
    }
    if (points.empty()) return;
    const double weight = 1.0 / static_cast<double>(points.size());
    for (const auto& x : points) axpy(weight, x, centre_);
    Matrix covariance(n, n);
    for (const auto& x : points) {
      Numbers off(x.begin(), x.end());
      axpy(-1.0, centre_, off);
      for (std::size_t i = 0; i < n; ++i) axpy(weight * off[i], off, covariance.row(i));
    }
    factor(covariance);
  }

  /// S^-1 u
  Numbers inside(const Numbers& u) const {
    Numbers w = u;
    const std::size_t n = centre_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double known = dot(lower_.row(i).first(i), std::span<const double>(w).first(i));
      w[i] = (u[i] + u[n] * centre_[i] - known) / lower_.row(i)[i];
    }
    return w;
  }

  /// S^-T M' S^-1, its upper triangle
  Numbers outside(const Matrix& inner) const {
    std::vector<Numbers> columns;  // of S^-1
    for (std::size_t j = 0; j < inner.cols(); ++j) columns.push_back(inside(unit(inner.cols(), j)));
    Numbers values;
    for (std::size_t i = 0; i < inner.cols(); ++i) {
      Numbers row(inner.cols(), 0.0);
      for (std::size_t k = 0; k < inner.cols(); ++k) axpy(columns[i][k], inner.row(k), row);
      for (std::size_t j = i; j < inner.cols(); ++j) values.push_back(dot(row, columns[j]));
    }
    return values;
  }

 private:
  // covariance = D L L^T D with D the standard deviations; where that fails coordinates stay as they are.
  void factor(const Matrix& covariance) {
    constexpr double kLeast = 1e-14;  // of the correlations, where the x span less than the space
    const std::size_t n = centre_.size();
    Numbers scale;
    for (std::size_t j = 0; j < n; ++j) {
      const double deviation = std::sqrt(covariance.row(j)[j]);
      scale.push_back(deviation > 0.0 ? deviation : 1.0);
    }
    Matrix lower(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double entry = covariance.row(i)[j] / (scale[i] * scale[j]) + (i == j ? kLeast : 0.0);
        const double rest = entry - dot(std::as_const(lower).row(i).first(j), std::as_const(lower).row(j).first(j));
        if (i == j && !(rest > 0.0)) return;
        lower.row(i)[j] = i == j ? std::sqrt(rest) : rest / lower.row(j)[j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (double& entry : lower.row(i)) entry *= scale[i];
    }
    lower_ = std::move(lower);
  }

  Numbers centre_;
  Matrix lower_;
};

std::vector<ClientId> clients_in(const Transcript& transcript) {
  std::vector<ClientId> clients;
  for (const Observation& seen : transcript) clients.insert(clients.end(), seen.clients.begin(), seen.clients.end());
  std::ranges::sort(clients);
  clients.erase(std::unique(clients.begin(), clients.end()), clients.end());
  return clients;
}

std::size_t place_of(ClientId client, std::span<const ClientId> clients) {
  return static_cast<std::size_t>(std::ranges::lower_bound(clients, client) - clients.begin());
}

std::size_t width_of(const Transcript& transcript) {
  std::size_t width = 0;
  for (const Observation& seen : transcript) {
    if (!seen.x.empty()) width = std::max(width, seen.x.size() + 1);
    if (!std::holds_alternative<CrossProducts>(seen.work)) continue;
    width = std::max(width, width_of(seen.reply.values.size() / (sends_pairs(seen.work) ? 2 : 1)));
  }
  return width;
}

// To columns of length one; their lengths before, 1 for those that are zero.
Numbers normalize_columns(Matrix& equations) {
  Numbers lengths(equations.cols(), 0.0);
  for (std::size_t t = 0; t < equations.rows(); ++t) {
    for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] += equations.row(t)[k] * equations.row(t)[k];
  }
  for (double& length : lengths) length = length > 0.0 ? std::sqrt(length) : 1.0;
  for (std::size_t t = 0; t < equations.rows(); ++t) {
    for (std::size_t k = 0; k < lengths.size(); ++k) equations.row(t)[k] /= lengths[k];
  }
  return lengths;
}

// The coefficients of the upper triangle of M in <u, M v>.
void write_coefficients(const Numbers& u, const Numbers& v, double weight, std::span<double> row) {
  for (std::size_t i = 0, k = 0; i < u.size(); ++i) {
    for (std::size_t j = i; j < u.size(); ++j, ++k)
      row[k] = weight * (i == j ? u[i] * v[i] : u[i] * v[j] + u[j] * v[i]);
  }
}

}  // namespace

bool Moments::complete() const {
  return std::ranges::all_of(determined, [](bool one) { return one; });
}

std::vector<Moments> recover_moments(const Transcript& transcript, std::span<const Mark> marks) {
  const std::vector<ClientId> clients = clients_in(transcript);
  const std::size_t width = width_of(transcript);
  std::vector<Form> forms;
  for (const Observation& seen : transcript) add_forms(seen, width, forms);
  if (forms.empty()) return {};
  // Marks are zeros in the data's own coordinates, so these are kept where there are any.
  const Coordinates coordinates(marks.empty() ? transcript : Transcript{}, width);
  const std::size_t each = triangle(width);
  Matrix equations(forms.size(), each * clients.size()), values(forms.size(), 1);
  for (std::size_t t = 0; t < forms.size(); ++t) {
    const Form& form = forms[t];
    const Numbers u = coordinates.inside(form.u), v = coordinates.inside(form.v);
    const double weight = form.size > 0.0 ? 1.0 / form.size : 1.0;
    for (const ClientId client : form.seen->clients) {
      write_coefficients(u, v, weight, equations.row(t).subspan(place_of(client, clients) * each, each));
    }
    values.row(t)[0] = weight * form.value;
  }
  // What is zero by a mark is no unknown: its column is left without weight, and the solution of least norm has a 0.
  for (const Mark& mark : marks) {
    for (std::size_t k = 0; k < clients.size(); ++k) {
      if (clients[k] == mark.client) continue;
      for (std::size_t j = 0; j < width; ++j) {
        const std::size_t zero = k * each + place(width, std::min(j, mark.column), std::max(j, mark.column));
        for (std::size_t t = 0; t < equations.rows(); ++t) equations.row(t)[zero] = 0.0;
      }
    }
  }
  const Numbers lengths = normalize_columns(equations);
  const LeastNormSolution least = solve_least_norm(equations, values);

  std::vector<Moments> found;
  for (std::size_t k = 0; k < clients.size(); ++k) {
    Numbers part;
    for (std::size_t i = k * each; i < (k + 1) * each; ++i) part.push_back(least.x.row(i)[0] / lengths[i]);
    Moments moments{{clients[k]}, coordinates.outside(square_of(part)), {}};
    const auto first = least.determined.begin() + static_cast<std::ptrdiff_t>(k * each);
    moments.determined.assign(first, first + static_cast<std::ptrdiff_t>(each));
    // In other coordinates an entry is made of all: only the whole is known, or nothing is said.
    if (marks.empty() && !moments.complete()) moments.determined.assign(each, false);
    found.push_back(std::move(moments));
  }
  return found;
}

std::vector<Moments> recover_moments_by_sets(const Transcript& transcript) {
  std::map<std::vector<ClientId>, Transcript> by_clients;
  for (const Observation& seen : transcript) {
    by_clients[seen.clients].push_back(seen);
    by_clients[seen.clients].back().clients = {ClientId{0}};  // as if the set were one client
  }
  std::vector<Moments> sets;
  for (const auto& [clients, part] : by_clients) {
    std::vector<Moments> one = recover_moments(part);
    if (one.size() != 1 || !one.front().complete()) continue;
    sets.push_back({clients, std::move(one.front().values), {}});
  }
  if (sets.empty()) return {};
  const std::vector<ClientId> clients = clients_in(transcript);
  const std::size_t each = sets.front().values.size();
  Matrix equations(sets.size(), clients.size()), values(sets.size(), each);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const ClientId client : sets[s].clients) equations.row(s)[place_of(client, clients)] = 1.0;
    std::ranges::copy(sets[s].values, values.row(s).begin());
  }
  const LeastNormSolution least = solve_least_norm(equations, values);
  std::vector<Moments> found;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const auto own = least.x.row(i);
    found.push_back({{clients[i]}, {own.begin(), own.end()}, std::vector<bool>(each, least.determined[i])});
  }
  return found;
}

// ---- Records of small clients.

namespace {

using Turn = std::vector<Numbers>;  // an orthogonal matrix, row after row

// One column of the table in each row: the entries of all records in it.
using Columns = std::vector<Numbers>;

Columns turned(const Columns& z, const Turn& turn) {
  Columns result;
  for (const Numbers& entries : z) {
    Numbers row;
    for (const Numbers& of_turn : turn) row.push_back(dot(entries, of_turn));
    result.push_back(std::move(row));
  }
  return result;
}

// An orthogonal matrix that turns `from` to (1, ..., 1), a vector of the same length: a reflection.
Turn turn_to_ones(const Numbers& from) {
  const std::size_t m = from.size();
  const double length = std::sqrt(squared_norm(from));
  Numbers way = from;
  for (double& entry : way) entry -= length / std::sqrt(static_cast<double>(m));
  const double square = squared_norm(way);
  Turn turn;
  for (std::size_t i = 0; i < m; ++i) {
    turn.push_back(unit(m, i));
    if (std::sqrt(square) > 1e-12 * length) axpy(-2.0 / square * way[i], way, turn.back());
  }
  return turn;
}

// About (1, 1, 1): I + sin K + (1 - cos) K^2, K^2 = a a^T - I for the axis a.
Turn turn_about_ones(double angle) {
  const double a = 1.0 / std::sqrt(3.0), sine = a * std::sin(angle), less = 1.0 - std::cos(angle), off = less / 3.0;
  const double on = 1.0 - less + off;
  return {{on, off - sine, off + sine}, {off + sine, on, off - sine}, {off - sine, off + sine, on}};
}

double angle_about_ones(const Numbers& g) {  // of the part across (1, 1, 1)
  return std::atan2((g[1] - g[2]) / std::numbers::sqrt2, (2.0 * g[0] - g[1] - g[2]) / std::sqrt(6.0));
}

double farthest_from_whole(const Columns& z, std::span<const std::size_t> columns) {
  double worst = 0.0;
  for (const std::size_t column : columns) {
    for (const double entry : z[column]) worst = std::max(worst, std::abs(entry - std::round(entry)));
  }
  return worst;
}

// The angles at which the three entries of a column may be whole: their sum and their squares are known, so the triples
// are few. A triple and its mirror image are two, all other orders of a triple are the same rows in another order.
std::vector<double> angles_for(const Numbers& g) {
  constexpr double kWhole = 1e-3;
  const double sum = std::round(g[0] + g[1] + g[2]), squares = squared_norm(g), mean = sum / 3.0;
  const double reach = std::sqrt(std::max(0.0, squares - sum * mean)) + 1.0;
  std::vector<double> angles;
  for (double a = std::ceil(mean - reach); a <= mean + reach; ++a) {
    for (double b = a; b <= mean + reach; ++b) {
      const double c = sum - a - b;
      if (c < b || std::abs(a * a + b * b + c * c - squares) > kWhole * std::max(1.0, std::sqrt(squares))) continue;
      for (const auto& [one, other] : {std::pair{b, c}, std::pair{c, b}}) {
        angles.push_back(angle_about_ones({a, one, other}) - angle_about_ones(g));
        if (b == c || a == b) break;
      }
    }
  }
  return angles;
}

Numbers record_at(const Columns& z, std::size_t i) {
  Numbers record;
  for (const Numbers& entries : z) record.push_back(entries[i]);
  return record;
}

// Whether two tables have the same rows, in whatever order.
bool same_rows(const Columns& one, const Columns& other) {
  const std::size_t m = one.front().size();
  for (std::size_t i = 0; i < m; ++i) {
    const Numbers record = record_at(one, i);
    double nearest = distance(record, record_at(other, 0));
    for (std::size_t k = 1; k < m; ++k) nearest = std::min(nearest, distance(record, record_at(other, k)));
    if (nearest > 1e-3 * std::sqrt(squared_norm(record))) return false;
  }
  return true;
}

double spread_of(const Numbers& g) {
  const double mean = (g[0] + g[1] + g[2]) / 3.0;
  return std::hypot(g[0] - mean, g[1] - mean, g[2] - mean);
}

// The table of three rows, at the angle that makes all the columns whole; nothing where another one does nearly as
// well.
std::optional<Columns> turn_to_whole(const Columns& z, std::span<const std::size_t> columns) {
  constexpr double kWhole = 1e-3, kClearly = 30.0;
  const Numbers* widest = nullptr;
  double most = 0.5;  // a column that is the same in all rows tells no angle
  for (const std::size_t column : columns) {
    const double across = spread_of(z[column]);
    if (across > most) {
      most = across;
      widest = &z[column];
    }
  }
  if (widest == nullptr) return std::nullopt;
  std::optional<Columns> found;
  double best = kWhole, second = kWhole;  // how far from whole
  for (const double angle : angles_for(*widest)) {
    Columns at_angle = turned(z, turn_about_ones(angle));
    const double off = farthest_from_whole(at_angle, columns);
    if (off < best) {
      if (!found || !same_rows(*found, at_angle)) second = best;
      best = off;
      found = std::move(at_angle);
    } else if (off < second && !same_rows(*found, at_angle)) {
      second = off;
    }
  }
  return best * kClearly < second ? std::move(found) : std::nullopt;
}

// F of m columns with M = F F^T, by the eigenvectors of M with its columns brought to one length.
Columns factor_of(const Matrix& square, std::size_t m) {
  constexpr double kZero = 1e-9;  // squares of a column of zeros, which a difference of sums leaves as rounding
  const std::size_t width = square.rows();
  Numbers scale;
  for (std::size_t j = 0; j < width; ++j) scale.push_back(std::sqrt(std::max(kZero, square.row(j)[j])));
  Matrix scaled = square.clone();
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < width; ++j) scaled.row(i)[j] /= scale[i] * scale[j];
  }
  const SymmetricParts parts = symmetric_parts(scaled);
  Columns f(width);
  for (std::size_t k = width - m; k < width; ++k) {
    const double size = std::sqrt(std::max(0.0, parts.values[k]));
    for (std::size_t j = 0; j < width; ++j) f[j].push_back(scale[j] * size * parts.vectors.row(k)[j]);
  }
  return f;
}

}  // namespace

std::vector<RecoveredRecord> records_from(const Moments& moments, const SmallSiteOptions& options) {
  constexpr double kMaxRows = 3.0;
  const Matrix square = square_of(moments.values);
  const double squares = square.row(options.ones)[options.ones], rows = std::round(squares);
  if (!moments.complete() || !(rows >= 1.0 && rows <= kMaxRows) || std::abs(rows - squares) > 1e-3) return {};
  const auto m = static_cast<std::size_t>(rows);
  if (m > square.rows()) return {};
  const Columns f = factor_of(square, m);
  std::optional<Columns> z = turned(f, turn_to_ones(f[options.ones]));
  if (m == 3) z = turn_to_whole(*z, options.integers);
  std::vector<RecoveredRecord> found;
  if (!z) return found;
  for (std::size_t i = 0; i < m; ++i) {
    Numbers record = record_at(*z, i);
    const double b = record.back();
    record.pop_back();
    found.push_back({std::move(record), b, 1});
  }
  return found;
}

}  // namespace fedrk
