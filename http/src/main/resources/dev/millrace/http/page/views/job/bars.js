// The bars of a waterfall: their colours, their words, and the legend.

import { css, html } from "lit";
import { duration, exactTime } from "../../api/format.js";
import { setStyle } from "../../parts/set-style.js";

export const barStyles = css`
  .wf-track {
    position: relative;
    align-self: stretch;
    min-width: 0;
    overflow: clip;
  }

  .wf-bar {
    position: absolute;
    top: 50%;
    left: calc(var(--from) * 100%);
    box-sizing: border-box;
    width: max(3px, calc(var(--width) * 100%));
    height: 0.8rem;
    border-radius: 3px;
    translate: 0 -50%;
  }

  .wf-bar.is-queue {
    height: 0.3rem;
    border-radius: 2px;
    background: var(--pending);
    opacity: 0.45;
  }

  .wf-bar.is-backoff {
    height: 0.8rem;
    border: 1px dashed var(--paused);
    background: var(--paused-soft);
  }

  .wf-bar.is-gate {
    background: repeating-linear-gradient(-45deg, var(--gate) 0 2px, var(--gate-soft) 2px 6px);
    box-shadow: inset 0 0 0 1px var(--gate);
  }

  .wf-bar.is-paused {
    background: repeating-linear-gradient(-45deg, var(--paused) 0 2px, var(--paused-soft) 2px 6px);
    box-shadow: inset 0 0 0 1px var(--paused);
  }

  .wf-bar.is-attempt,
  .wf-bar.is-run {
    background: var(--running);
  }

  .wf-bar.is-completed { background: var(--completed); }
  .wf-bar.is-failed { background: var(--failed); }
  .wf-bar.is-aborted { background: var(--aborted); }
  .wf-bar.is-released { background: var(--retried); }

  .wf-bar.is-lasting {
    border-radius: 3px 0 0 3px;
  }

  .wf-bar.is-lasting:is(.is-attempt, .is-run) {
    animation: wf-lasting 1.6s ease-in-out infinite alternate;
  }

  .wf-bar.is-adopted {
    width: 0.6rem;
    height: 0.6rem;
    border-radius: 1px;
    background: var(--completed);
    rotate: 45deg;
  }

  @keyframes wf-lasting {
    to {
      opacity: 0.65;
    }
  }

  .wf-break {
    position: absolute;
    top: 0;
    bottom: 0;
    left: calc(var(--from) * 100%);
    width: calc(var(--width) * 100%);
    border-inline: 1px dashed var(--line-strong);
    background: var(--sunken);
    opacity: 0.7;
  }

  .wf-legend {
    display: flex;
    flex-wrap: wrap;
    gap: var(--s1) var(--s4);
    margin: 0;
    padding: 0;
    color: var(--muted);
    font-size: var(--tiny);
    list-style: none;
  }

  .wf-legend li {
    display: flex;
    align-items: center;
    gap: 0.4rem;
  }

  .wf-legend .wf-track {
    width: 1.5rem;
    height: 0.9rem;
  }
`;

const KINDS = [
  ["queue", "", "waits in the queue"],
  ["attempt", "", "runs"],
  ["attempt", "completed", "completed"],
  ["attempt", "failed", "failed attempt"],
  ["attempt", "released", "given back"],
  ["attempt", "aborted", "aborted"],
  ["backoff", "", "backs off"],
  ["gate", "", "stands at a gate"],
  ["paused", "", "paused"],
  ["adopted", "", "adopted result"],
];

export function legend() {
  return html`<ul class="wf-legend" aria-label="What the bars mean">${KINDS.map(
    ([kind, outcome, label]) =>
      html`<li><span class="wf-track" aria-hidden="true"><span class="wf-bar is-${kind} ${outcome ? `is-${outcome}` : ""}"
      ${setStyle({ "--from": kind === "adopted" ? 0.3 : 0, "--width": 1 })}></span></span>${label}</li>`,
  )}</ul>`;
}

const said = (text) => (text ? `: ${text}` : "");

/** A bar in words: "attempt 2 by server-1, 3.2 s, failed: …". */
export function barText(bar, now) {
  const long = duration(Math.max(0, (bar.to ?? now) - bar.from) / 1000);
  const lasts = bar.to === null ? ", and still does" : "";
  switch (bar.kind) {
    case "attempt":
      return `attempt ${bar.attempt} by ${bar.worker}, ${long}, ${bar.outcome ?? "runs"}${said(bar.error)}`;
    case "queue":
      return `waited ${long}${lasts}`;
    case "backoff":
      return `backed off ${long}`;
    case "gate":
      return `stood at a gate ${long}${lasts}${bar.who ? `, approved by ${bar.who}` : ""}${said(bar.comment)}`;
    case "paused":
      return `paused ${long}${lasts}${said(bar.comment)}`;
    case "adopted":
      return `adopted from job ${bar.job}, task ${bar.task}`;
    default:
      return `${bar.label ?? "ran"} ${long}${lasts}`;
  }
}

/** The bars of a row on its track. `line` is a time scale. */
export function track(bars, line, now) {
  const shown = bars.filter(({ from }) => from <= now);
  return html`${line.breaks.map(
    ({ at, width }) => html`<span class="wf-break" ${setStyle({ "--from": at, "--width": width })}></span>`,
  )}
    ${shown.map((bar) => one(bar, line, now))}`;
}

function one(bar, line, now) {
  const from = line.scale(bar.from);
  const width = line.scale(Math.min(bar.to ?? now, now)) - from;
  const classes = `is-${bar.kind} ${bar.outcome ? `is-${bar.outcome}` : ""} ${bar.to === null ? "is-lasting" : ""}`;
  return html`<span class="wf-bar ${classes}" title="${barText(bar, now)} (from ${exactTime(bar.from)})"
    ${setStyle({ "--from": from, "--width": width })}></span>`;
}

/** All bars of a row as a sentence for screen readers. */
export function barsText(bars, now) {
  return bars.length === 0
    ? "nothing yet"
    : bars
        .filter(({ from }) => from <= now)
        .map((bar) => barText(bar, now))
        .join("; ");
}
