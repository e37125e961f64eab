// What the server does at this moment, and how the last hour went.

import { css, html, nothing } from "lit";
import { serverUrl, session } from "../api/client.js";
import { count, number, percent, rate } from "../api/format.js";
import { History } from "../api/history.js";
import { live } from "../api/stream.js";
import { PageElement } from "../parts/element.js";
import { emptyState, errorNote } from "../parts/feedback.js";
import "../parts/chart.js";
import { keyHint } from "../parts/command.js";
import { runningPanel } from "./now/running.js";
import { gatePanel, modelPanel, waitingPanel } from "./now/queue.js";

const EMPTY = { at: [] };
/** One column: what waits for somebody comes before all that runs. */
const narrow = matchMedia("(max-width: 56rem)");

export class Now extends PageElement {
  static properties = { route: { attribute: false }, columns: { state: true } };
  static live = true;

  static css = css`
    mr-now .gauges {
      display: grid;
      grid-template-columns: repeat(4, minmax(0, 1fr));
      gap: var(--s4);
      margin-bottom: var(--s4);
    }

    mr-now .gauge {
      padding: var(--s3) var(--s4) var(--s2);
    }

    mr-now .gauge h2 {
      color: var(--muted);
      font-size: var(--small);
      font-weight: 500;
    }

    mr-now .value {
      margin: 0.1rem 0 var(--s3);
      font-size: 1.625rem;
      font-weight: 600;
      letter-spacing: -0.02em;
      line-height: 1.2;
    }

    mr-now .value span {
      color: var(--muted);
      font-size: var(--small);
      font-weight: 400;
      letter-spacing: 0;
    }

    mr-now .gauge > * {
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }

    mr-now .gauge > mr-chart {
      overflow: visible;
    }

    mr-now .swatch {
      display: inline-block;
      width: 0.55em;
      height: 0.55em;
      border-radius: 50%;
      background: currentColor;
    }

    mr-now .columns {
      display: grid;
      grid-template-columns: minmax(0, 1.7fr) minmax(0, 1fr);
      align-items: start;
      gap: var(--s4);
    }

    mr-now .side {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: var(--s4);
    }

    @media (max-width: 68rem) {
      mr-now .gauges {
        grid-template-columns: repeat(2, minmax(0, 1fr));
      }
    }

    @media (max-width: 56rem) {
      mr-now .columns {
        grid-template-columns: minmax(0, 1fr);
      }
    }

    @media (max-width: 32rem) {
      mr-now .gauges {
        gap: var(--s2);
      }

      mr-now .gauge {
        padding: var(--s2) var(--s3);
      }

      mr-now .value {
        margin-bottom: var(--s2);
        font-size: 1.25rem;
      }

      mr-now .value span {
        display: block;
        min-height: 2lh; /* some need two lines; their charts stay in line */
        font-size: var(--tiny);
        line-height: 1.35;
        white-space: normal;
      }
    }
  `;

  #history = new History();
  #series = seriesOf(EMPTY);

  constructor() {
    super();
    this.columns = EMPTY;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#history.addEventListener("change", () => {
      this.columns = this.#history.columns;
      this.requestUpdate();
    }, { signal: this.left });
    this.#history.follow(this.left);
    narrow.addEventListener("change", () => this.requestUpdate(), { signal: this.left });
    const tick = setInterval(() => this.requestUpdate(), 1000); // times go on when no event comes
    this.left.addEventListener("abort", () => clearInterval(tick));
  }

  render() {
    const now = live.latest;
    return html`
      <div class="page-head"><h1>Now</h1><p class="muted">${now ? this.#sentence(now) : "Connecting…"}</p></div>
      ${errorNote(live.error ?? this.#history.error)}
      <div class="gauges">${this.#gauges(now)}</div>
      ${now === undefined ? nothing : this.#panels(now)}`;
  }

  #sentence(now) {
    const parts = [`${count(now.runningTotal, "task")} running`, `${count(now.waitingTotal, "job")} waiting`];
    if (now.jobsAtGate > 0) {
      parts.push(`${number(now.jobsAtGate)} for an approval`);
    }
    return parts.join(" · ");
  }

  willUpdate(changed) {
    if (changed.has("columns")) {
      this.#series = seriesOf(this.columns);
    }
  }

  #gauges(now) {
    const models = now?.models ?? [];
    const used = sum(models, "running");
    const all = sum(models, "slots");
    // The history is of all models together; how many pages each has is not known here.
    const pages = models.length === 1 ? models[0].cacheUsed : this.columns.cacheUsed?.at(-1);
    const wait = html`<i class="swatch is-paused"></i> tasks wait · <i class="swatch is-running"></i>
      ${number(now?.runningTotal)} run`;
    const prompts = `tokens/s · prompts ${rate(now?.rates.prompt)}`;
    const slots = all > 0 ? `${number(used)} of ${count(all, "slot")}` : "no model";
    const { throughput, queue, batch, cache } = this.#series;
    const at = this.columns.at;
    return [
      gauge("Throughput", rate(now?.rates.generated), prompts, at, rate, throughput),
      gauge("Queue", number(now?.tasks.PENDING), wait, at, number, queue),
      gauge("Batch fill", percent(all > 0 ? used / all : undefined), slots, at, percent, batch, 1),
      gauge("Cache", percent(pages), "of its pages in use", at, percent, cache, 1),
    ];
  }

  #panels(now) {
    if (now.runningTotal === 0 && now.waitingTotal === 0 && now.jobsAtGate === 0) {
      return html`<div class="side"><div class="panel">${idle()}</div>${modelPanel(now.models)}</div>`;
    }
    const gates = gatePanel(now);
    return html`<div class="columns">
      ${narrow.matches ? gates : nothing}${runningPanel(now)}
      <div class="side">${narrow.matches ? nothing : gates}${waitingPanel(now)}${modelPanel(now.models)}</div>
    </div>`;
  }
}

function sum(models, field) {
  return models.reduce((all, model) => all + model[field], 0);
}

/** Made once for each answer of the history: a chart is drawn again only when its series is another object. */
function seriesOf({ generated = [], prompt = [], running = [], waiting = [], batchFill = [], cacheUsed = [] }) {
  return {
    throughput: [
      { name: "generated", colour: "running", values: generated, area: true },
      { name: "prompts", colour: "gate", values: prompt, told: true },
    ],
    queue: [
      { name: "running", colour: "running", values: running },
      { name: "waiting", colour: "paused", values: waiting, area: true },
    ],
    batch: [{ name: "batch fill", colour: "running", values: batchFill, area: true }],
    cache: [{ name: "cache", colour: "running", values: cacheUsed, area: true }],
  };
}

function gauge(title, value, unit, at, format, series, top) {
  return html`<section class="panel gauge"><h2>${title}</h2>
    <p class="value">${value} <span>${unit}</span></p>
    <mr-chart .label=${title} .at=${at} .series=${series} .format=${format} .top=${top}></mr-chart></section>`;
}

function idle() {
  return emptyState({
    title: "Nothing runs, nothing waits",
    text: session.may("submit")
      ? "Submit a prompt here, or from a terminal. What it says appears here as it is generated."
      : "What is submitted appears here as it is generated. The key of this page may only read.",
    command: `millrace work ${serverUrl} "Write a short story."`,
    hint: keyHint(),
    action: session.may("submit")
      ? html`<a class="button primary" href="#/submit">Submit a prompt</a>`
      : html`<a class="button" href="#/jobs">See what has run</a>`,
  });
}

customElements.define("mr-now", Now);
