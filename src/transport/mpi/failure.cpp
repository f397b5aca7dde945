// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/failure.hpp"

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

#include "fedrk/error.hpp"

namespace fedrk::mpi {
namespace {

std::string shortened(std::string_view message) {
  constexpr std::size_t kMax = 1000;  // bytes, so that it travels in a usual message
  return std::string(message.substr(0, kMax));
}

}  // namespace

Failure caught() {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return {Failure::Kind::BadRequest, shortened(error.what())};
  } catch (const std::bad_alloc&) {
    return {Failure::Kind::Memory, {}};
  } catch (const std::exception& error) {
    return {Failure::Kind::Other, shortened(error.what())};
  }
}

void Failure::raise() const {
  switch (kind) {
    case Kind::BadRequest:
      throw InvalidArgument(message);
    case Kind::Memory:
      throw std::bad_alloc();
    case Kind::None:
    case Kind::Other:
      break;
  }
  throw std::runtime_error(message);
}

}  // namespace fedrk::mpi
