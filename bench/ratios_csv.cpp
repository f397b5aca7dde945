// SPDX-License-Identifier: Apache-2.0

// Reading a table: parsed, checked and laid out as a matrix, against a plain loop that only parses.

#include <string>

#include <fmt/format.h>

#include "base/number.hpp"
#include "bench/harness.hpp"
#include "bench/peers.hpp"
#include "bench/ratios.hpp"
#include "data/csv.hpp"
#include "experiments/support.hpp"

namespace fedrk::bench {

void csv_text(const Settings& settings, Report& report) {
  std::string text = "a,b,c,d,e,f,g,y\n";
  const auto numbers = experiments::gaussian_vector(settings.quick ? 800 : 800000, 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    io::append_text(numbers[i], text);
    text += i % 8 == 7 ? '\n' : ',';
  }
  const auto times = shortest_times({{"fedrk",
                                      [&] {
                                        keep(io::read_csv_text(text, "text", {"y", {}, {}, {}})->system.rhs.data());
                                      }},
                                     {"plain", [&] { keep(plain_csv(text).data()); }}},
                                    settings.seconds);
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  Ratio ratio{fmt::format("CSV of {:.0f} MB, 17 digits, time", megabytes), "getline and strtod", times[0] / 1e6,
              times[1] / 1e6, "ms"};
  report.notes.push_back(fmt::format("CSV is read at {:.0f} MB/s", megabytes / times[0] * 1e9));
  report.add(ratio);
}

}  // namespace fedrk::bench
