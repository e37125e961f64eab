// Which jobs of the list are selected: some by their ids, or all that match.

import { api } from "../../api/client.js";

export class Selection {
  all = false;
  #ids = new Map();
  #anchor = undefined;
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  has(id) {
    return this.all || this.#ids.has(id);
  }

  size(jobs) {
    return this.all ? (jobs.total ?? 0) : this.#ids.size;
  }

  pickAll() {
    this.all = true;
    this.#ids.clear();
    this.#changed();
  }

  clear() {
    this.all = false;
    this.#ids.clear();
    this.#anchor = undefined;
    this.#changed();
  }

  /** Selects or leaves out a row; with `extend`, all rows from the last one to it. */
  async pick(jobs, index, extend) {
    const job = jobs.row(index);
    if (job === undefined) {
      return;
    }
    if (this.all) {
      this.clear(); // to leave one out of all means to begin anew with one
    }
    if (extend && this.#anchor !== undefined) {
      const first = Math.min(this.#anchor, index);
      const ids = await jobs.ids(first, Math.abs(this.#anchor - index) + 1);
      ids.forEach((id, i) => this.#ids.set(id, jobs.row(first + i)));
    } else if (!this.#ids.delete(job.id)) {
      this.#ids.set(job.id, job);
    }
    this.#anchor = index;
    this.#changed();
  }

  /** The selected jobs as they are now; those that are gone meanwhile are left out. */
  async jobs() {
    const found = await Promise.all([...this.#ids].map(([id, row]) => row ?? this.#read(id)));
    return found.filter((job) => job !== undefined);
  }

  async #read(id) {
    try {
      return await api.get(`/v1/jobs/${id}`);
    } catch {
      return undefined;
    }
  }
}
