// The last hour, as columns by time: read once, then only what is new.

import { api } from "./client.js";

const MINUTES = 60;
const COLUMNS = ["generated", "prompt", "tasks", "waiting", "running", "batchFill", "cacheUsed"];
const REFRESH = 10_000;

/** Events: "change" when there is more to show. `columns` is replaced, never changed in place. */
export class History extends EventTarget {
  columns = { at: [] };
  interval = 5;
  error = undefined;

  /** Reads the hour, and then what is new every few seconds, until the signal aborts. */
  async follow(signal) {
    let minutes = MINUTES;
    while (!signal.aborted) {
      if (!document.hidden) {
        minutes = (await this.#read(minutes, signal)) ? this.#minutesToRead() : MINUTES;
      }
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, REFRESH);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
      });
      minutes = Math.max(minutes, this.#minutesToRead());
    }
  }

  /** As many as were missed: one, unless the page was hidden or the server away. */
  #minutesToRead() {
    const last = this.columns.at.at(-1) ?? 0;
    return Math.min(MINUTES, Math.max(1, Math.ceil((Date.now() / 1000 - last) / 60)));
  }

  async #read(minutes, signal) {
    try {
      const answer = await api.get("/v1/history", { minutes }, { signal });
      this.interval = answer.intervalSeconds;
      this.#merge(answer);
      this.error = undefined;
    } catch (error) {
      if (signal.aborted) {
        return false;
      }
      this.error = error.status === 0 ? undefined : error; // a lost connection has a line of its own
    }
    this.dispatchEvent(new Event("change"));
    return this.error === undefined;
  }

  #merge(answer) {
    const first = answer.at[0] ?? Infinity;
    const oldest = (answer.at.at(-1) ?? Date.now() / 1000) - MINUTES * 60;
    const kept = this.columns.at.map((at, i) => (at < first && at >= oldest ? i : -1)).filter((i) => i >= 0);
    const merged = { at: [...kept.map((i) => this.columns.at[i]), ...answer.at] };
    for (const column of COLUMNS) {
      merged[column] = [...kept.map((i) => this.columns[column][i]), ...(answer[column] ?? [])];
    }
    this.columns = merged;
  }
}
