// All jobs: search, filters, actions on many.

import { html, nothing } from "lit";
import { serverUrl, session } from "../api/client.js";
import { count, number } from "../api/format.js";
import { go, jobLink, link, parseRoute, replaceRoute } from "../api/route.js";
import { live } from "../api/stream.js";
import { PageElement, adopt } from "../parts/element.js";
import { emptyState, errorNote, unsaid } from "../parts/feedback.js";
import { keyHint } from "../parts/command.js";
import "../parts/rows.js";
import { ACTIONS, bulkDialog } from "./jobs/bulk.js";
import { NARROW, cellStyles, cells, head } from "./jobs/cells.js";
import { isNarrowed, readFilters, remember, remembered } from "./jobs/filters.js";
import { JobWindow } from "./jobs/job-window.js";
import { listStyles } from "./jobs/list-styles.js";
import { Selection } from "./jobs/selection.js";
import "./jobs/filter-bar.js";

const REFRESH_MS = 1000;
const narrow = matchMedia(NARROW);

/** Where the list was when it was left, to be there again for who comes back from a job. */
let place = undefined;

adopt(cellStyles);

export class Jobs extends PageElement {
  static properties = { route: {} };

  static css = listStyles;

  #jobs = undefined;
  #hash = undefined;
  #opened = undefined; // the route of the list; another address may be shown before this view leaves
  #top = 0;
  #refreshed = 0;
  #timer = 0;
  #counts = "";
  #changed = false;
  #suggested = {};
  #known = { type: new Set(), model: new Set(), tag: new Set(), key: new Set() };
  #selection = new Selection(() => this.requestUpdate());

  connectedCallback() {
    super.connectedCallback();
    const { left } = this;
    const moved = () => this.#noteLive();
    live.addEventListener("change", moved);
    left.addEventListener("abort", () => live.removeEventListener("change", moved));
    narrow.addEventListener("change", () => this.requestUpdate(), { signal: left });
    this.#timer = setInterval(() => this.#tick(), REFRESH_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
    const rows = this.querySelector("mr-rows");
    // What is not in the document any more has no place of its own.
    place = rows === null ? undefined : { hash: this.#hash, top: this.#top, active: rows.active };
    this.#jobs?.close();
    this.#jobs = undefined;
    this.#hash = undefined;
  }

  reconnected() {
    this.#jobs?.refresh();
  }

  willUpdate() {
    if (this.route === this.#opened) {
      return;
    }
    this.#opened = this.route;
    if (this.#hash === location.hash) {
      return;
    }
    let filters = readFilters(this.route.query);
    if (Object.keys(filters).length === 0 && Object.keys(remembered()).length > 0) {
      // "Jobs" in the navigation comes back to what was looked at last; its address says so.
      filters = remembered();
      replaceRoute(link("jobs", filters));
    }
    this.#hash = location.hash;
    this.#open(filters);
  }

  updated() {
    const rows = this.querySelector("mr-rows");
    if (place !== undefined && rows !== null && this.#jobs.total !== undefined) {
      const { hash, top, active } = place;
      place = undefined;
      if (hash === this.#hash) {
        rows.active = active;
        rows.updateComplete.then(() => rows.scrollBack(top));
      }
    }
  }

  #open(filters) {
    this.#jobs?.close();
    this.#selection.clear();
    this.#top = 0;
    this.#jobs = new JobWindow(filters);
    this.#jobs.addEventListener("change", () => {
      if (this.#jobs.total !== undefined) {
        remember(filters); // not what the server refuses
      }
      this.#learn();
      this.requestUpdate();
    });
    this.#jobs.open();
    this.querySelector("mr-rows")?.scrollTo(0, 0);
  }

  render() {
    const jobs = this.#jobs;
    if (jobs === undefined) {
      return nothing;
    }
    return html`
      <h1 class="unseen">Jobs</h1>
      <mr-job-filters .filters=${jobs.filters} .known=${this.#suggested}
        @filters=${({ detail }) => this.#filter(detail)}></mr-job-filters>
      ${this.#failure(jobs)}
      <section class="panel list" aria-label="Jobs that match">
        ${this.#statusLine(jobs)}
        ${jobs.total === 0 && jobs.complete ? this.#nothing(jobs) : this.#rows(jobs)}
      </section>`;
  }

  #failure(jobs) {
    return jobs.error?.status === 400
      ? errorNote(jobs.error, () => this.#filter({ filters: {} }), "Clear filters")
      : errorNote(unsaid(jobs.error), () => jobs.refresh());
  }

  #rows(jobs) {
    if (jobs.total === undefined && jobs.error?.status > 0) {
      return nothing;
    }
    const may = session.may("submit");
    const cellsOf = (index) => {
      const job = jobs.row(index);
      const picked = may ? this.#selection.has(job?.id) : undefined;
      return cells(job, picked, (event) => this.#selection.pick(jobs, index, event.shiftKey));
    };
    return html`<mr-rows label="Jobs" .count=${jobs.total ?? 12} .height=${narrow.matches ? 60 : 48} .head=${head}
      .cells=${cellsOf} .selected=${may ? (index) => this.#selection.has(jobs.row(index)?.id) : undefined}
      aria-multiselectable=${may ? "true" : nothing} aria-busy=${String(jobs.total === undefined)}
      @scroll=${({ target }) => (this.#top = target.scrollTop)}
      @range=${({ detail }) => jobs.look(detail.first, detail.last)}
      @open=${({ detail }) => this.#show(jobs.row(detail.index))}
      @pick=${({ detail }) => may && this.#selection.pick(jobs, detail.index, detail.shiftKey)}></mr-rows>`;
  }

  #statusLine(jobs) {
    const selection = this.#selection;
    const amount = selection.size(jobs);
    const reading =
      !jobs.complete && jobs.known > 0
        ? html`<span class="muted small">${number(jobs.indexed)} of ${number(jobs.known)} read</span>`
        : nothing;
    const added =
      jobs.added > 0
        ? html`<button type="button" class="button" @click=${() => this.#open(jobs.filters)}>${count(jobs.added, "new job")}</button>`
        : nothing;
    return html`<div class="status-line">
      <span role="status">${this.#summary(jobs, amount)}</span>${reading}
      <span class="space"></span>${added}
      ${session.may("submit") && jobs.total > 0 ? this.#actions(jobs, amount) : nothing}</div>`;
  }

  #summary(jobs, amount) {
    if (jobs.total === undefined) {
      return html`<span class="muted">${jobs.error?.status > 0 ? "No jobs were read" : "Reading jobs…"}</span>`;
    }
    return amount > 0
      ? html`<strong>${number(amount)} of ${number(jobs.total)} selected</strong>`
      : html`${count(jobs.total, "job")}${isNarrowed(jobs.filters) ? html` <span class="muted">match</span>` : nothing}`;
  }

  #actions(jobs, amount) {
    const selection = this.#selection;
    if (amount === 0) {
      return html`<button type="button" class="button plain" @click=${() => selection.pickAll()}>Select all</button>`;
    }
    return html`
      ${
        selection.all
          ? nothing
          : html`<button type="button" class="button plain" @click=${() => selection.pickAll()}>All ${number(jobs.total)}</button>`
      }
      <button type="button" class="button plain" @click=${() => selection.clear()}>Clear</button>
      ${Object.entries(ACTIONS).map(
        ([action, { label, icon, danger }]) => html`<button type="button" title=${label}
        aria-label=${label} class="button ${danger ? "danger" : ""}" @click=${() => this.#act(action)}>${icon}<span>${label}</span></button>`,
      )}`;
  }

  async #act(action) {
    const jobs = this.#jobs;
    const picked = this.#selection.all ? undefined : await this.#selection.jobs(jobs);
    if (await bulkDialog(action, { picked, jobWindow: jobs })) {
      this.#selection.clear();
      jobs.refresh();
      this.querySelector("mr-rows")?.focus(); // the button that was pressed goes with the selection
    }
  }

  #nothing(jobs) {
    return isNarrowed(jobs.filters)
      ? emptyState({
          title: "No job matches",
          text: "Take a filter away, or look for less.",
          action: html`<button type="button" class="button" @click=${() => this.#filter({ filters: {} })}>Clear filters</button>`,
        })
      : emptyState({
          title: "No jobs yet",
          text: session.may("submit")
            ? "Submit a prompt on this page, or from a shell:"
            : "Submit a prompt from a shell:",
          command: `millrace work ${serverUrl} "Write a story with these words: mill, river."`,
          hint: keyHint(),
          action: session.may("submit") ? html`<a class="button primary" href="#/submit">Submit a job</a>` : undefined,
        });
  }

  #filter({ filters, typing = false }) {
    const address = link("jobs", filters);
    if (address === link("jobs")) {
      remember({}); // else they would come back
    }
    if (typing || address === location.hash) {
      replaceRoute(address);
      this.route = parseRoute();
    } else {
      go(address);
    }
  }

  #show(job) {
    if (job !== undefined) {
      go(jobLink(job.id));
    }
  }

  /** Anything that moved since the rows were fetched makes them old; tokens alone do not. */
  #noteLive() {
    const counts = JSON.stringify([live.latest?.jobs, live.latest?.tasks, live.latest?.jobsAtGate]);
    this.#changed ||= counts !== this.#counts;
    this.#counts = counts;
  }

  async #tick() {
    const jobs = this.#jobs;
    const due = this.#changed || !jobs?.complete || Date.now() - this.#refreshed > 10 * REFRESH_MS;
    if (jobs === undefined || document.hidden || !due) {
      return;
    }
    this.#changed = false;
    this.#refreshed = Date.now();
    await jobs.refresh();
    await jobs.countAdded(); // the rows may have fixed just now what counts as added
  }

  /** What the fields of the filters suggest is what the rows have shown. */
  #learn() {
    const before = this.#knownSize();
    for (let index = 0; index < 200; index++) {
      const job = this.#jobs.row(index);
      job?.types.forEach((type) => this.#known.type.add(type));
      job?.models.forEach((model) => this.#known.model.add(model));
      job?.tags.forEach((tag) => this.#known.tag.add(tag));
      if (job?.submittedBy) {
        this.#known.key.add(job.submittedBy);
      }
    }
    if (this.#knownSize() > before) {
      this.#suggested = Object.fromEntries(
        Object.entries(this.#known).map(([name, values]) => [name, [...values].sort()]),
      );
    }
  }

  #knownSize() {
    return Object.values(this.#known).reduce((sum, values) => sum + values.size, 0);
  }
}

customElements.define("mr-jobs", Jobs);
