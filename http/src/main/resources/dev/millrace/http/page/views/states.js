// The state machines, drawn from the server's own tables, with how many jobs, stages and tasks are in each state now.

import { css, html, nothing } from "lit";
import { api } from "../api/client.js";
import { number, stateLabel } from "../api/format.js";
import { link } from "../api/route.js";
import { live } from "../api/stream.js";
import { badge } from "../parts/badge.js";
import { PageElement } from "../parts/element.js";
import { errorNote } from "../parts/feedback.js";
import { actorLegend, drawing, layoutOf } from "./states/drawing.js";

const OF_JOBS = "A state leads to the jobs that may have one in it; not every one of them has.";

const TITLES = {
  job: ["Job", "What a user submits: stages that run one after the other."],
  stage: [
    "Stage",
    `A step of a job. Its tasks run at the same time; a gate holds it until somebody approves. ${OF_JOBS}`,
  ],
  task: ["Task", `What one worker takes, under a lease, and answers. ${OF_JOBS}`],
  sequence: [
    "Sequence",
    "One step of a text inside the engine, on its way through a model's layers. It has no counts: a sequence " +
      "passes through these states many times a second, and none of them is stored.",
  ],
};

const ACTORS = { USER: "user", WORKER: "worker", SYSTEM: "system" };

/**
 * Stages and tasks have no list of their own: their states lead to the jobs that may have such ones. A pause of a job
 * leaves its stages and tasks as they are; so does a failure with its later stages and with what has completed.
 */
const JOBS_OF = {
  CREATED: { status: "PENDING,IN_PROGRESS,PAUSED,FAILED" },
  PENDING: { status: "PENDING,IN_PROGRESS,PAUSED" },
  WAITING: { waits_for_approval: "true" },
  IN_PROGRESS: { status: "IN_PROGRESS,PAUSED" },
  RETRIED: { status: "IN_PROGRESS,PAUSED" },
  COMPLETED: { status: "IN_PROGRESS,PAUSED,COMPLETED,FAILED,ABORTED" },
  FAILED: { status: "FAILED" },
  ABORTED: { status: "ABORTED,FAILED" },
};

export class States extends PageElement {
  static live = true;
  static properties = { route: {}, machines: { state: true }, error: { state: true } };

  static css = css`
    mr-states .panel {
      margin-top: var(--s4);
    }

    mr-states .panel > .about {
      padding: var(--s3) var(--s4) 0;
      color: var(--muted);
    }

    mr-states .panel > .machine {
      padding: var(--s4) var(--s2);
    }

    mr-states details {
      border-top: 1px solid var(--line);
    }

    mr-states details > summary {
      padding: var(--s3) var(--s4);
      color: var(--muted);
      cursor: pointer;
    }

    mr-states td {
      white-space: nowrap;
    }

    mr-states td:nth-last-child(3) {
      white-space: normal;
    }

    mr-states td:last-child {
      min-width: 16rem;
      white-space: normal;
    }
  `;

  #places = new Map();

  connectedCallback() {
    super.connectedCallback();
    this.#read();
  }

  reconnected() {
    this.#read();
  }

  async #read() {
    try {
      const { machines } = await api.get("/v1/state-machines", {}, { signal: this.left });
      this.#places = new Map(machines.map((machine) => [machine.entity, layoutOf(machine)]));
      this.machines = machines;
      this.error = undefined;
    } catch (error) {
      if (error.name !== "AbortError") {
        this.error = error;
      }
    }
  }

  render() {
    return html`<div class="page-head"><h1>State machines</h1>${actorLegend()}</div>
      ${errorNote(this.error, () => this.#read())}
      ${
        live.latest?.countsComplete === false
          ? html`<p class="hint" role="status">The server still counts the jobs that were there when it started.</p>`
          : nothing
      }
      ${(this.machines ?? []).map((machine) => this.#machine(machine))}`;
  }

  #machine(machine) {
    const { entity } = machine;
    const [title, about] = TITLES[entity] ?? [entity, ""];
    const counts = live.latest?.[`${entity}s`];
    const target = (state) => (counts === undefined || entity === "sequence" ? undefined : addressOf(entity, state));
    return html`<section class="panel" aria-labelledby="machine-${entity}">
      <div class="head"><h2 id="machine-${entity}">${title}</h2></div>
      <p class="about">${about}</p>
      ${drawing(machine, this.#places.get(entity), counts, target)}
      <details><summary>As a table</summary>${table(machine, counts)}</details></section>`;
  }
}

function addressOf(entity, state) {
  return link("jobs", entity === "job" ? { status: state } : JOBS_OF[state]);
}

function table({ entity, states, transitions }, counts) {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Tables of the ${entity}">
    ${
      counts === undefined
        ? nothing
        : html`<table class="data"><caption class="unseen">How many are in each state</caption>
      <thead><tr><th scope="col">State</th><th scope="col" class="number">Now</th><th scope="col">Final</th></tr></thead>
      <tbody>${states.map(
        ({ name, final }) => html`<tr><td>${badge(name)}</td>
        <td class="number">${number(counts[name] ?? 0)}</td><td>${final ? "yes" : ""}</td></tr>`,
      )}</tbody></table>`
    }
    <table class="data"><caption class="unseen">What leads from one state to another</caption>
      <thead><tr><th scope="col">Event</th><th scope="col">By</th><th scope="col">From</th><th scope="col">To</th>
        <th scope="col">When</th></tr></thead>
      <tbody>${transitions.map(
        ({ event, by, from, to, when }) => html`<tr><td>${stateLabel(event)}</td>
        <td>${(by ?? []).map((actor) => ACTORS[actor] ?? actor).join(", ")}</td><td>${from.map(stateLabel).join(", ")}</td>
        <td>${stateLabel(to)}</td><td class="muted">${when ?? ""}</td></tr>`,
      )}</tbody></table></div>`;
}

customElements.define("mr-states", States);
