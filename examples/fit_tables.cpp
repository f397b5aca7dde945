// SPDX-License-Identifier: Apache-2.0

// Fits a regression to CSV files, one for each site, and prints the table:
//
//     example_fit_tables "lpsa ~ ." a.csv b.csv c.csv

#include <exception>
#include <iostream>
#include <vector>

#include <fedrk/fedrk.hpp>

int main(int argc, char** argv) try {
  std::vector<fedrk::Table> sites;
  for (int i = 2; i < argc; ++i) sites.push_back(fedrk::read_csv(argv[i]));

  const fedrk::Fit fit = fedrk::fit(sites, argc > 1 ? argv[1] : "");

  std::cout << fit.summary();
  for (const std::string& warning : fit.warnings) std::cerr << "Note: " << warning << '\n';
  return fit.converged ? 0 : 3;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
