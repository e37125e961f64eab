// From times to places on a line. Long stretches in which nothing runs can be shortened, so that a job that stood at a
// gate overnight still shows the minutes that it worked.

import { duration } from "../../api/format.js";

const SHORT = 0.06;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800];

/** The stretches of [from, to] in which none of the bars lies, if they are long: [[from, to]]. */
export function idleStretches(from, to, busy) {
  const sorted = busy.map((bar) => [bar.from, Math.min(bar.to ?? to, to)]).sort((a, b) => a[0] - b[0]);
  const gaps = [];
  let end = from;
  for (const [begin, until] of sorted) {
    if (begin > end) {
      gaps.push([end, begin]);
    }
    end = Math.max(end, until);
  }
  if (to > end) {
    gaps.push([end, to]);
  }
  const active = to - from - gaps.reduce((sum, [a, b]) => sum + b - a, 0);
  return gaps.filter(([a, b]) => active > 0 && b - a > active && b - a > 2000);
}

/** A scale over [from, to]; each of the idle stretches takes a small fixed share of it. */
export function timeScale(from, to, idle = []) {
  const span = Math.max(1, to - from);
  const spared = idle.reduce((sum, [a, b]) => sum + b - a, 0);
  const share = Math.min(SHORT, 0.5 / Math.max(1, idle.length));
  const rate = (1 - share * idle.length) / Math.max(1, span - spared);
  const pieces = [];
  let at = from;
  let place = 0;
  const put = (end, slope) => {
    if (end > at) {
      pieces.push({ from: at, to: end, place, slope });
      place += (end - at) * slope;
      at = end;
    }
  };
  for (const [a, b] of idle) {
    put(a, rate);
    put(b, share / (b - a));
  }
  put(to, rate);
  const scale = (time) => {
    const piece = pieces.find(({ to: end }) => time <= end) ?? pieces.at(-1);
    const clamped = Math.max(from, Math.min(to, time));
    return piece ? Math.max(0, Math.min(1, piece.place + (clamped - piece.from) * piece.slope)) : 0;
  };
  return {
    from,
    to,
    idle,
    scale,
    breaks: idle.map(([a, b]) => ({ at: scale(a), width: scale(b) - scale(a), ms: b - a })),
  };
}

/** Round times for a ruler of about `count` marks: [{at: 0..1, ms: since the start}]. */
export function ruler({ from, to, idle, scale }, count) {
  const idleTime = idle.reduce((sum, [a, b]) => sum + b - a, 0);
  const wanted = (to - from - idleTime) / 1000 / count;
  const step = (STEPS.find((seconds) => seconds >= wanted) ?? 604800 * Math.ceil(wanted / 604800)) * 1000;
  const fine = wanted < 0.5 ? [1, 2, 5, 10, 20, 50, 100, 200, 500].find((ms) => ms >= wanted * 1000) : step;
  const marks = [];
  const least = 0.5 / count;
  const inside = (time) => idle.some(([a, b]) => time > a && time < b);
  for (const [begin, end] of active(from, to, idle)) {
    for (
      let time = from + Math.ceil((begin - from) / fine) * fine;
      time <= end && marks.length < 4 * count;
      time += fine
    ) {
      const at = scale(time);
      if (!inside(time) && at < 0.97 && (marks.length === 0 || at - marks.at(-1).at > least)) {
        marks.push({ at, ms: time - from });
      }
    }
  }
  return marks;
}

/** The text of a mark; neighbours less than a second apart differ in its last digits. */
export function markText(ms) {
  const beyond = ms % 1000;
  if (ms < 1000 || beyond === 0) {
    return ms === 0 ? "0" : duration(ms / 1000);
  }
  const seconds = (ms % 60_000) / 1000;
  const minutes = ms < 60_000 ? "" : `${duration((ms - (ms % 60_000)) / 1000)} `;
  return `${minutes}${seconds.toFixed(beyond % 100 === 0 ? 1 : 3)} s`;
}

function active(from, to, idle) {
  const edges = [from, ...idle.flat(), to];
  const parts = [];
  for (let i = 0; i < edges.length; i += 2) {
    parts.push([edges[i], edges[i + 1]]);
  }
  return parts;
}
