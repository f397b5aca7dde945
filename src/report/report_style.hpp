// SPDX-License-Identifier: Apache-2.0
#pragma once

// The look of a report: one column that reads well on a screen, a telephone and paper, light or dark as the reader's
// system is. The plots have a part of their own, which stands in files of single plots too.

#include <string_view>

namespace fedrk::io {

inline constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2330;--quiet:#566273;--rule:#dde2e8;--accent:#0072b2;
--mute:#b3bdc9;--good:#00704f;--bad:#b3261e;--warn:#8a5200;--warn-card:#fff6e3;--warn-rule:#e9b949;--note-card:#eaf4fb;
--note-rule:#7db9de}
@media screen and (prefers-color-scheme:dark){
:root{--page:#12161c;--card:#1a2029;--ink:#e6eaf0;--quiet:#9ba7b6;--rule:#313a47;--accent:#56b4e9;--mute:#556172;
--good:#4fd1a5;--bad:#ff8a80;--warn:#f3c76a;--warn-card:#2b2415;--warn-rule:#8a6a1f;--note-card:#15273a;
--note-rule:#2f6690}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:960px;margin:0 auto;padding:40px 20px 24px}
h1{margin:6px 0 22px;font-size:1.75rem;line-height:1.25;font-weight:650;overflow-wrap:anywhere}
h2{margin:0 0 14px;font-size:1.15rem;line-height:1.3;font-weight:650}
p{margin:0 0 10px}
section>:last-child{margin-bottom:0}
.status{display:inline-flex;align-items:center;gap:8px;color:var(--quiet);font-size:.9rem;font-weight:600}
.status::before{content:"";width:10px;height:10px;border-radius:50%;background:currentColor}
.completed{color:var(--good)}.failed{color:var(--bad)}.stopped,.unconverged{color:var(--warn)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(136px,1fr));gap:12px;margin:26px 0 16px;padding:0}
.tile{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:12px 13px}
.tile dt{color:var(--quiet);font-size:.82rem}
.tile dd{margin:0}
.tile .figure{font-size:1.25rem;line-height:1.45;font-weight:650;white-space:nowrap}
.tile .aside{color:var(--quiet);font-size:.82rem;line-height:1.4}
.box{border:1px solid;border-left-width:5px;border-radius:10px;padding:12px 16px;margin:0 0 14px;overflow-wrap:anywhere}
.box>:last-child{margin-bottom:0}
.box ul{margin:0;padding-left:1.2em}
.warning{background:var(--warn-card);border-color:var(--warn-rule)}
.note{background:var(--note-card);border-color:var(--note-rule)}
section{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:20px 22px;margin:0 0 16px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:4px 36px;align-items:start}
table{width:100%;border-collapse:collapse;font-size:.94rem}
th,td{padding:6px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
tr:last-child>*{border-bottom:0}
th{width:46%;padding-right:14px;color:var(--quiet);font-weight:400}
table.wide{border-bottom:1px solid var(--rule)}.wide th{width:22%}
td{overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
table.numbers{width:auto;min-width:50%;margin:0 0 16px}
.numbers th{width:auto;padding-right:28px;color:var(--ink)}
.numbers th,.numbers td{padding-top:3px;padding-bottom:3px}
.numbers td,.numbers th+th{text-align:right;padding-left:28px;padding-right:0;white-space:nowrap}
.numbers thead th{color:var(--quiet);font-size:.86rem}
details{margin:0 0 16px}
summary{cursor:pointer;padding:12px 4px;font-size:1.05rem;font-weight:650;color:var(--accent)}
.symbol{font-style:italic;font-family:Georgia,"Times New Roman",serif;white-space:nowrap}
.caption{color:var(--quiet);font-size:.88rem;margin:10px 0 0}
.scroll{overflow-x:auto}
.scroll .plot{min-width:600px}
.scroll+.scroll,.caption+.scroll{margin-top:14px}
pre{margin:0 0 10px;padding:10px 14px;background:var(--page);border:1px solid var(--rule);border-radius:8px;overflow-x:auto}
code,pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em}
footer{color:var(--quiet);font-size:.85rem;padding:4px 2px}
@media print{
body{background:#fff;font-size:11pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}
section{border:0;padding:0;margin:0 0 22px}
.tile,.box,svg,tr{break-inside:avoid}
h2{break-after:avoid}
.scroll{overflow:visible}.scroll .plot{min-width:0}}
)css";

// The colours of plots, after Okabe and Ito: they stay apart for readers who see red and green alike. Each mode has the
// shades that stand out on its background. Variables the page has to give: --ink, --quiet, --rule, --accent, --mute,
// --card.

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
