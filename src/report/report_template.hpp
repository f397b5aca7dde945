// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fedrk::io {

/// The page of a run: report.mustache, which is compiled in so that the program needs no file.
extern const char* const kReportTemplate;

}  // namespace fedrk::io
