// SPDX-License-Identifier: Apache-2.0

// A server and two clients in one process, over this machine's network. Real clients are processes beside their tables,
// three or more, with certificates (.tls) and masked sums (.masked, the default); here nothing is masked.

#include <fstream>
#include <iostream>
#include <thread>

#include <fedrk/client.hpp>
#include <fedrk/server.hpp>

int main() {
  std::ofstream("north.csv") << "u,v,y\n0,0,1\n1,1,2\n2,5,0\n";
  std::ofstream("south.csv") << "y,v,u\n5,0,2\n-1,4,1\n9,0,4\n";

  fedrk::FitServer server("y ~ .", {"north", "south"}, {.masked = false});
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  std::thread north([&] { fedrk::join(address, "north", "north.csv", {.masked = false}); });
  std::thread south([&] { fedrk::join(address, "south", "south.csv", {.masked = false}); });

  const fedrk::Fit fit = server.run();
  north.join();
  south.join();
  std::cout << fit.summary();
  return fit.converged ? 0 : 1;
}
