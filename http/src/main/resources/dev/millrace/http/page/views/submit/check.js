// Asks the server what it thinks of a document while it is written, and submits it once.

import { html } from "lit";
import { api } from "../../api/client.js";
import { count } from "../../api/format.js";
import { untilAnswered } from "../../api/patience.js";
import { go, jobLink } from "../../api/route.js";
import "../../parts/badge.js";
import { icons } from "../../parts/icons.js";

const DEBOUNCE = 400;
/** Larger documents are checked when they are submitted: not with every word that is typed. */
const LARGEST = 1_000_000;

/** One document after the other; only the answer to the latest counts. */
export class DocumentCheck {
  /** { state: "none" | "checking" | "valid" | "invalid" | "unknown", text } */
  result = { state: "none", text: "" };
  #changed;
  #timer = 0;
  #request = undefined;
  #key = undefined;

  /** `changed` is called after each change of `result`. */
  constructor(changed) {
    this.#changed = changed;
  }

  /** What cannot be sent at all, such as text that is no JSON. */
  refuse(text) {
    this.stop();
    this.#set("invalid", text);
  }

  clear() {
    this.stop();
    this.#set("none", "");
  }

  /** `document` is an object, or its text, which is sent as it stands: numbers above 2^53 stay what they are. */
  check(document) {
    this.stop();
    this.#key = undefined;
    const text = typeof document === "string" ? document : JSON.stringify(document);
    if (text.length > LARGEST) {
      this.#set("unknown", "Too large to check while you type. It is checked when you submit it.");
      return;
    }
    this.#set("checking", this.result.text);
    this.#timer = setTimeout(() => this.#ask(text), DEBOUNCE);
  }

  /** Stores the job and leads to it. The same document, sent again after a lost answer, is the same job. */
  async submit(document) {
    this.stop();
    this.#key ??= randomKey();
    try {
      const job = await api.post("/v1/pipelines", document, { headers: { "Idempotency-Key": this.#key } });
      this.#key = undefined;
      go(jobLink(job.id));
    } catch (error) {
      this.#set("invalid", error.message);
    }
  }

  async #ask(text) {
    this.#request = new AbortController();
    const { signal } = this.#request;
    try {
      const ask = () => api.post("/v1/pipelines/check", text, { signal });
      const answer = await untilAnswered(ask, signal, (error) => this.#set("unknown", error.message));
      this.#set("valid", `${count(answer.stages, "stage")}, ${count(answer.tasks, "task")}`);
    } catch (error) {
      if (!signal.aborted) {
        const refused = error.status >= 400 && error.status < 500;
        this.#set(refused ? "invalid" : "unknown", error.message);
      }
    }
  }

  /** Asks nothing more until there is another document. */
  stop() {
    clearTimeout(this.#timer);
    this.#request?.abort();
  }

  #set(state, text) {
    this.result = { state, text };
    this.#changed();
  }
}

/** 128 random bits. crypto.randomUUID would need https. */
function randomKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The result as a line that keeps its height. */
export function checkLine({ state, text }, id) {
  const words = {
    none: html`<span class="muted">It is checked while you write.</span>`,
    checking: html`<span class="muted">Checking…</span>`,
    valid: html`<span class="is-completed">${icons.check}</span><span class="is-completed">Valid</span>
      <span class="muted">${text}</span>`,
    invalid: html`<span class="is-failed">${icons.cross}</span><span class="is-failed">${text}</span>`,
    unknown: html`<span class="muted">${text}</span>`,
  };
  return html`<div class="submit-check" id=${id} role="status">${words[state]}</div>`;
}
