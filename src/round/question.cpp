// SPDX-License-Identifier: Apache-2.0
#include "fedrk/question.hpp"

#include <algorithm>
#include <cmath>

#include "problem/cross_products.hpp"

namespace fedrk {
namespace {

using question::about;

// A client that is asked for more would be busy for days.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 40;
constexpr const char* kTooMany = "it asks for too many steps";

}  // namespace

LocalWork work_of(const StepBudget& budget) {
  return std::visit([](const auto& steps) -> LocalWork { return steps; }, budget);
}

namespace question {

std::size_t length(const FixedSteps& steps, std::size_t unknowns) { return steps.count == 0 ? 0 : unknowns; }

std::size_t length(const CrossProducts& products, std::size_t unknowns) {
  return cross_product_count(unknowns) * (products.pairs ? 2 : 1);
}

std::size_t length(const NoisyProducts&, std::size_t unknowns) { return cross_product_count(unknowns); }

double flops(const FixedSteps& steps, const WorkSize& size) {
  return size.rows > 0.0 ? 4.0 * static_cast<double>(steps.count) * size.nonzeros / size.rows : 0.0;
}
double flops(const ExactProjection&, const WorkSize& size) { return 4.0 * std::min(size.rows, size.cols) * size.cols; }
double flops(const CutSteps& steps, const WorkSize& size) {
  return std::visit([&](const auto& budget) { return flops(budget, size); }, steps.budget);
}
double flops(const SparseSteps& steps, const WorkSize& size) {
  return flops(steps.budget, size) + 2.0 * static_cast<double>(steps.budget.count) * size.cols;
}
double flops(const GradientSteps& steps, const WorkSize& size) {
  const bool all = steps.batch == 0 || size.rows == 0.0;
  const double entries = all ? size.nonzeros : size.nonzeros * static_cast<double>(steps.batch) / size.rows;
  return static_cast<double>(steps.count) * (4.0 * entries + 2.0 * size.cols);
}
double flops(const CrossProducts&, const WorkSize& size) {
  return size.rows > 0.0 ? size.nonzeros * (size.nonzeros / size.rows + 1.0) + 2.0 * size.nonzeros : 0.0;
}
// Two inner products and one step a row.
double flops(const ClippedPass& pass, const WorkSize& size) {
  const double used = pass.steps == 0 ? size.rows : std::min(size.rows, static_cast<double>(pass.steps));
  return size.rows > 0.0 ? 6.0 * used * size.nonzeros / size.rows : 0.0;
}

// A product, its rounding and its sum for each entry of the triangle.
double flops(const NoisyProducts&, const WorkSize& size) {
  const double width = size.cols + 1.0;
  return size.rows * (4.0 * width + 1.5 * width * (width + 1.0));
}

const char* wrong(const FixedSteps& steps, std::size_t) { return steps.count > kMaxSteps ? kTooMany : ""; }
const char* wrong(const CutSteps& steps, std::size_t unknowns) {
  const auto* fixed = std::get_if<FixedSteps>(&steps.budget);
  return fixed ? wrong(*fixed, unknowns) : "";
}
const char* wrong(const SparseSteps& steps, std::size_t) {
  if (steps.budget.count > kMaxSteps) return kTooMany;
  return std::isfinite(steps.lambda) && steps.lambda >= 0.0 ? "" : "its threshold makes no sense";
}
const char* wrong(const GradientSteps& steps, std::size_t) {
  if (steps.count > kMaxSteps) return kTooMany;
  if (!std::isfinite(steps.step) || !std::isfinite(steps.proximal)) return "its step size is not finite";
  return steps.batch > kMaxSteps / std::max<std::uint64_t>(1, steps.count) ? kTooMany : "";
}

namespace {

// Within these bounds clips, noise and the numbers of the grid stay ordinary numbers, also added up. A share below a
// thousand grid steps would not hide what rounding does.
bool ordinary(double value) { return value >= 0x1.0p-200 && value <= 0x1.0p200; }

const char* wrong_noise(double noise, std::int32_t exponent) {
  if (!ordinary(noise)) return "its noise has no sensible size";
  constexpr std::int32_t kMaxExponent = 400;
  const bool grid = exponent >= -kMaxExponent && exponent <= kMaxExponent;
  const int bits = grid ? std::ilogb(noise) - exponent : 0;
  return bits < 10 || bits > 40 ? "its grid does not suit its noise" : "";
}

}  // namespace

const char* wrong(const ClippedPass& pass, std::size_t) {
  if (pass.steps > kMaxSteps) return kTooMany;
  if (!ordinary(pass.clip)) return "its steps are clipped at no sensible length";
  return wrong_noise(pass.noise, pass.exponent);
}
const char* wrong(const NoisyProducts& products, std::size_t) {
  constexpr double kSquare = 0x1.0p100;  // of which the square is ordinary
  const auto fine = [](double value) { return value >= 1.0 / kSquare && value <= kSquare; };
  if (!fine(products.bound)) return "its rows are shortened to no sensible length";
  if (!fine(products.rhs_weight)) return "its right-hand sides have no sensible weight";
  return wrong_noise(products.noise, products.exponent);
}

}  // namespace question

std::string_view name_of(const LocalWork& work) {
  return std::visit([](const auto& kind) { return about(kind).name; }, work);
}

bool has_trait(const LocalWork& work, WorkTrait trait) {
  return std::visit([&](const auto& kind) { return (about(kind).traits & trait) != 0; }, work);
}

Use use_of(const LocalWork& work) {
  return std::visit([](const auto& kind) { return about(kind).use; }, work);
}

std::string_view wrong_work(const LocalWork& work, std::size_t unknowns) {
  return std::visit([&](const auto& kind) -> std::string_view { return about(kind).wrong(kind, unknowns); }, work);
}

bool needs_x(const LocalWork& work) { return has_trait(work, kAtX); }
bool sends_gap(const LocalWork& work) { return has_trait(work, kGap); }

std::optional<std::int32_t> grid_of_noise(const LocalWork& work) {
  if (const auto* pass = std::get_if<ClippedPass>(&work)) return pass->exponent;
  if (const auto* products = std::get_if<NoisyProducts>(&work)) return products->exponent;
  return std::nullopt;
}

bool sends_pairs(const LocalWork& work) {
  const auto* products = std::get_if<CrossProducts>(&work);
  return products != nullptr && products->pairs;
}

std::optional<std::size_t> reply_length(const LocalWork& work, std::size_t unknowns) {
  return std::visit(
      [&](const auto& kind) -> std::optional<std::size_t> {
        const auto length = about(kind).length;
        return length == nullptr ? std::nullopt : std::optional(length(kind, unknowns));
      },
      work);
}

double flops(const LocalWork& work, std::size_t rows, std::size_t cols, std::size_t nonzeros) {
  const WorkSize size{static_cast<double>(rows), static_cast<double>(cols), static_cast<double>(nonzeros)};
  return std::visit([&](const auto& kind) { return about(kind).flops(kind, size); }, work);
}

}  // namespace fedrk
