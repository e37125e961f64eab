// A grid of very many rows, of which only those in sight are in the document.

import { css, html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { PageElement } from "./element.js";
import { setStyle } from "./set-style.js";

/** Rows beside those in sight, so that scrolling by a little finds them there. */
const SPARE = 6;

/**
 * <mr-rows .count=${100000} .height=${44} .cells=${(index) => html`…`} .head=${html`…`} label="Jobs"></mr-rows>
 *
 * All rows have the same height. `cells(index)` returns the cells of a row (`role="gridcell"`), `head` those of the first
 * line; `rowClass(index)` and `selected(index)` (true, false or undefined) are optional. Keys: arrows, Page Up and Down,
 * Home, End; Enter and a click dispatch "open", Space dispatches "pick", each with `detail.index`. "range" says which
 * rows are in sight (`detail.first`, `detail.last`), whenever that changes.
 */
export class Rows extends PageElement {
  static properties = {
    count: { type: Number },
    height: { type: Number },
    label: {},
    cells: { attribute: false },
    head: { attribute: false },
    rowClass: { attribute: false },
    selected: { attribute: false },
    active: { type: Number },
  };

  static css = css`
    mr-rows {
      position: relative;
      display: block;
      overflow: auto;
      overflow-anchor: none;
      contain: strict;
    }

    mr-rows:focus-visible {
      outline-offset: -2px;
    }

    mr-rows > .rows-head {
      position: sticky;
      z-index: 2;
      top: 0;
      border-bottom: 1px solid var(--line);
      background: var(--surface);
      color: var(--muted);
      font-size: var(--tiny);
      font-weight: 500;
    }

    mr-rows > .rows-body {
      position: relative;
    }

    mr-rows .rows-row {
      position: absolute;
      top: 0;
      right: 0;
      left: 0;
      contain: strict;
    }

    mr-rows .rows-row:hover {
      background: var(--hover);
    }

    mr-rows .rows-row[aria-selected="true"] {
      background: var(--accent-soft);
    }

    mr-rows:focus-visible .rows-row.is-active {
      box-shadow: inset 3px 0 0 var(--accent);
      background: var(--hover);
    }
  `;

  #first = 0;
  #last = -1;
  #waiting = false;
  #sizes = new ResizeObserver(() => this.#look());

  constructor() {
    super();
    this.count = 0;
    this.height = 40;
    this.label = "";
    this.active = 0;
    this.cells = () => nothing;
    this.addEventListener("scroll", () => this.#look(), { passive: true });
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("click", (event) => this.#click(event));
  }

  connectedCallback() {
    super.connectedCallback();
    this.id ||= `rows-${Math.random().toString(36).slice(2, 8)}`;
    this.setAttribute("role", "grid");
    this.tabIndex = 0;
    this.#sizes.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#sizes.disconnect();
  }

  willUpdate() {
    this.active = Math.max(0, Math.min(this.active, this.count - 1));
    this.#measure();
  }

  render() {
    const extra = this.head === undefined ? 0 : 1;
    const shown = [];
    for (let index = this.#first; index <= this.#last; index++) {
      shown.push(index);
    }
    return html`
      ${extra ? html`<div class="rows-head" role="row" aria-rowindex="1">${this.head}</div>` : nothing}
      <div class="rows-body" role="rowgroup" ${setStyle({ height: `${this.count * this.height}px` })}>
        ${repeat(
          shown,
          (index) => index,
          (index) => this.#row(index, extra),
        )}
      </div>`;
  }

  updated() {
    this.setAttribute("aria-rowcount", String(this.count + (this.head === undefined ? 0 : 1)));
    this.setAttribute("aria-label", this.label);
    const there = this.active >= this.#first && this.active <= this.#last;
    if (there) {
      this.setAttribute("aria-activedescendant", `${this.id}-${this.active}`);
    } else {
      this.removeAttribute("aria-activedescendant");
    }
  }

  #row(index, extra) {
    const classes = `rows-row ${index === this.active ? "is-active" : ""} ${this.rowClass?.(index) ?? ""}`;
    const picked = this.selected?.(index);
    return html`<div class=${classes} role="row" id="${this.id}-${index}" aria-rowindex=${index + 1 + extra}
      aria-selected=${picked === undefined ? nothing : String(picked)} data-index=${index}
      ${setStyle({ height: `${this.height}px`, transform: `translateY(${index * this.height}px)` })}
      >${this.cells(index)}</div>`;
  }

  /** One look per frame, however many events of scrolling come. */
  #look() {
    if (this.#waiting) {
      return;
    }
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      if (this.#measure()) {
        this.requestUpdate();
      }
    });
  }

  #measure() {
    const seen = Math.floor(this.scrollTop / this.height);
    const fit = Math.ceil((this.clientHeight || 600) / this.height);
    const first = Math.max(0, Math.min(seen, this.count) - SPARE);
    const last = Math.min(this.count - 1, seen + fit + SPARE);
    if (first === this.#first && last === this.#last) {
      return false;
    }
    this.#first = first;
    this.#last = last;
    this.dispatchEvent(new CustomEvent("range", { detail: { first, last } }));
    return true;
  }

  #key(event) {
    if (event.target !== this || event.ctrlKey || event.metaKey || event.altKey || this.count === 0) {
      return;
    }
    const page = Math.max(1, Math.floor(this.clientHeight / this.height) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count };
    if (event.key in steps) {
      this.show(this.active + steps[event.key]);
    } else if (event.key === "Enter") {
      this.#tell("open", this.active, event);
    } else if (event.key === " ") {
      this.#tell("pick", this.active, event);
    } else {
      return;
    }
    event.preventDefault();
  }

  #click(event) {
    const row = event.target.closest(".rows-row");
    if (row === null || event.target.closest("a, button, input, label") !== null) {
      return;
    }
    if (String(getSelection()) !== "") {
      return; // somebody marks text to copy it
    }
    this.active = Number(row.dataset.index);
    this.#tell("open", this.active, event);
  }

  #tell(name, index, { shiftKey }) {
    this.dispatchEvent(new CustomEvent(name, { detail: { index, shiftKey } }));
  }

  /** Makes a row the active one, and scrolls as little as needed to have it in sight. */
  show(index) {
    this.active = Math.max(0, Math.min(index, this.count - 1));
    const head = this.querySelector(":scope > .rows-head")?.offsetHeight ?? 0;
    const top = this.active * this.height;
    const bottom = top + this.height;
    if (top < this.scrollTop) {
      this.scrollTop = top;
    } else if (bottom + head > this.scrollTop + this.clientHeight) {
      this.scrollTop = bottom + head - this.clientHeight;
    }
  }

  /** Scrolls to where the list was. With many new rows, it has its full height some frames later. */
  scrollBack(top, frames = 10) {
    this.scrollTop = top;
    if (this.scrollTop < top && frames > 0) {
      requestAnimationFrame(() => this.scrollBack(top, frames - 1));
    }
  }

  /** Renders the rows in sight again, because what `cells` returns has changed. */
  refresh() {
    this.requestUpdate();
  }
}

customElements.define("mr-rows", Rows);
