// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers as integers of 384 bits, in units of 2^-256. Every double between 2^-204 and 2^100 is one exactly, so a sum
// of such integers is the exact sum of the numbers, whatever their order and however their sizes differ; and as
// integers modulo 2^384 they can be masked. For the few numbers of a round whose size nobody knows beforehand.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fedrk::masking {

constexpr std::size_t kWideWords = 6;
constexpr int kWideExponent = -256;                  // of the unit
using Wide = std::array<std::uint64_t, kWideWords>;  // two's complement, the lowest word first

/// Nothing for what is not finite or not below 2^100 in size: a sum of 2^27 such numbers still fits.
std::optional<Wide> wide_from(double value);

/// The nearest double, ties to even.
double to_double(const Wide& wide);

/// The nearest unevaluated sum of two doubles: the nearest double, then that of the exact rest.
std::array<double, 2> to_pair(const Wide& wide);

/// to += from and to -= from, each modulo 2^384.
void add_wide(std::span<const std::uint64_t, kWideWords> from, std::span<std::uint64_t, kWideWords> to);
void subtract_wide(std::span<const std::uint64_t, kWideWords> from, std::span<std::uint64_t, kWideWords> to);

}  // namespace fedrk::masking
