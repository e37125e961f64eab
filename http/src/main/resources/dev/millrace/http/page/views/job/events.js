// Every entry of a job's log.

import { css, html, nothing } from "lit";
import { count, duration, exactTime, number } from "../../api/format.js";
import { PageElement } from "../../parts/element.js";
import { setStyle } from "../../parts/set-style.js";
import "../../parts/rows.js";
import { eventSubject, eventText, eventTone } from "./event-text.js";

const ROW = 30;

/**
 * <mr-job-events .source=${JobSource} .version=${n} .only=${{stage?, task?}}></mr-job-events>
 * dispatches "only" with the filter in `detail`, and "task" with {stage, task} for an entry about a task.
 */
export class JobEvents extends PageElement {
  static properties = { source: {}, version: {}, only: {}, opened: { state: true } };

  static css = css`
    mr-job-events mr-rows {
      max-height: min(36rem, 60dvh);
      border-top: 1px solid var(--line);
    }

    mr-job-events .tools {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: var(--s2) var(--s3);
      padding: var(--s2) var(--s4);
    }

    mr-job-events .tools input {
      width: 6rem;
    }

    mr-job-events .rows-row,
    mr-job-events .rows-head {
      display: grid;
      grid-template-columns: 4rem 6.5rem 6.5rem minmax(0, 1fr) 5rem;
      align-items: center;
      column-gap: var(--s3);
      padding: 0 var(--s4);
      font-size: var(--small);
      cursor: pointer;
    }

    mr-job-events .rows-head {
      height: 2rem;
      font-size: var(--tiny);
      cursor: default;
    }

    mr-job-events .is-good .text { color: var(--completed); }
    mr-job-events .is-bad .text { color: var(--failed); }
    mr-job-events .is-wait .text { color: var(--paused); }

    mr-job-events .entry {
      max-height: 20rem;
      padding: var(--s3) var(--s4);
      border-top: 1px solid var(--line);
      background: var(--sunken);
      overflow: auto;
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }

    @media (max-width: 60rem) {
      mr-job-events :is(.rows-row, .rows-head) {
        grid-template-columns: 5rem 4.5rem minmax(0, 1fr);
        column-gap: var(--s2);
        padding: 0 var(--s3);
      }

      mr-job-events :is(.in-number, .in-who) {
        display: none;
      }
    }
  `;

  #shown = [];
  #shownOf = "";

  constructor() {
    super();
    this.only = {};
  }

  willUpdate() {
    const { stage, task } = this.only;
    const { entries } = this.source;
    const key = `${entries.length} ${stage} ${task}`;
    if (this.#shownOf !== key) {
      this.#shownOf = key;
      this.#shown =
        stage === undefined
          ? entries
          : entries.filter((entry) => entry.stage === stage && (task === undefined || entry.task === task));
    }
  }

  render() {
    const shown = this.#shown;
    return html`<div class="tools">${this.#filter()}
        <span class="muted small" role="status">${count(shown.length, "entry", "entries")}</span>
        ${
          this.source.isCut
            ? html`<span class="small">of ${number(this.source.lastEvent)}
              <button type="button" class="button" @click=${() => this.source.readMore()}>Read more</button></span>`
            : nothing
        }</div>
      <mr-rows label="Log of the job" .count=${shown.length} .height=${ROW} .head=${head}
        .cells=${(index) => this.#cells(shown[index])} .rowClass=${(index) => `is-${eventTone(shown[index])}`}
        ${setStyle({ height: `${Math.min(shown.length, 60) * ROW + 34}px` })}
        @open=${({ detail }) => this.#open(shown[detail.index])}></mr-rows>
      ${
        this.opened
          ? html`<pre class="entry" tabindex="0" aria-label="Entry ${this.opened.n}">${JSON.stringify(this.opened, null, 2)}</pre>`
          : html`<p class="entry hint">Choose an entry to see all of it.</p>`
      }`;
  }

  #filter() {
    const { stage, task } = this.only;
    const tell = (only) => this.dispatchEvent(new CustomEvent("only", { detail: only }));
    return html`<select aria-label="Stage" @change=${({ target: { value } }) => tell(value === "" ? {} : { stage: Number(value) })}>
        <option value="" ?selected=${stage === undefined}>All stages</option>
        ${this.source.stages.map(
          ({ order, type }) => html`<option value=${order} ?selected=${order === stage}>${order} ${type}</option>`,
        )}</select>
      ${
        stage === undefined
          ? nothing
          : html`<input type="number" min="1" aria-label="Task" placeholder="task" .value=${String(task ?? "")}
            @change=${({ target: { value } }) => tell(value === "" ? { stage } : { stage, task: Number(value) })}>`
      }`;
  }

  #cells(entry) {
    const since = (Date.parse(entry.at) - this.source.timeline.created) / 1000;
    return html`<span role="gridcell" class="muted number in-number">${number(entry.n)}</span>
      <span role="gridcell" class="muted number" title=${exactTime(entry.at)}>+${offset(Math.max(0, since))}</span>
      <span role="gridcell" class="muted clip">${eventSubject(entry)}</span>
      <span role="gridcell" class="text clip" title=${eventText(entry)}>${eventText(entry)}</span>
      <span role="gridcell" class="muted clip in-who">${entry.on === "log" ? entry.level : (entry.by ?? "")}</span>`;
  }

  #open(entry) {
    this.opened = entry;
    if (entry.task) {
      this.dispatchEvent(new CustomEvent("task", { detail: { stage: entry.stage, task: entry.task } }));
    }
  }
}

/** Entries of one second follow each other, so that milliseconds matter. */
const offset = (seconds) => (seconds < 3600 ? `${seconds.toFixed(3)} s` : duration(seconds));

const head = html`<span role="columnheader" class="number in-number">Entry</span><span role="columnheader" class="number">After</span>
  <span role="columnheader">About</span><span role="columnheader">What happened</span><span role="columnheader" class="in-who">By</span>`;

customElements.define("mr-job-events", JobEvents);
