// What all elements of the page share. They render into the page itself (no shadow roots), so that labels, headings and
// the base styles reach everywhere; class names therefore begin with the element's name where they are its own.

import { LitElement } from "lit";
import { connection } from "../api/client.js";
import { live } from "../api/stream.js";

/** Adds a style sheet (css`…` of Lit) to the page, once. */
export function adopt(styles) {
  const sheet = styles.styleSheet;
  if (!document.adoptedStyleSheets.includes(sheet)) {
    document.adoptedStyleSheets.push(sheet);
  }
}

/**
 * An element of the page. A class may have:
 *   static css = css`…`   its styles, added to the page once
 *   static live = true    it is rendered again at each event of the shared live stream
 *   reconnected()         called when the server is back after it was lost
 */
export class PageElement extends LitElement {
  #left = undefined;

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    if (this.constructor.css !== undefined) {
      adopt(this.constructor.css);
    }
    super.connectedCallback();
    const left = new AbortController();
    this.#left = left;
    if (this.constructor.live) {
      const changed = () => this.requestUpdate();
      live.addEventListener("change", changed);
      left.signal.addEventListener("abort", () => live.removeEventListener("change", changed));
    }
    let lost = connection.state === "lost";
    const moved = () => {
      if (lost && connection.state === "live") {
        this.reconnected?.();
      }
      lost = connection.state === "lost";
    };
    connection.addEventListener("change", moved, { signal: left.signal });
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#left?.abort();
  }

  /** Aborts when the element leaves the page: for requests, streams and listeners. */
  get left() {
    return this.#left.signal;
  }
}
