// SPDX-License-Identifier: Apache-2.0
#pragma once

// The colours of plots, after Okabe and Ito: they stay apart for readers who see red and green alike. Each mode has the
// shades that stand out on its background. Variables the page has to give: --ink, --quiet, --rule, --accent, --mute,
// --card.

#include <string_view>

namespace fedrk::io {

inline constexpr std::string_view kPlotStyle = R"css(
:root{--s0:#0072b2;--s1:#c44e00;--s2:#00835f;--s3:#b0508a;--s4:#a87000;--s5:#5c6670;--s6:#3d9bd6;--s7:#101010}
@media screen and (prefers-color-scheme:dark){
:root{--s0:#56b4e9;--s1:#f08a4b;--s2:#35c79c;--s3:#e5a3c7;--s4:#f0e442;--s5:#b4bcc6;--s6:#2f86c4;--s7:#ffffff}}
.plot{display:block;width:100%;max-width:880px;height:auto;overflow:visible}
.plot text{font-size:13px;fill:var(--ink);unicode-bidi:isolate}
.plot .tick,.plot .name{fill:var(--quiet)}
.plot .value{font-variant-numeric:tabular-nums}
.plot path{fill:none}
.plot .grid{stroke:var(--rule);stroke-width:1}
.plot .faint{stroke-opacity:.45}
.plot .axis{stroke:var(--quiet);stroke-width:1}
.plot .line{stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.plot .thin{stroke-width:1.25}
.plot .level{stroke:var(--ink);stroke-width:1.5}
.plot .asked{stroke-dasharray:6 4}
.plot .seen{stroke-dasharray:.5 4.5;stroke-width:2;stroke-linecap:round}
.plot .s0{stroke:var(--s0)}
.plot .s1{stroke:var(--s1);stroke-dasharray:9 4}
.plot .s2{stroke:var(--s2);stroke-dasharray:2 4}
.plot .s3{stroke:var(--s3);stroke-dasharray:12 4 2 4}
.plot .s4{stroke:var(--s4);stroke-dasharray:4 6}
.plot .s5{stroke:var(--s5);stroke-dasharray:12 4 2 4 2 4}
.plot .s6{stroke:var(--s6);stroke-dasharray:18 5 6 5}
.plot .s7{stroke:var(--s7);stroke-dasharray:.5 6}
.plot .stem{stroke-width:1;stroke-dasharray:none}
.plot .ring{stroke-width:1.6;stroke-dasharray:none;fill:none}
.plot .marker{stroke:var(--ink);stroke-width:1;stroke-dasharray:3 3}
.plot .named{stroke:var(--card);stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
.plot .dot{stroke:none}
.plot .dot.s0{fill:var(--s0)}.plot .dot.s1{fill:var(--s1)}.plot .dot.s2{fill:var(--s2)}
.plot .dot.s3{fill:var(--s3)}.plot .dot.s4{fill:var(--s4)}.plot .dot.s5{fill:var(--s5)}
.plot .dot.s6{fill:var(--s6)}.plot .dot.s7{fill:var(--s7)}
.plot .bar{fill:var(--accent)}
.plot .muted{fill:var(--mute)}
)css";

}  // namespace fedrk::io
