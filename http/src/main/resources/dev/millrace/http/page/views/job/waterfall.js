// Stages and tasks over time.

import { css, html, nothing } from "lit";
import { number, stateColour, stateLabel } from "../../api/format.js";
import { stateSign } from "../../parts/badge.js";
import { PageElement, adopt } from "../../parts/element.js";
import { icons } from "../../parts/icons.js";
import { setStyle } from "../../parts/set-style.js";
import "../../parts/rows.js";
import { barStyles, barsText, legend, track } from "./bars.js";
import { jobBars, jobScale, rowAt, rowRanges, stageBars } from "./rows-of.js";
import { markText, ruler } from "./time-scale.js";

const ROW = 28;

adopt(barStyles);

/**
 * <mr-job-waterfall .source=${JobSource} .now=${Date.now()} .picked=${{stage, task}}></mr-job-waterfall>
 * dispatches "task" with {stage, task} in `detail`.
 */
export class JobWaterfall extends PageElement {
  static properties = {
    source: {},
    now: {},
    picked: {},
    shorten: { state: true },
    folded: { state: true },
  };

  static css = css`
    mr-job-waterfall mr-rows {
      --label: 13rem;
      max-height: min(34rem, 60dvh);
      border-top: 1px solid var(--line);
    }

    mr-job-waterfall .tools {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      justify-content: space-between;
      gap: var(--s2) var(--s4);
      padding: var(--s3) var(--s4);
    }

    mr-job-waterfall :is(.rows-row, .rows-head) {
      display: grid;
      grid-template-columns: var(--label) minmax(0, 1fr);
      align-items: center;
      padding-right: var(--s4);
    }

    mr-job-waterfall .rows-row {
      cursor: pointer;
    }

    mr-job-waterfall .rows-row.is-stage {
      background: var(--sunken);
      font-weight: 550;
    }

    mr-job-waterfall .rows-row.is-picked {
      background: var(--accent-soft);
    }

    mr-job-waterfall .label {
      display: flex;
      align-items: center;
      gap: var(--s2);
      min-width: 0;
      padding: 0 var(--s3) 0 var(--s4);
      color: inherit;
      font-size: var(--small);
      font-weight: inherit;
    }

    mr-job-waterfall .is-task .label {
      padding-left: 2.4rem;
    }

    mr-job-waterfall .label svg {
      flex: none;
      width: 0.75rem;
      height: 0.75rem;
    }

    mr-job-waterfall .fold svg {
      transition: rotate 0.1s;
    }

    mr-job-waterfall .fold.is-open svg {
      rotate: 90deg;
    }

    mr-job-waterfall .rows-head .wf-track {
      height: 1.75rem;
    }

    mr-job-waterfall .mark {
      position: absolute;
      top: 0.4rem;
      left: calc(var(--at) * 100%);
      padding-left: 0.3rem;
      border-left: 1px solid var(--line-strong);
      white-space: nowrap;
    }

    @media (max-width: 60rem) {
      mr-job-waterfall mr-rows {
        --label: 7.5rem;
      }

      mr-job-waterfall .label {
        padding: 0 var(--s2) 0 var(--s3);
      }

      mr-job-waterfall .is-task .label {
        padding-left: 1.5rem;
      }
    }
  `;

  #line;
  #lineOf = "";
  #idle = false;

  constructor() {
    super();
    this.shorten = true;
    this.folded = new Set();
  }

  render() {
    const { timeline } = this.source;
    const ranges = rowRanges(timeline, this.folded);
    const count = ranges.at(-1).first + ranges.at(-1).count;
    const line = this.#scale(timeline);
    const rowOf = (index) => rowAt(ranges, index);
    const rowClass = (index) => {
      const { kind, stage, task } = rowOf(index);
      const picked = kind === "task" && this.picked?.stage === stage.number && this.picked.task === task;
      return `is-${kind} ${picked ? "is-picked" : ""}`;
    };
    return html`
      <div class="tools">${legend()}
        ${
          this.#idle
            ? html`<label class="row small"><input type="checkbox" .checked=${this.shorten}
          @change=${(event) => (this.shorten = event.target.checked)}>Shorten time in which nothing runs</label>`
            : nothing
        }</div>
      <mr-rows label="Stages and tasks over time" .count=${count} .height=${ROW} .head=${this.#head(line)}
        .cells=${(index) => this.#cells(rowOf(index), line)} .rowClass=${rowClass}
        ${setStyle({ height: `${Math.min(count, 60) * ROW + 30}px` })}
        @open=${({ detail }) => this.#open(rowOf(detail.index))}></mr-rows>`;
  }

  /** The scale; the stretches in which nothing runs are looked for only when the log has grown. */
  #scale(timeline) {
    const key = `${timeline.lastEvent} ${this.shorten} ${timeline.ended === null ? Math.floor(this.now / 1000) : ""}`;
    if (this.#lineOf !== key) {
      const short = jobScale(timeline, this.now, true);
      this.#idle = short.idle.length > 0;
      this.#line = this.shorten ? short : jobScale(timeline, this.now, false);
      this.#lineOf = key;
    }
    return this.#line;
  }

  /** A task that the address names is brought into sight. */
  updated(changes) {
    if (!changes.has("picked") || this.picked === undefined) {
      return;
    }
    const { stage, task } = this.picked;
    const before = changes.get("picked");
    const range = rowRanges(this.source.timeline, this.folded).find(
      (one) => one.kind === "tasks" && one.stage.number === stage,
    );
    if (range !== undefined && task <= range.count && (before?.stage !== stage || before.task !== task)) {
      const rows = this.querySelector("mr-rows");
      rows.updateComplete.then(() => rows.show(range.first + task - 1));
    }
  }

  #head(line) {
    const marks = ruler(line, innerWidth < 700 ? 3 : 8);
    return html`<span role="columnheader" class="label"><span class="clip">Since it was submitted</span></span>
      <span role="columnheader" class="wf-track"><span class="unseen">Time</span>${marks.map(
        ({ at, ms }) =>
          html`<span class="mark" aria-hidden="true" ${setStyle({ "--at": at })}>${markText(ms)}</span>`,
      )}</span>`;
  }

  #cells(row, line) {
    const bars = this.#bars(row);
    return html`<span role="gridcell" class="label">${this.#label(row)}</span>
      <span role="gridcell" class="wf-track"><span class="unseen">${barsText(bars, this.now)}</span>
        ${track(bars, line, this.now)}</span>`;
  }

  #bars({ kind, stage, task }) {
    const { timeline } = this.source;
    if (kind === "task") {
      return timeline.task(stage.number, task).bars;
    }
    return kind === "stage" ? stageBars(stage) : jobBars(timeline);
  }

  #label({ kind, stage, task }) {
    if (kind === "job") {
      return html`<span class="clip">Job</span>`;
    }
    if (kind === "stage") {
      const open = !this.folded.has(stage.number);
      return html`<span class="fold ${open ? "is-open" : ""}">${icons.next}</span>
        <span class="clip">${stage.number} ${stage.type}</span><span class="unseen">${open ? "unfolded" : "folded"}</span>
        <span class="muted">${number(stage.total)}</span>`;
    }
    const { state, attempts } = this.source.timeline.task(stage.number, task);
    return html`<span class="state is-${stateColour(state)}">${stateSign(state)}</span><span class="unseen">${stateLabel(state)}</span>
      <span class="clip">task ${stage.number}/${task}${attempts > 1 ? html` <span class="muted">×${attempts}</span>` : nothing}</span>`;
  }

  #open({ kind, stage, task }) {
    if (kind === "task") {
      this.dispatchEvent(new CustomEvent("task", { detail: { stage: stage.number, task } }));
    } else if (kind === "stage") {
      const folded = new Set(this.folded);
      if (!folded.delete(stage.number)) {
        folded.add(stage.number);
      }
      this.folded = folded;
    }
  }
}

customElements.define("mr-job-waterfall", JobWaterfall);
