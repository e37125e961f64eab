// What a row of the list shows.

import { css, html, nothing } from "lit";
import { between, duration, exactTime, number, time } from "../../api/format.js";
import { jobLink } from "../../api/route.js";
import { badge, gateBadge } from "../../parts/badge.js";
import { setStyle } from "../../parts/set-style.js";

/** Below this width a row has two lines and shows less. */
export const NARROW = "(max-width: 60rem)";

export const cellStyles = css`
  mr-jobs :is(.rows-row, .rows-head) {
    display: grid;
    grid-template-columns: 2rem 9.5rem minmax(0, 1fr) 11rem 9rem 7.5rem 6.5rem;
    align-items: center;
    column-gap: var(--s3);
    padding: 0 var(--s4) 0 var(--s3);
  }

  mr-jobs .rows-head {
    height: 2.25rem;
  }

  mr-jobs .rows-row {
    border-bottom: 1px solid var(--line);
    cursor: pointer;
  }

  mr-jobs .in-box {
    display: grid;
    align-self: stretch;
  }

  mr-jobs .in-box label {
    display: grid;
    place-items: center;
    cursor: pointer;
  }

  mr-jobs .title {
    color: var(--text);
    font-weight: 500;
    text-decoration: none;
  }

  mr-jobs .rows-row:hover .title {
    text-decoration: underline;
  }

  mr-jobs .title.plain {
    font-weight: 400;
  }

  mr-jobs .sub {
    color: var(--muted);
    font-size: var(--tiny);
    line-height: 1.35;
  }

  mr-jobs .tag {
    padding: 0.05rem 0.35rem;
    border: 1px solid var(--line);
    border-radius: 4px;
    color: var(--muted);
    font-size: var(--tiny);
  }

  mr-jobs .bar-of {
    display: flex;
    height: 4px;
    margin-top: 0.35rem;
    border-radius: 2px;
    background: var(--line);
    overflow: hidden;
  }

  mr-jobs .bar-of span {
    flex: none;
    background: var(--completed);
  }

  mr-jobs .bar-of .is-failed {
    background: var(--failed);
  }

  mr-jobs .bar-of .is-running {
    background: var(--running);
  }

  mr-jobs .waiting-row {
    grid-column: 2 / -1;
    height: 0.6rem;
    border-radius: 3px;
    background: var(--line);
    opacity: 0.6;
  }

  @media (max-width: 60rem) {
    mr-jobs .rows-row {
      grid-template-columns: 1.75rem minmax(0, 1fr) auto;
      grid-template-rows: auto auto;
      align-content: center;
      gap: 0.15rem var(--s2);
      padding: 0 var(--s3) 0 var(--s2);
    }

    mr-jobs .rows-row .in-box {
      grid-row: 1 / 3;
    }

    mr-jobs .rows-row .in-state {
      grid-column: 2;
      grid-row: 2;
      font-size: var(--small);
    }

    mr-jobs .rows-row .in-job {
      grid-column: 2 / 4;
      grid-row: 1;
    }

    mr-jobs .rows-row .in-when {
      grid-column: 3;
      grid-row: 2;
    }

    mr-jobs .rows-row :is(.in-work, .in-type, .in-took),
    mr-jobs .in-job .sub,
    mr-jobs .rows-head {
      display: none;
    }
  }
`;

/** The cells of the first line. */
export const head = html`
  <span role="columnheader"><span class="unseen">Selected</span></span>
  <span role="columnheader">State</span>
  <span role="columnheader">Job</span>
  <span role="columnheader">Type and model</span>
  <span role="columnheader">Tasks</span>
  <span role="columnheader">Submitted</span>
  <span role="columnheader" class="number">Took</span>`;

/** The cells of a job. `picked`: whether it is selected; undefined hides the box. `pick(event)` changes it. */
export function cells(job, picked, pick) {
  if (job === undefined) {
    return html`<span role="gridcell" class="waiting-row"><span class="unseen">being read</span></span>`;
  }
  const named = job.name ?? job.excerpt ?? job.types.join(", ");
  return html`
    <span role="gridcell" class="in-box">${
      picked === undefined
        ? nothing
        : html`<label><input type="checkbox" tabindex="-1" .checked=${picked} @click=${pick}
          aria-label="Select ${named.slice(0, 60)}"></label>`
    }</span>
    <span role="gridcell" class="in-state">${state(job)}</span>
    <span role="gridcell" class="in-job">
      <div class="clip"><a class="title ${job.name ? "" : "plain"}" tabindex="-1" href=${jobLink(job.id)}>${named}</a></div>
      <div class="sub clip">${sub(job)}</div></span>
    <span role="gridcell" class="in-type"><div class="clip">${job.types.join(" → ")}</div>
      <div class="sub clip">${job.models.join(", ") || nothing}</div></span>
    <span role="gridcell" class="in-work">${tasks(job)}</span>
    <span role="gridcell" class="in-when sub" title=${exactTime(job.creationTime)}>${time(job.creationTime)}</span>
    <span role="gridcell" class="in-took sub number">${took(job)}</span>`;
}

function state(job) {
  return job.waitsForApproval === undefined ? badge(job.status) : gateBadge(`gate of stage ${job.waitsForApproval}`);
}

/** The second line: why it failed, else its id, who submitted it, its tags. */
function sub(job) {
  if (job.error) {
    return job.error;
  }
  return html`<span class="mono">${job.ownId}</span>${job.submittedBy ? html` · ${job.submittedBy}` : nothing}
    ${job.tags.map((tag) => html` <span class="tag">${tag}</span>`)}`;
}

function tasks({ tasks: { total, completed, failed, running } }) {
  const share = (count) => ({ width: `${total === 0 ? 0 : (100 * count) / total}%` });
  const rest = [failed > 0 ? `${number(failed)} failed` : "", running > 0 ? `${number(running)} running` : ""]
    .filter((text) => text !== "")
    .join(", ");
  return html`<div class="sub clip">${number(completed)} of ${number(total)}${rest ? ` · ${rest}` : ""}</div>
    <div class="bar-of"><span ${setStyle(share(completed))}></span><span class="is-failed" ${setStyle(share(failed))}></span>
      <span class="is-running" ${setStyle(share(running))}></span></div>`;
}

function took({ startTime, endTime }) {
  return startTime === undefined ? "" : duration(between(startTime, endTime ?? new Date()));
}

/** A job in words, for what a screen reader says of it elsewhere. */
export function jobTitle(job) {
  return job.name ?? job.excerpt ?? job.ownId ?? job.id;
}
