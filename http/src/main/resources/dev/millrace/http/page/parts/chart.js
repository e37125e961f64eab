// A line chart over time as SVG. It draws in pixels of its own width, so that lines and labels keep their weight.

import { css, html, nothing, svg } from "lit";
import { setStyle } from "./set-style.js";
import { PageElement } from "./element.js";
import { chartPaths, niceTop } from "./chart-paths.js";

const HEIGHT = 114;
const TOP = 16;
const BASE = 94;
/** A young server shows all that it has, an old one the last hour: seconds, and the words at the axis. */
const SPANS = [
  { seconds: 600, words: ["10 min", "5 min", "now"] },
  { seconds: 1800, words: ["30 min", "15 min", "now"] },
  { seconds: 3600, words: ["1 h", "30 min", "now"] },
];

/**
 * <mr-chart label=… .at=${seconds} .series=${[{ name, colour, values, area?, told? }]} .format=${number} .top=${1}>
 * `top` fixes the scale; without it, the scale follows the highest value. `colour` is the name of a token. A series
 * that is only `told` has no line: it is of another magnitude, and shown where one points.
 */
export class Chart extends PageElement {
  static properties = {
    label: {},
    at: { attribute: false },
    series: { attribute: false },
    format: { attribute: false },
    top: { attribute: false },
    width: { state: true },
    pointed: { state: true },
  };

  static css = css`
    mr-chart {
      position: relative;
      display: block;
      height: ${HEIGHT}px;
    }

    mr-chart svg {
      display: block;
      width: 100%;
      height: 100%;
      overflow: visible;
      touch-action: pan-y;
    }

    mr-chart .grid {
      stroke: var(--line);
      shape-rendering: crispEdges;
    }

    mr-chart .line {
      fill: none;
      stroke-width: 1.5;
      stroke-linejoin: round;
    }

    mr-chart .area {
      stroke: none;
      opacity: 0.13;
    }

    mr-chart text {
      fill: var(--muted);
      font-size: 11px;
    }

    mr-chart .cursor {
      stroke: var(--line-strong);
    }

    mr-chart .readout {
      position: absolute;
      z-index: 2;
      top: -0.5rem;
      padding: 0.2rem 0.5rem;
      border: 1px solid var(--line-strong);
      border-radius: 4px;
      background: var(--surface);
      font-size: var(--tiny);
      line-height: 1.45;
      white-space: nowrap;
      pointer-events: none;
    }
  `;

  #sizes = undefined;

  constructor() {
    super();
    this.label = "";
    this.at = [];
    this.series = [];
    this.format = String;
    this.width = 280;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#sizes = new ResizeObserver(([entry]) => (this.width = Math.max(80, Math.round(entry.contentRect.width))));
    this.#sizes.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#sizes.disconnect();
  }

  render() {
    const top = this.top ?? niceTop(this.#drawn().flatMap((one) => one.values));
    const end = Math.max(this.at.at(-1) ?? 0, Math.floor(Date.now() / 1000));
    const span = SPANS.find(({ seconds }) => end - (this.at[0] ?? end) <= seconds) ?? SPANS.at(-1);
    const x = (at) => this.width - ((end - at) / span.seconds) * this.width;
    const y = (value) => BASE - (Math.min(value, top) / top) * (BASE - TOP);
    this.#scale = { x, end, span };
    return html`<svg viewBox="0 0 ${this.width} ${HEIGHT}" role="img" aria-label=${this.#summary()}
        @pointermove=${this.#point} @pointerdown=${this.#point} @pointerleave=${() => (this.pointed = undefined)}>
        ${this.#grid(top, y, span.words)}
        ${this.#drawn().map((one) => this.#line(one, x, y))}
        ${this.#cursor(x, y)}
      </svg>${this.#readout(x)}`;
  }

  #scale = undefined;

  #drawn() {
    return this.series.filter((one) => !one.told);
  }

  #grid(top, y, words) {
    const lines = [top, top / 2, 0];
    const marks = [0, 0.5, 1];
    return svg`${lines.map((value) => svg`<line class="grid" x1="0" x2=${this.width} y1=${y(value)} y2=${y(value)}/>`)}
      <text x="0" y=${TOP - 4}>${this.format(top)}</text>
      ${marks.map((share, i) => svg`<text x=${share * this.width} y=${HEIGHT - 4}
        text-anchor=${["start", "middle", "end"][i]}>${words[i]}</text>`)}`;
  }

  #line(one, x, y) {
    const { line, area } = chartPaths(this.at, one.values, x, y, BASE);
    const colour = `var(--${one.colour})`;
    return svg`${one.area ? svg`<path class="area" fill=${colour} d=${area}/>` : nothing}
      <path class="line" stroke=${colour} d=${line}/>`;
  }

  #cursor(x, y) {
    if (this.pointed === undefined || this.pointed >= this.at.length) {
      return nothing;
    }
    const place = x(this.at[this.pointed]);
    return svg`<line class="cursor" x1=${place} x2=${place} y1=${TOP} y2=${BASE}/>
      ${this.#drawn().map((one) => {
        const value = one.values[this.pointed];
        return value === null || value === undefined
          ? nothing
          : svg`<circle cx=${place} cy=${y(value)} r="3" fill="var(--${one.colour})"/>`;
      })}`;
  }

  #readout(x) {
    if (this.pointed === undefined || this.pointed >= this.at.length) {
      return nothing;
    }
    const at = this.at[this.pointed];
    const place = x(at);
    const clock = new Date(at * 1000).toLocaleTimeString("en-GB");
    const side = place > this.width / 2 ? { right: `${this.width - place + 8}px` } : { left: `${place + 8}px` };
    return html`<div class="readout" aria-hidden="true" ${setStyle(side)}>${clock}${this.series.map(
      (one) => html`<br>${one.name}: ${this.format(one.values[this.pointed])}`)}</div>`;
  }

  #point(event) {
    const box = event.currentTarget.getBoundingClientRect();
    const { end, span } = this.#scale;
    const wanted = end - (1 - (event.clientX - box.left) / box.width) * span.seconds;
    let best;
    this.at.forEach((at, i) => {
      if (best === undefined || Math.abs(at - wanted) < Math.abs(this.at[best] - wanted)) {
        best = i;
      }
    });
    this.pointed = best;
  }

  /** What somebody who does not see the chart is told. */
  #summary() {
    const said = this.series.map((one) => {
      const known = one.values.filter((value) => value !== null && value !== undefined);
      return known.length === 0
        ? `${one.name}: nothing yet`
        : `${one.name}: now ${this.format(known.at(-1))}, highest ${this.format(Math.max(...known))}`;
    });
    return `${this.label}, the last hour. ${said.join(". ")}`;
  }
}

customElements.define("mr-chart", Chart);
