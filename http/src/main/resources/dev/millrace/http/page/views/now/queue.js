// What waits: for an approval, for its turn; and the models that it waits for.

import { css, html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { setStyle } from "../../parts/set-style.js";
import { between, count, duration, estimate, number, percent, stateLabel } from "../../api/format.js";
import { live } from "../../api/stream.js";
import { jobLink, link } from "../../api/route.js";
import { gateBadge } from "../../parts/badge.js";
import { adopt } from "../../parts/element.js";
import { session } from "../../api/client.js";

adopt(css`
  .queue-gate {
    display: flex;
    align-items: center;
    gap: var(--s3);
    padding: var(--s2) var(--s4);
    border-bottom: 1px solid var(--line);
  }

  .queue-gate:last-child {
    border-bottom: 0;
  }

  .queue-gate > div {
    flex: 1;
    min-width: 0;
  }

  .queue-name {
    max-width: 0;
    width: 100%;
  }

  .queue-name a {
    color: inherit;
    text-decoration: none;
  }

  .queue-name a:hover {
    text-decoration: underline;
  }

  .queue-meter {
    width: 4.5rem;
    height: 4px;
    margin: 0 0 0.3rem auto;
    border-radius: 2px;
    background: var(--line);
    overflow: hidden;
  }

  .queue-meter div {
    height: 100%;
    background: var(--running);
    transition: width 0.4s linear;
  }
`);

export function gatePanel(now) {
  if (now.jobsAtGate === 0) {
    return nothing;
  }
  const more = now.jobsAtGate - now.atGate.length;
  return html`<section class="panel" aria-labelledby="now-gates">
    <div class="head"><h2 id="now-gates">${gateBadge("Wait for approval")}</h2>
      <span class="muted small">${count(now.jobsAtGate, "job")}</span></div>
    ${repeat(now.atGate, (job) => job.stageId, (job) => html`<div class="queue-gate">
      <div><p class="clip">${job.name ?? job.ownId}</p><p class="muted small">before stage ${job.stage}</p></div>
      <a class="button" href=${jobLink(job.jobId)}
        aria-label="${session.may("submit") ? "Review" : "Open"} ${job.name ?? job.ownId}">${session.may("submit")
        ? "Review"
        : "Open"}</a></div>`)}
    ${more > 0
      ? html`<p class="body">
          <a href=${link("jobs", { waits_for_approval: "true" })}>All ${number(now.jobsAtGate)}</a></p>`
      : nothing}
  </section>`;
}

export function waitingPanel(now) {
  const more = now.waitingTotal - now.waiting.length;
  return html`<section class="panel" aria-labelledby="now-waiting">
    <div class="head"><h2 id="now-waiting">Waiting</h2>
      <span class="muted small">${count(now.waitingTotal, "job")}</span></div>
    ${now.waiting.length === 0
      ? html`<p class="body muted">Nothing waits.</p>`
      : html`<table class="data"><thead><tr><th class="number" scope="col">Place</th><th scope="col">Job</th>
          <th class="number" scope="col">Starts in</th></tr></thead>
          <tbody>${repeat(now.waiting, (job) => job.jobId, (job) => waitingRow(job))}</tbody></table>`}
    ${more > 0
      ? html`<p class="body small">
          <a href=${link("jobs", { status: "PENDING", sort: "oldest" })}>and ${number(more)} more</a></p>`
      : nothing}
  </section>`;
}

function waitingRow(job) {
  const priority = job.priority === "MEDIUM" ? "" : ` · ${stateLabel(job.priority)} priority`;
  const since = duration(Math.floor(between(job.creationTime, live.now())));
  return html`<tr><td class="number muted">${number(job.place)}</td>
    <td class="queue-name"><div class="clip"><a href=${jobLink(job.jobId)}>${job.name ?? job.ownId}</a></div>
      <div class="clip muted small">${job.type} · for ${since}${priority}</div></td>
    <td class="number nowrap">${estimate(job.etaSeconds)}</td></tr>`;
}

export function modelPanel(models) {
  if (models.length === 0) {
    return nothing;
  }
  return html`<section class="panel" aria-labelledby="now-models">
    <div class="head"><h2 id="now-models">Models</h2><a class="small" href="#/server">Details</a></div>
    <table class="data"><thead><tr><th scope="col">Model</th><th class="number" scope="col">Batch</th>
      <th class="number" scope="col">Cache</th></tr></thead>
      <tbody>${repeat(models, (model) => model.name, (model) => html`<tr>
        <td class="queue-name"><div class="clip" title=${model.name}>${model.name}</div>
          <div class="muted small clip">${number(model.running)} of ${count(model.slots, "slot")}${model.waiting > 0
            ? ` · ${number(model.waiting)} waiting`
            : nothing}</div></td>
        <td class="number">${meter(model.batchFill)}</td><td class="number">${meter(model.cacheUsed)}</td></tr>`)}
      </tbody></table>
  </section>`;
}

function meter(share) {
  const width = setStyle({ width: `${(share ?? 0) * 100}%` });
  return html`${percent(share)}<div class="queue-meter"><div ${width}></div></div>`;
}
