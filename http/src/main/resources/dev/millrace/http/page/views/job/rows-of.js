// The rows of a waterfall, from the time line: which there are, and the bars of each.

import { idleStretches, timeScale } from "./time-scale.js";
import { totals } from "./timeline.js";

/** Sums over more tasks than this would cost too much at each change. */
const MOST_SUMMED = 10_000;

/** The job's own bars: its wait, its pauses, its run. */
export function jobBars(timeline) {
  const { created, started, ended, outcome } = timeline;
  const bars = [{ kind: "queue", from: created, to: started ?? ended }];
  if (started !== null) {
    bars.push({ kind: "run", from: started, to: ended, outcome: outcome?.toLowerCase() });
  }
  return [...bars, ...timeline.pauses];
}

/** A stage's bars: its gate, the wait for its first worker, its run. */
export function stageBars(stage) {
  const bars = [];
  if (stage.opened !== null) {
    bars.push({ kind: "queue", from: stage.opened, to: stage.began ?? stage.ended });
  }
  if (stage.began !== null) {
    bars.push({ kind: "run", from: stage.began, to: stage.ended, outcome: stage.outcome?.toLowerCase() });
  }
  return [...bars, ...stage.bars];
}

/** How long the tasks of a stage waited, ran and backed off together; undefined for a stage with very many. */
export function stageTotals(timeline, stage, now) {
  if (stage.total > MOST_SUMMED) {
    return undefined;
  }
  const sums = totals(stage.bars, now);
  for (let number = 1; number <= stage.total; number++) {
    for (const [kind, sum] of Object.entries(totals(timeline.task(stage.number, number).bars, now))) {
      sums[kind] = (sums[kind] ?? 0) + sum;
    }
  }
  return sums;
}

/** The stages in order. */
export function stagesOf(timeline) {
  return [...timeline.stages.values()]
    .filter((stage) => stage.type !== "" || stage.total > 0)
    .sort((a, b) => a.number - b.number);
}

/**
 * The rows of the whole job as ranges, so that a stage of 100,000 tasks costs as much as one of ten:
 * [{first, count, stage?, from}] where a stage's own row comes before those of its tasks.
 */
export function rowRanges(timeline, folded) {
  const ranges = [{ first: 0, count: 1, kind: "job" }];
  let first = 1;
  for (const stage of stagesOf(timeline)) {
    ranges.push({ first, count: 1, kind: "stage", stage });
    first += 1;
    if (!folded.has(stage.number)) {
      ranges.push({ first, count: stage.total, kind: "tasks", stage });
      first += stage.total;
    }
  }
  return ranges;
}

/** What the row at an index shows: {kind, stage?, task?: its number}. */
export function rowAt(ranges, index) {
  const range = ranges.findLast(({ first, count }) => index >= first && index < first + count);
  return range?.kind === "tasks" ? { kind: "task", stage: range.stage, task: index - range.first + 1 } : range;
}

/** The scale of the whole job; with `shorten`, long stretches in which nothing runs take little of it. */
export function jobScale(timeline, now, shorten) {
  const to = Math.max(timeline.ended ?? now, timeline.created + 1);
  if (!shorten) {
    return timeScale(timeline.created, to);
  }
  return timeScale(timeline.created, to, idleStretches(timeline.created, to, busyStretches(timeline)));
}

const known = new WeakMap();

/** When anything ran, overlaps merged; looked for only when the log has grown. */
function busyStretches(timeline) {
  const before = known.get(timeline);
  if (before?.lastEvent === timeline.lastEvent) {
    return before.merged;
  }
  const bars = [];
  for (const stage of timeline.stages.values()) {
    for (const task of stage.tasks.values()) {
      bars.push(...task.bars.filter(({ kind }) => kind === "attempt" || kind === "adopted"));
    }
  }
  bars.sort((a, b) => a.from - b.from);
  const merged = [];
  for (const { from, to } of bars) {
    const last = merged.at(-1);
    if (last !== undefined && (last.to === null || from <= last.to)) {
      last.to = last.to === null || to === null ? null : Math.max(last.to, to);
    } else {
      merged.push({ from, to });
    }
  }
  known.set(timeline, { lastEvent: timeline.lastEvent, merged });
  return merged;
}
