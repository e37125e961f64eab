// The button that runs a finished task again and compares the bytes.

import { css, html, nothing } from "lit";
import { session } from "../../api/client.js";
import { stream } from "../../api/stream.js";
import { badge } from "../../parts/badge.js";
import { PageElement } from "../../parts/element.js";
import { errorNote } from "../../parts/feedback.js";

/** <mr-job-verify .task=${id}></mr-job-verify> */
export class JobVerify extends PageElement {
  static properties = { task: {}, running: { state: true }, verdict: { state: true }, error: { state: true } };

  static css = css`
    mr-job-verify {
      display: grid;
      justify-items: start;
      gap: var(--s2);
      margin-top: var(--s3);
    }
  `;

  willUpdate(changes) {
    if (changes.has("task")) {
      this.running?.abort();
      this.running = undefined;
      this.verdict = undefined;
      this.error = undefined;
    }
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    // The server stops when nobody waits for the verdict.
    this.running?.abort();
    this.running = undefined;
  }

  render() {
    if (!session.may("submit")) {
      return nothing;
    }
    return html`${
      this.running
        ? html`<div class="row"><span role="status">Runs again, to compare…</span>
            <button type="button" class="button" @click=${() => this.#stop()}>Cancel</button></div>`
        : html`<button type="button" class="button" title="Runs the task again with the same terms, and compares the bytes"
            @click=${() => this.#verify()}>Verify</button>`
    }
      ${
        this.verdict
          ? html`<p role="status">${badge(this.verdict.same ? "COMPLETED" : "FAILED", this.verdict.same ? "verified" : "differs")}
            <span class="small muted">${this.verdict.detail}</span></p>`
          : nothing
      }
      ${errorNote(this.error)}`;
  }

  #stop() {
    this.running.abort();
    this.running = undefined;
  }

  #verify() {
    const running = new AbortController();
    this.running = running;
    this.verdict = undefined;
    this.error = undefined;
    stream(`/v1/tasks/${this.task}/verify`, {
      method: "POST",
      once: true,
      signal: running.signal,
      onEvent: (name, data) => {
        if (name === "verdict") {
          this.verdict = data;
        }
        return name !== "verdict";
      },
      onEnd: (error) => {
        if (this.running === running) {
          this.running = undefined;
          this.error = error;
        }
      },
    });
  }
}

customElements.define("mr-job-verify", JobVerify);
