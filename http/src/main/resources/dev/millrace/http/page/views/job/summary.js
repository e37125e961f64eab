// A job in short: a line for each stage.

import { css, html, nothing } from "lit";
import { session } from "../../api/client.js";
import { duration, number } from "../../api/format.js";
import { badge, gateBadge } from "../../parts/badge.js";
import { adopt } from "../../parts/element.js";
import { barStyles, barsText, track } from "./bars.js";
import { jobScale, stageBars, stageTotals } from "./rows-of.js";

adopt(barStyles);

adopt(css`
  .job-stages {
    display: grid;
    grid-template-columns: minmax(9rem, 13rem) 9rem minmax(8rem, 1fr) auto;
    align-items: center;
    gap: 0 var(--s4);
    margin: 0;
    padding: 0;
    list-style: none;
  }

  .job-stages > li {
    display: grid;
    grid-column: 1 / -1;
    grid-template-columns: subgrid;
    align-items: center;
    padding: var(--s3) var(--s4);
    border-bottom: 1px solid var(--line);
  }

  .job-stages > li:last-child {
    border-bottom: 0;
  }

  .job-stages .wf-track {
    height: 1.25rem;
  }

  .job-stages .counts {
    grid-column: 3 / -1;
    color: var(--muted);
    font-size: var(--tiny);
  }

  @media (max-width: 60rem) {
    .job-stages {
      grid-template-columns: minmax(0, 1fr) auto;
    }

    .job-stages :is(.wf-track, .counts) {
      grid-column: 1 / -1;
    }
  }
`);

/** `approve(stage)` is called for the button of a stage that stands at its gate. */
export function summary(source, now, approve) {
  const { timeline, stages } = source;
  const line = jobScale(timeline, now, true);
  return html`<ul class="job-stages">${stages.map((stage) => {
    const told = timeline.stage(stage.order);
    const bars = stageBars(told);
    const due = stage.levers?.includes("approve") && session.may("submit");
    return html`<li>
      <strong class="clip">${stage.order} ${stage.type}</strong>
      <span>${
        stage.status === "WAITING"
          ? gateBadge(stage.levers?.includes("approve") ? "waits for approval" : "gate ahead")
          : badge(stage.status)
      }</span>
      <span class="wf-track" role="img" aria-label=${barsText(bars, now)}>${track(bars, line, now)}</span>
      <span>${
        due
          ? html`<button type="button" class="button primary" @click=${() => approve(stage)}>Approve</button>`
          : nothing
      }</span>
      <span class="counts">${counts(stage.summary)}${sums(stageTotals(timeline, told, now))}</span>
      ${stage.error ? html`<span class="counts">${stage.error}</span>` : nothing}</li>`;
  })}</ul>`;
}

function counts({ total, completed, failed, inProgress, retried }) {
  const parts = [`${number(completed)} of ${number(total)} completed`];
  const add = (amount, word) => amount > 0 && parts.push(`${number(amount)} ${word}`);
  add(inProgress, "running");
  add(retried, "to be tried again");
  add(failed, "failed");
  return parts.join(", ");
}

const WORDS = { gate: "at its gate", queue: "in the queue", attempt: "at work", backoff: "backing off" };

/** All tasks together, so that it can be more than the job took. */
function sums(values) {
  const parts = Object.entries(WORDS)
    .filter(([kind]) => values?.[kind] > 500)
    .map(([kind, word]) => `${duration(values[kind] / 1000)} ${word}`);
  return parts.length === 0 ? "" : ` · all tasks together: ${parts.join(", ")}`;
}
