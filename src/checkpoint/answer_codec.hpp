// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an engine brought back, as the bytes of its fields (base/fields.hpp), with a checksum in front.

#include <optional>
#include <string>
#include <string_view>

#include "fedrk/engine.hpp"

namespace fedrk::store {

/// `room`: a text that is not needed any more, whose memory serves again.
std::string encoded(const RoundReplies& round, std::string room = {});

/// Nothing where the bytes are not as `encoded` made them.
std::optional<RoundReplies> decoded(std::string_view bytes);

}  // namespace fedrk::store
