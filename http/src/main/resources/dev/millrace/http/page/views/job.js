// One job: its head, its stages and tasks over time in three depths, and one of its tasks.

import { css, html, nothing } from "lit";
import { go, jobLink, parseRoute, replaceRoute } from "../api/route.js";
import { number } from "../api/format.js";
import { PageElement } from "../parts/element.js";
import { emptyState, errorNote, unsaid } from "../parts/feedback.js";
import { header } from "./job/header.js";
import { approve } from "./job/levers.js";
import { JobSource, ended } from "./job/source.js";
import { summary } from "./job/summary.js";
import "./job/events.js";
import "./job/task.js";
import "./job/waterfall.js";

const DEPTHS = { summary: "Summary", timeline: "Timeline", events: "Events" };
const TICK_MS = 1000;

export class Job extends PageElement {
  static properties = { route: {}, now: { state: true }, failure: { state: true } };

  static css = css`
    mr-job .tabs {
      padding: 0 var(--s2);
    }

    mr-job mr-job-task {
      margin-top: var(--s4);
    }

    mr-job mr-job-task > .head {
      display: flex;
      align-items: center;
      justify-content: space-between;
    }
  `;

  #source = undefined;
  #timer = 0;

  constructor() {
    super();
    this.now = Date.now();
  }

  connectedCallback() {
    super.connectedCallback();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
    this.#source?.close();
    this.#source = undefined;
  }

  reconnected() {
    this.#source?.refresh();
  }

  willUpdate() {
    const id = this.route?.path[0];
    if (id !== undefined && this.#source?.id !== id) {
      this.#source?.close();
      this.failure = undefined;
      const source = new JobSource(id);
      this.#source = source;
      source.addEventListener("change", () => {
        this.now = Date.now();
        this.requestUpdate();
      });
      source.refresh();
    }
  }

  render() {
    const source = this.#source;
    if (source?.missing) {
      return this.#gone();
    }
    if (source?.job === undefined || source.timeline === undefined) {
      return html`<h1 class="unseen">Job</h1>${
        source?.error ? errorNote(source.error, () => source.refresh()) : html`<p class="muted">Reading the job…</p>`
      }`;
    }
    const { job } = source;
    const picked = this.#picked(source);
    return html`
      ${header(source, this.now, (lever) => this.#pull(() => lever.pull(job)), this.failure)}
      ${errorNote(unsaid(source.error), () => source.refresh())}
      <section class="panel" aria-label="Stages and tasks">
        <nav class="tabs" aria-label="Depth">${Object.entries(DEPTHS).map(([name, label]) => this.#tab(name, label))}</nav>
        ${this.#depth(source, picked)}
      </section>
      ${
        picked
          ? html`<mr-job-task class="panel" .source=${source} .version=${source.lastEvent} .stage=${picked.stage}
            .task=${picked.task}></mr-job-task>`
          : nothing
      }`;
  }

  updated() {
    if (this.#source?.title) {
      document.title = `${this.#source.title.slice(0, 60)} · Millrace`;
    }
  }

  get #view() {
    const view = this.route.query.get("view");
    return view in DEPTHS ? view : "summary";
  }

  #tab(name, label) {
    const here = this.#view === name;
    return html`<a href=${this.#address({ view: name })} aria-current=${here ? "page" : nothing}>${label}${
      name === "events" && this.#source.lastEvent > 0
        ? html` <span class="muted">${number(this.#source.lastEvent)}</span>`
        : nothing
    }</a>`;
  }

  #depth(source, picked) {
    switch (this.#view) {
      case "timeline":
        return html`<mr-job-waterfall .source=${source} .now=${this.now} .picked=${picked}
          @task=${({ detail }) => this.#pick(detail)}></mr-job-waterfall>`;
      case "events":
        return html`<mr-job-events .source=${source} .version=${source.lastEvent} .only=${this.#only()}
          @only=${({ detail }) => this.#change({ only: join(detail) })}
          @task=${({ detail }) => this.#pick(detail)}></mr-job-events>`;
      default:
        return summary(source, this.now, (stage) => this.#pull(() => approve(stage)));
    }
  }

  /** The task that is shown: the one in the address, or the only one there is. */
  #picked(source) {
    const { stage, task } = split(this.route.query.get("task"));
    if (stage !== undefined && task !== undefined && source.stage(stage) !== undefined) {
      return { stage, task };
    }
    const only = source.stages.length === 1 && source.stages[0].summary.total === 1;
    return only ? { stage: 1, task: 1 } : undefined;
  }

  #only() {
    return split(this.route.query.get("only"));
  }

  #pick(detail) {
    this.#change({ task: join(detail) });
    this.updateComplete.then(() =>
      this.querySelector("mr-job-task")?.scrollIntoView({ block: "nearest", behavior: "smooth" }),
    );
  }

  #address(changes) {
    return jobLink(this.route.path[0], { ...Object.fromEntries(this.route.query), ...changes });
  }

  /** Sets a part of the address in place: going back leaves the job and does not replay every click. */
  #change(changes) {
    const address = this.#address(changes);
    replaceRoute(address);
    this.route = { ...this.route, query: new URLSearchParams(address.split("?")[1] ?? "") };
  }

  async #pull(action) {
    this.failure = undefined;
    try {
      await action();
    } catch (error) {
      this.failure = error;
    }
    if (this.#source?.id === parseRoute().path[0]) {
      await this.#source.refresh(); // also after a refusal: the job is not as it was shown, or not there any more
    }
  }

  #tick() {
    const job = this.#source?.job;
    if (job !== undefined && !ended(job.status) && !document.hidden) {
      this.now = Date.now();
    }
  }

  #gone() {
    return html`<h1 class="unseen">No such job</h1>${emptyState({
      title: "This job is not here any more",
      text: html`There is no job <code>${this.route.path[0]}</code>. It was pruned or deleted, it moved to another
        workspace, or its id is wrong.`,
      action: html`<button type="button" class="button" @click=${() => go("#/jobs")}>All jobs</button>`,
    })}`;
  }
}

/** "2.7" -> { stage: 2, task: 7 }; "2" -> { stage: 2 }. */
function split(text) {
  const [stage, task] = (text ?? "").split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : undefined));
  return stage === undefined ? {} : { stage, task };
}

const join = ({ stage, task }) => (stage === undefined ? "" : task === undefined ? `${stage}` : `${stage}.${task}`);

customElements.define("mr-job", Job);
