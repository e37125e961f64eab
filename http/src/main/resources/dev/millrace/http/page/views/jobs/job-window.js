// The jobs that match, of which only the parts that somebody looks at are fetched.

import { api } from "../../api/client.js";
import { toQuery } from "./filters.js";

const PAGE = 100;
/** How many pages are kept: enough to scroll back and forth, little in memory. */
const KEPT = 60;
/** While the bar of the list is dragged, pages fly by; only one that stays this long is fetched. */
const SETTLE_MS = 60;
const STALE_MS = 5000;

/**
 * A list with fixed places: jobs that come later do not move it, because it asks for jobs up to the newest one at the
 * time when it was opened. `added` counts those that came since. Event: "change".
 */
export class JobWindow extends EventTarget {
  total = undefined;
  added = 0;
  complete = true;
  indexed = 0;
  known = 0;
  error = undefined;

  #query;
  #until;
  #rows = new Map();
  #pages = new Map();
  #fetching = new Map();
  #range = { first: 0, last: 0 };
  #timer = 0;
  #closed = new AbortController();

  constructor(filters) {
    super();
    this.filters = filters;
    this.#query = toQuery(filters, Date.now());
  }

  /** Fetches the first rows. The newest of them fixes what the list holds. */
  async open() {
    await this.#fetch(0, PAGE, (answer) => {
      const newest = answer.jobs[0]?.creationTime;
      if (newest !== undefined && this.filters.sort !== "oldest" && this.#query.end_date === undefined) {
        this.#until = Date.parse(newest);
      }
      this.#keep(0);
    });
  }

  close() {
    clearTimeout(this.#timer);
    this.#closed.abort();
  }

  row(index) {
    return this.#rows.get(index);
  }

  /** The query that has exactly the jobs of this list. */
  get query() {
    // Times of the API are cut to milliseconds; the newest job may be a little younger than it says.
    const end = this.#until === undefined ? this.#query.end_date : endOf(this.#until);
    return { ...this.#query, end_date: end };
  }

  /** Says which rows are in sight; what is missing of them is fetched soon. */
  look(first, last) {
    this.#range = { first, last };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fill(), SETTLE_MS);
  }

  /** Fetches the rows in sight again. */
  async refresh() {
    if (!this.total) {
      return this.open(); // the first job to match fixes what the list holds
    }
    const { first, last } = this.#range;
    return this.#fetch(first, last - first + 1);
  }

  /** Counts the jobs that came since the list was opened. */
  async countAdded() {
    if (this.#query.end_date !== undefined || this.filters.sort === "oldest" || this.total === undefined) {
      return;
    }
    const from = this.#until === undefined ? this.#query.from_date : new Date(this.#until + 1).toISOString();
    try {
      const query = { ...this.#query, from_date: from, limit: 0 };
      const { total } = await api.get("/v1/jobs/search", query, { signal: this.#closed.signal });
      if (total !== this.added) {
        this.added = total;
        this.#changed();
      }
    } catch {
      // The rows in sight are fetched at the same pace, and say what is wrong.
    }
  }

  /** The ids of some rows, in the order of the list. */
  async ids(offset, limit) {
    const query = { ...this.query, offset, limit, ids_only: true };
    return (await api.get("/v1/jobs/search", query, { signal: this.#closed.signal })).ids;
  }

  #fill() {
    const from = Math.floor(this.#range.first / PAGE);
    const to = Math.floor(Math.min(this.#range.last, (this.total ?? 1) - 1) / PAGE);
    for (const [page, fetching] of this.#fetching) {
      if (page < from || page > to) {
        fetching.abort();
        this.#fetching.delete(page);
      }
    }
    for (let page = from; page <= to; page++) {
      if (!this.#fetching.has(page) && Date.now() - (this.#pages.get(page) ?? 0) > STALE_MS) {
        this.#fetchPage(page);
      }
    }
  }

  async #fetchPage(page) {
    const stop = new AbortController();
    this.#fetching.set(page, stop);
    await this.#fetch(page * PAGE, PAGE, () => this.#keep(page), stop.signal);
    if (this.#fetching.get(page) === stop) {
      this.#fetching.delete(page);
    }
  }

  /** A page that was read while the server still read jobs is stale at once: more belongs to it. */
  #keep(page) {
    this.#pages.delete(page);
    this.#pages.set(page, this.complete ? Date.now() : 0);
    if (this.#pages.size > KEPT) {
      const [oldest] = this.#pages.keys();
      this.#pages.delete(oldest);
      for (let index = oldest * PAGE; index < (oldest + 1) * PAGE; index++) {
        this.#rows.delete(index);
      }
    }
  }

  async #fetch(offset, limit, arrived = () => {}, signal = undefined) {
    const stop = signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
    try {
      const answer = await api.get("/v1/jobs/search", { ...this.query, offset, limit }, { signal: stop });
      Object.assign(this, {
        total: answer.total,
        complete: answer.complete,
        indexed: answer.indexed,
        known: answer.known,
        error: undefined,
      });
      answer.jobs.forEach((job, i) => this.#rows.set(offset + i, job));
      for (let index = offset + answer.jobs.length; index < offset + limit; index++) {
        this.#rows.delete(index);
      }
      arrived(answer);
    } catch (error) {
      if (error.name === "AbortError") {
        return;
      }
      this.error = error;
    }
    this.#changed();
  }

  #changed() {
    if (!this.#closed.signal.aborted) {
      this.dispatchEvent(new Event("change"));
    }
  }
}

const endOf = (millisecond) => new Date(millisecond).toISOString().replace("Z", "999Z");
