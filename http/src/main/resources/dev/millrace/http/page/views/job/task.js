// One task: what it was asked, what came of it or comes now, what its worker said, and whether it can be repeated.

import { html, nothing } from "lit";
import { api } from "../../api/client.js";
import { between, duration, exactTime, time } from "../../api/format.js";
import { stream } from "../../api/stream.js";
import { badge } from "../../parts/badge.js";
import { PageElement } from "../../parts/element.js";
import { errorNote, toast } from "../../parts/feedback.js";
import { icons } from "../../parts/icons.js";
import { eventText } from "./event-text.js";
import { input } from "./input.js";
import { receipt } from "./receipt.js";
import { taskId } from "./source.js";
import { taskStyles } from "./task-styles.js";
import "./verify.js";

/** More lines of a worker would be a log, which the view "events" has. */
const MOST_LINES = 500;

/** <mr-job-task .source=${JobSource} .version=${n} .stage=${1} .task=${1}></mr-job-task> */
export class JobTask extends PageElement {
  static properties = {
    source: {},
    version: {},
    stage: { type: Number },
    task: { type: Number },
    data: { state: true },
    error: { state: true },
    text: { state: true },
  };

  static css = taskStyles;

  #reading = new AbortController();
  #of = "";
  #state = "";

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#reading.abort();
    this.#of = "";
  }

  willUpdate() {
    const stage = this.source.stage(this.stage);
    const id = stage === undefined ? "" : taskId(stage.id, this.task);
    // The log says when the task has moved; only then is it read again.
    const { state, attempts } = this.source.timeline.task(this.stage, this.task);
    const key = `${state} ${attempts}`;
    if (id !== "" && id !== this.#of) {
      this.#of = id;
      this.data = undefined;
      this.text = "";
      this.#state = key;
      this.#read(id, true);
    } else if (id !== "" && key !== this.#state) {
      this.#state = key;
      this.#read(id, false);
    }
  }

  async #read(id, first) {
    if (first) {
      this.#reading.abort();
      this.#reading = new AbortController();
    }
    const { signal } = this.#reading;
    try {
      this.data = await api.get(`/v1/tasks/${id}`, {}, { signal });
      this.error = undefined;
    } catch (error) {
      if (error.name !== "AbortError") {
        this.error = error;
      }
      return;
    }
    // A failed or aborted task may have left a text, too.
    if (first && this.data.status !== "COMPLETED") {
      this.#follow(id, signal);
    }
  }

  #follow(id, signal) {
    stream(`/v1/tasks/${id}/output`, {
      signal,
      onEvent: (name, data) => {
        if (name === "output") {
          this.text = data.restarted ? data.text : this.text + data.text;
        } else if (name === "end") {
          this.#read(id, false);
          return false;
        }
        return true;
      },
      onEnd: (error) => (this.error = error),
    });
  }

  render() {
    const { data } = this;
    return html`<div class="head"><h2>Task ${this.stage}/${this.task}</h2>${data ? badge(data.status) : nothing}</div>
      ${errorNote(this.error)}
      ${
        data
          ? html`<div class="parts">
        <div class="main">${this.#input(data)}${this.#output(data)}</div>
        <div class="side">${this.#facts(data)}${this.#receipt(data)}${this.#lines()}</div></div>`
          : html`<section class="muted">${this.error ? nothing : "Reading the task…"}</section>`
      }`;
  }

  #input(data) {
    return html`<section><h3>Input</h3>${input(data.data)}</section>`;
  }

  #output(data) {
    const done = data.status === "COMPLETED";
    const text = done ? (data.result ?? "") : this.text;
    const thoughts = data.receipt?.thoughts;
    const title = done ? "Output" : data.status === "IN_PROGRESS" ? "Output, as it comes" : "Output so far";
    return html`<section><h3>${title}${
      text === ""
        ? nothing
        : html`<button type="button" class="button plain icon"
        aria-label="Copy the output" title="Copy" @click=${() => copy(text)}>${icons.copy}</button>`
    }</h3>
      ${thoughts ? html`<details><summary>Thoughts</summary><pre class="words muted" tabindex="0">${thoughts}</pre></details>` : nothing}
      ${data.error ? errorNote(data.error) : nothing}
      ${text === "" ? html`<p class="muted">${WAITS[data.status] ?? "There is none."}</p>` : this.#words(text, data)}</section>`;
  }

  #words(text, { resultKind }) {
    if (resultKind === "EMBEDDING") {
      return embedding(text);
    }
    const code = /^\s*[[{]/.test(text) ? "code" : "";
    return html`<pre class="words ${code}" tabindex="0" aria-label="Output">${text}</pre>`;
  }

  updated() {
    // A text that grows stays at its end, unless somebody has scrolled up.
    const words = this.querySelector('.words[aria-label="Output"]');
    if (
      this.data?.status === "IN_PROGRESS" &&
      words !== null &&
      words.scrollHeight - words.scrollTop < words.clientHeight + 80
    ) {
      words.scrollTop = words.scrollHeight;
    }
  }

  #facts(data) {
    const rows = [
      ["Attempts", `${data.attempts} failed of at most ${data.maxAttempts}`],
      ["Worker", data.worker],
      ["Started", data.startTime && html`<span title=${exactTime(data.startTime)}>${time(data.startTime)}</span>`],
      ["Took", data.startTime && data.endTime && duration(between(data.startTime, data.endTime))],
      ["Not before", data.notBefore && data.status === "RETRIED" && time(data.notBefore)],
      ["Adopted from", data.adoptedFrom && `${data.adoptedFrom.job}, task ${data.adoptedFrom.task}`],
      ["Id", html`<span class="mono">${data.id}</span>`],
    ];
    return html`<section><h3>Task</h3><dl class="facts">${rows
      .filter(([, value]) => value)
      .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`;
  }

  #receipt(data) {
    if (data.receipt === undefined) {
      return nothing;
    }
    const repeatable = data.status === "COMPLETED" && data.receipt.model !== undefined && data.resultKind === undefined;
    return html`<section><h3>Receipt</h3>${receipt(data.receipt)}
      ${repeatable ? html`<mr-job-verify .task=${data.id}></mr-job-verify>` : nothing}</section>`;
  }

  #lines() {
    const all = this.source.entries.filter(
      (entry) => entry.stage === this.stage && entry.task === this.task && entry.on === "log",
    );
    const lines = all.slice(-MOST_LINES);
    return lines.length === 0
      ? nothing
      : html`<section><h3>Worker's log</h3><ul class="lines" tabindex="0" aria-label="Worker's log">${lines.map(
          (entry) => html`<li><span class="muted">${time(entry.at)} ${entry.level}</span> ${eventText(entry)}</li>`,
        )}</ul></section>`;
  }
}

const WAITS = {
  CREATED: "Its stage has not opened.",
  PENDING: "It waits for a worker.",
  RETRIED: "It waits to be tried again.",
  IN_PROGRESS: "Nothing has come yet.",
  COMPLETED: "The output is empty.",
};

function embedding(text) {
  try {
    const { vector } = JSON.parse(text);
    return html`<p class="small muted">A vector of ${vector.length} numbers</p>
      <pre class="words code" tabindex="0" aria-label="Output">${vector.join(", ")}</pre>`;
  } catch {
    return html`<pre class="words code" tabindex="0" aria-label="Output">${text}</pre>`;
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied");
  } catch {
    toast("The browser does not let this page copy; mark the text instead");
  }
}

customElements.define("mr-job-task", JobTask);
