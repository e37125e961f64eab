// The head of a job's view: what it is, how it stands, and the levers that are legal now.

import { css, html, nothing } from "lit";
import { session } from "../../api/client.js";
import { between, count, duration, exactTime, number, time } from "../../api/format.js";
import { jobLink, link } from "../../api/route.js";
import { badge, gateBadge } from "../../parts/badge.js";
import { adopt } from "../../parts/element.js";
import { errorNote } from "../../parts/feedback.js";
import { LEVERS } from "./levers.js";

adopt(css`
  .job-head {
    display: grid;
    gap: var(--s3);
    margin-bottom: var(--s4);
  }

  .job-head .top {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: var(--s2) var(--s4);
  }

  .job-head .top > div:first-child {
    flex: 1 1 20rem;
    min-width: 0;
  }

  .job-head h1 {
    overflow-wrap: anywhere;
  }

  .job-head dl {
    display: flex;
    flex-wrap: wrap;
    gap: var(--s2) var(--s5);
    margin: 0;
  }

  .job-head dt {
    color: var(--muted);
    font-size: var(--tiny);
  }

  .job-head dd {
    margin: 0;
  }

`);

/** `pull(lever)` is called for a button; `failure` is what the last one answered. */
export function header({ job, title, stages }, now, pull, failure) {
  return html`<header class="job-head">
    <p class="small"><a href="#/jobs">Jobs</a></p>
    <div class="top"><div><h1>${title}</h1></div><div class="row">${buttons(job, pull)}</div></div>
    ${errorNote(failure)}
    <dl>${facts(job, stages, now)
      .filter(([, value]) => value)
      .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    ${job.error ? errorNote(job.error) : nothing}</header>`;
}

function buttons(job, pull) {
  if (!session.may("submit")) {
    return nothing;
  }
  return Object.entries(LEVERS)
    .filter(([name]) => job.levers?.includes(name))
    .map(
      ([, lever]) =>
        html`<button type="button" class="button ${lever.danger ? "danger" : ""}" @click=${() => pull(lever)}>${lever.icon}${lever.label}</button>`,
    );
}

/** Of the tasks, as in the list of jobs: the API's percentage counts whole stages. */
function progress(stages) {
  const sum = (field) => stages.reduce((all, { summary }) => all + summary[field], 0);
  return `${number(sum("completed"))} of ${count(sum("total"), "task")}`;
}

function facts(job, stages, now) {
  const over = job.endTime !== undefined;
  const state =
    job.waitsForApproval === undefined
      ? badge(job.status)
      : html`${badge(job.status)} ${gateBadge(`stage ${job.waitsForApproval} waits for approval`)}`;
  const at = (value) => value && html`<span title=${exactTime(value)}>${time(value)}</span>`;
  return [
    ["State", html`<span class="row" role="status">${state}</span>`],
    ["Completed", over ? undefined : progress(stages)],
    ["Priority", job.priority.toLowerCase().replace("_", " ")],
    ["Submitted", at(job.creationTime)],
    ["by", job.submittedBy && html`<a href=${link("jobs", { key: job.submittedBy })}>${job.submittedBy}</a>`],
    ["Started", at(job.startTime)],
    ["Ended", at(job.endTime)],
    [over ? "Took" : "Runs for", job.startTime && duration(between(job.startTime, job.endTime ?? new Date(now)))],
    ["Id", html`<code>${job.ownId ?? job.id}</code>`],
    ["Tags", job.tags?.length > 0 && job.tags.map((tag) => html`<a href=${link("jobs", { tag })}>${tag}</a> `)],
    ["Retry of", job.retryOf && html`<a class="mono" href=${jobLink(job.retryOf)}>${job.retryOf}</a>`],
    ["Belongs to", job.parent && html`<a class="mono" href=${jobLink(job.parent)}>${job.parent}</a>`],
    ["Open", job.sealed === false && !over && "more stages and tasks may come"],
  ];
}
