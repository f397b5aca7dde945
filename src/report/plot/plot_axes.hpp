// SPDX-License-Identifier: Apache-2.0
#pragma once

// The axes of a line plot, chosen so that all that can be drawn is between their ends.

#include "report/plot/axis.hpp"
#include "report/plot/svg_plot.hpp"

namespace fedrk::io {

/// Whether the point has a place on the scales of the plot; else it is a gap.
bool drawable(const LinePlot& plot, const Point& point);

/// Likewise for a marker.
bool drawable(const LinePlot& plot, const Marker& marker);

/// REQUIRES: a point of the plot is drawable.
Axis x_axis(const LinePlot& plot);
Axis y_axis(const LinePlot& plot);

}  // namespace fedrk::io
