// The tasks that run, with the end of what each has written so far.

import { css, html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { setStyle } from "../../parts/set-style.js";
import { between, count, duration, number, rate } from "../../api/format.js";
import { live } from "../../api/stream.js";
import { jobLink } from "../../api/route.js";
import { adopt } from "../../parts/element.js";

adopt(css`
  .run {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 0 var(--s4);
    padding: var(--s3) var(--s4);
    border-bottom: 1px solid var(--line);
    content-visibility: auto; /* of a hundred tasks, a few are on the screen */
    contain-intrinsic-size: auto 7.5rem;
  }

  .run:last-child {
    border-bottom: 0;
  }

  .run .name {
    color: inherit;
    font-weight: 550;
    text-decoration: none;
  }

  .run .name:hover {
    text-decoration: underline;
  }

  .run .speed {
    text-align: right;
    white-space: nowrap;
  }

  .run .about {
    color: var(--muted);
    font-size: var(--small);
  }

  .run .said {
    grid-column: 1 / -1;
    display: flex;
    flex-direction: column;
    justify-content: flex-end;
    height: 3.9em; /* three lines, whatever comes: nothing below moves */
    margin-top: var(--s2);
    overflow: hidden;
    color: var(--text);
    font: var(--tiny) / 1.3 var(--mono);
  }

  .run .text {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }

  .run .said i {
    display: inline-block;
    width: 0.5em;
    height: 1em;
    margin-left: 1px;
    background: var(--running);
    vertical-align: text-bottom;
    animation: run-blink 1.1s steps(2, jump-none) infinite;
  }

  .run .progress {
    height: 4px;
    margin: auto 0 var(--s2);
    border-radius: 2px;
    background: var(--line);
    overflow: hidden;
  }

  .run .progress div {
    height: 100%;
    background: var(--gate);
    transition: width 0.4s linear;
  }

  @keyframes run-blink {
    to {
      opacity: 0;
    }
  }
`);

export function runningPanel(now) {
  const more = now.runningTotal - now.running.length;
  return html`<section class="panel" aria-labelledby="now-running">
    <div class="head"><h2 id="now-running">Running</h2>
      <span class="muted small">${count(now.runningTotal, "task")}</span></div>
    ${now.running.length === 0
      ? html`<p class="body muted">Nothing runs. What waits is on this page too.</p>`
      : repeat(now.running, (task) => task.taskId, (task) => run(task))}
    ${more > 0 ? html`<p class="body muted">and ${number(more)} more, which began later</p>` : nothing}
  </section>`;
}

function run(task) {
  const by = task.type === "generate" || task.worker === "" ? nothing : ` · ${task.worker}`;
  const said = task.phase === "generate" || task.phase === "prefill" || task.text;
  return html`<article class="run">
    <div class="clip"><a class="name" href=${jobLink(task.jobId)}>${task.name ?? task.ownId}</a></div>
    <div class="speed">${speed(task)}</div>
    <div class="about clip">${task.model ?? task.type} · stage ${task.stage}, task ${task.task}${by}</div>
    <div class="about number">${duration(Math.floor(between(task.startTime, live.now())))}</div>
    ${said ? html`<div class="said">${task.phase === "prefill" ? prefill(task) : text(task)}</div>` : nothing}
  </article>`;
}

function speed(task) {
  if (task.phase === "generate") {
    return html`${rate(task.tokensPerSecond)} <span class="muted">tokens/s</span>`;
  }
  return html`<span class="muted">${{ starting: "starts", prefill: "reads the prompt" }[task.phase] ?? "runs"}</span>`;
}

function prefill(task) {
  if (task.promptDone === undefined) {
    return nothing; // a short prompt is read before there is anything to say
  }
  const share = task.promptTotal > 0 ? task.promptDone / task.promptTotal : 0;
  return html`<span class="about">${number(task.promptDone)} of ${number(task.promptTotal)} tokens of the prompt</span>
    <div class="progress" role="progressbar" aria-label="Prompt" aria-valuemin="0"
      aria-valuemax=${task.promptTotal ?? 0} aria-valuenow=${task.promptDone ?? 0}>
      <div ${setStyle({ width: `${share * 100}%` })}></div></div>`;
}

/** The end of the output; the mark at its end says that more may come. */
function text(task) {
  const shown = task.text ?? "";
  const cut = (task.textLength ?? 0) > shown.length;
  return html`<div class="text">${cut ? "…" : nothing}${shown}<i></i></div>`;
}
