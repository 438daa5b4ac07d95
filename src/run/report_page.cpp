#include "src/run/report_page.h"

namespace vidconv {

// Text from files and users enters the page only through textContent, and the policy at its top
// keeps it from loading anything.
const std::string_view report_page = R"html(<!DOCTYPE html>
<!-- vidconv report, schema 1 -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>vidconv report</title>
<style>
:root { color-scheme: light dark; --back: #fff; --fore: #1b1b1f; --soft: #5a5a66; --line: #c9c9d2; --mark: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16161a; --fore: #ececf1; --soft: #a9a9b6; --line: #44444f; --mark: #8ab4f8; }
}
body { background: var(--back); color: var(--fore); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
       max-width: 72rem; padding: 1rem; }
h2 { border-bottom: 1px solid var(--line); margin-top: 2rem; }
table { border-collapse: collapse; margin: .5rem 0; }
caption { text-align: left; color: var(--soft); }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
.pair { position: relative; line-height: 0; }
.pair img { width: 100%; height: auto; display: block; }
.pair img + img { position: absolute; inset: 0; }
figure { margin: 1rem 0; }
input[type=range] { width: 100%; accent-color: var(--mark); }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
svg { width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 12px; }
svg .axis { stroke: var(--line); }
svg .bar { fill: var(--mark); }
svg .curve { stroke: var(--mark); fill: none; stroke-width: 2; }
</style>
</head>
<body>
<main>
<h1>vidconv report</h1>
<noscript><p>The data of this page is the JSON at its end; scripts are needed to show it.</p></noscript>
<p id="summary"></p>
<section aria-labelledby="h-pictures"><h2 id="h-pictures">Before and after</h2><div id="pictures"></div></section>
<section aria-labelledby="h-chain"><h2 id="h-chain">The filters</h2><div id="chain" class="scroll"></div></section>
<section aria-labelledby="h-measures"><h2 id="h-measures">Quality</h2><div id="measures" class="scroll"></div></section>
<section aria-labelledby="h-speed"><h2 id="h-speed">Speed</h2><div id="speed"></div></section>
<section aria-labelledby="h-stages"><h2 id="h-stages">Stages</h2><div id="stages"></div></section>
<section aria-labelledby="h-ledger"><h2 id="h-ledger">The ledger</h2><div id="ledger" class="scroll"></div></section>
<section aria-labelledby="h-messages"><h2 id="h-messages">Messages</h2><div id="messages" class="scroll"></div></section>
</main>
<script type="application/json" id="data">@DATA@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent), stats = data.stats;
const svg = "http:" + "//www.w3.org/2000/svg";  // a name, which nothing is loaded from
const make = (name, words, to) => { const e = document.createElement(name);
  if (words !== undefined && words !== null) e.textContent = words; if (to) to.append(e); return e; };
const draw = (name, attributes, to, words) => { const e = document.createElementNS(svg, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (words !== undefined) e.textContent = words; to.append(e); return e; };
const at = id => document.getElementById(id);
const shown = v => v === null || v === undefined ? "–" : typeof v === "number" && !Number.isInteger(v) ?
  String(+v.toPrecision(7)) : typeof v === "boolean" ? (v ? "yes" : "no") : String(v);
function table(to, caption, heads, rows) {
  const t = make("table", null, to); make("caption", caption, t);
  const head = make("tr", null, make("thead", null, t));
  for (const h of heads) make("th", h, head).scope = "col";
  const body = make("tbody", null, t);
  for (const row of rows) { const tr = make("tr", null, body);
    row.forEach((v, i) => { const c = make(i ? "td" : "th", shown(v), tr);
      if (i && typeof v === "number") c.className = "n"; if (!i) c.scope = "row"; }); }
}
// Points [x, y] in order of x; the numbers are in a table beside it for who cannot see it.
function chart(to, title, points, xname, yname) {
  if (points.length < 2) return;
  const w = 800, h = 220, left = 60, bottom = 30, top = 10;
  const xs = points.map(p => p[0]), ys = points.map(p => p[1]);
  const x0 = xs[0], x1 = xs[xs.length - 1], low = Math.min(...ys), high = Math.max(...ys);
  const y0 = low > 0 && low < high / 2 ? 0 : low, y1 = high > y0 ? high : y0 + 1;
  const x = v => left + (w - left - 10) * (v - x0) / (x1 - x0 || 1);
  const y = v => h - bottom - (h - bottom - top) * (v - y0) / (y1 - y0);
  const f = make("figure", null, to), s = draw("svg", { viewBox: `0 0 ${w} ${h}`, role: "img",
    "aria-label": `${title}: from ${shown(low)} to ${shown(high)} ${yname}` }, f);
  draw("path", { class: "axis", d: `M${left} ${top}V${h - bottom}H${w - 10}`, fill: "none" }, s);
  for (const v of [y0, y1]) draw("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, s, shown(+v.toPrecision(4)));
  for (const v of [x0, x1]) draw("text", { x: x(v), y: h - 8, "text-anchor": v === x0 ? "start" : "end" }, s,
    `${shown(+v.toPrecision(4))} ${xname}`);
  draw("polyline", { class: "curve", points: points.map(p => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" ") }, s);
  make("figcaption", `${title} (${yname})`, f);
  const d = make("details", null, to); make("summary", `Numbers of: ${title}`, d);
  const some = points.filter((_, i) => i % Math.ceil(points.length / 40) === 0);
  table(d, title, [xname, yname], some);
}
at("summary").textContent = `${stats.input.name} → ${stats.output.name}: ${stats.outcome}, ${stats.frames.written} frames in ` +
  `${stats.seconds.toFixed(2)} s, ${stats.fps.toFixed(1)} frames/s, ${stats.output.bytes} bytes` +
  (stats.output.encoder ? `, ${stats.output.encoder}` : "") + `. vidconv ${stats.version}, ${stats.device}.`;
data.pictures.forEach((p, i) => {
  const f = make("figure", null, at("pictures")), pair = make("div", null, f); pair.className = "pair";
  const after = make("img", null, pair); after.src = p.after; after.alt = `Frame ${p.frame}, filtered`;
  if (!p.before) { make("figcaption", `Frame ${p.frame}, ${p.width}x${p.height}, filtered. As it was it is not shown: filters ` +
    "may be there to hide something (--show-originals)", f); return; }
  const before = make("img", null, pair); before.src = p.before; before.alt = `Frame ${p.frame}, as it was`;
  const range = make("input"); range.type = "range"; range.min = 0; range.max = 100; range.value = 50; range.id = `slider${i}`;
  const label = make("label", `Frame ${p.frame}, ${p.width}x${p.height}: as it was at the left, filtered at the right`, f);
  label.htmlFor = range.id;
  const move = () => { before.style.clipPath = `inset(0 ${100 - range.value}% 0 0)`;
    range.setAttribute("aria-valuetext", `${range.value} percent as it was`); };
  range.addEventListener("input", move); move(); f.append(range);
});
if (!data.pictures.length) make("p", "No picture was kept.", at("pictures"));
table(at("chain"), "What was computed, step by step; an exact step is that of real arithmetic, rounded once",
  ["filter", "components", "action", "arithmetic", "exact", "off by at most", "border", "computed by"],
  stats.plan.map(s => [s.filter, s.components, s.action, s.arithmetic, s.exact, s.error_bound, s.border, s.variant]));
if (stats.frames.verified) make("p", `${stats.frames.verified} frames were computed again by ${stats.verified_by}: equal.`, at("chain"));
if (stats.target) table(at("measures"), `Qualities of ${stats.target.encoder} that were tried for ${stats.target.measure} ` +
  `${stats.target.wanted}; ${stats.target.crf} was chosen`, ["quality", stats.target.measure],
  stats.target.tried.map(t => [t.crf, t.value]));
if (stats.measured) {
  const m = stats.measured, rows = [];
  for (const name of ["psnr", "ssim", "vmaf", "xpsnr"]) if (m[name]) {
    const { worst, ...values } = m[name];
    for (const [key, value] of Object.entries(values)) rows.push([`${name} ${key}`, value]);
    rows.push([`${name} of the worst frame, ${worst.frame} at ${shown(worst.time)} s`, worst.value]);
  }
  table(at("measures"), `Of ${m.frames} frames in ${m.compared_format}, decoded again, against the filtered frames in ` +
    `${m.filtered_format}; – is infinite`, ["measure", "value"], rows);
  for (const name of ["psnr", "ssim"]) if (m[name])
    chart(at("measures"), `${name} over the video`, data.scores.map(s => [s.time, s[name]]), "s", name);
} else if (!stats.target) make("p", "It was not measured: --measure psnr,ssim does that.", at("measures"));
const rates = [], busy = {};
for (let i = 1; i < data.samples.length; ++i) {
  const a = data.samples[i - 1], b = data.samples[i], dt = b.seconds - a.seconds;
  if (dt <= 0) continue;
  rates.push([b.seconds, (b.frames - a.frames) / dt]);
  for (const name of Object.keys(b.busy)) (busy[name] ||= []).push([b.seconds, 100 * (b.busy[name] - (a.busy[name] || 0)) / dt]);
}
chart(at("speed"), "Frames a second over the run", rates, "s", "frames/s");
if (rates.length < 2) make("p", `${stats.fps.toFixed(1)} frames a second; the run was too short for a curve.`, at("speed"));
{
  const longest = Math.max(1e-9, ...stats.stages.map(s => s.busy_seconds)), h = 24 * stats.stages.length + 8;
  const f = make("figure", null, at("stages")), s = draw("svg", { viewBox: `0 0 800 ${h}`, role: "img",
    "aria-label": "How long each stage worked: " + stats.stages.map(t => `${t.name} ${t.busy_seconds.toFixed(2)} s`).join(", ") }, f);
  stats.stages.forEach((t, i) => {
    draw("text", { x: 110, y: 24 * i + 20, "text-anchor": "end" }, s, t.name);
    draw("rect", { class: "bar", x: 120, y: 24 * i + 6, height: 18, width: 560 * t.busy_seconds / longest }, s);
    draw("text", { x: 126 + 560 * t.busy_seconds / longest, y: 24 * i + 20 }, s, `${t.busy_seconds.toFixed(2)} s`);
  });
  make("figcaption", `Seconds in which each stage worked, of ${stats.seconds.toFixed(2)}; the longest limits: ${stats.limiting_stage}`, f);
}
for (const [name, points] of Object.entries(busy)) chart(at("stages"), `${name} at work over the run`, points, "s", "% of the time");
table(at("ledger"), "Frames", ["decoded", "dropped", "filtered", "encoded", "written", "verified"],
  [["decoded", "dropped", "filtered", "encoded", "written", "verified"].map(k => stats.frames[k])]);
if (stats.latency) table(at("ledger"), "Latency", ["limit", "median", "worst", "late frames", "dropped frames"],
  [[...["limit_ms", "median_ms", "worst_ms"].map(k => `${stats.latency[k].toFixed(1)} ms`), stats.latency.late, stats.latency.dropped]]);
for (const s of stats.ledger.streams)
  table(at("ledger"), `Stream ${s.stream}: ${s.type}, ${shown(s.codec)}${s.filtered ? ", filtered" : ""}`,
    Object.keys(s.packets).map(k => `packets ${k}`), [Object.values(s.packets)]);
if (stats.messages.length) table(at("messages"), "What was said", ["kind", "text"], stats.messages.map(m => [m.class, m.text]));
else make("p", "None.", at("messages"));
</script>
</body>
</html>
)html";

}  // namespace vidconv
