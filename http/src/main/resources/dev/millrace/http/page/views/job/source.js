// One job as it is now: the job, its stages, its log, and the time line that follows from them.

import { api } from "../../api/client.js";
import { live } from "../../api/stream.js";
import { taskWords } from "./task-words.js";
import { Timeline } from "./timeline.js";

const PAGE = 1000;
/** A log may be larger than a browser's memory; beyond this, the reader asks for more. */
const MOST_ENTRIES = 50_000;
const POLL_MS = 1000;
const SLOW_POLL_MS = 5000;
/** Of a log that moves all the time, the next poll reads on. */
const MOST_ROUNDS = 3;

export const ended = (status) => status === "COMPLETED" || status === "FAILED" || status === "ABORTED";

/** The id of a task of a stage: ids hold the number of the task in their last 18 bits. */
export function taskId(stageId, number) {
  return stageId.slice(0, -7) + (parseInt(stageId.slice(-7), 16) + number).toString(16).padStart(7, "0");
}

/** Events: "change". `missing` is true when there is no such job (any more). */
export class JobSource extends EventTarget {
  job = undefined;
  /** What to call it: its name, else what its first task was asked. */
  title = "";
  stages = [];
  entries = [];
  timeline = undefined;
  lastEvent = 0;
  reading = false;
  missing = false;
  error = undefined;

  #most = MOST_ENTRIES;
  #polled = 0;
  #moved = true;
  #behind = false; // the log has entries that the job does not show yet
  #timer;
  #stop = new AbortController();
  #note = () => (this.#moved = true);

  constructor(id) {
    super();
    this.id = id;
    live.addEventListener("change", this.#note);
    this.#timer = setInterval(() => this.#poll(), POLL_MS);
  }

  close() {
    clearInterval(this.#timer);
    live.removeEventListener("change", this.#note);
    this.#stop.abort();
  }

  /** Reads the job, its stages and what is new in its log. */
  async refresh() {
    if (this.reading) {
      return;
    }
    this.reading = true;
    try {
      // What the log says of the time since the job was read may have changed the job: then it is read again.
      this.#behind = true;
      for (let round = 0; this.#behind && round < MOST_ROUNDS; round++) {
        await this.#readJob();
        this.timeline ??= new Timeline(Date.parse(this.job.creationTime), this.stages);
        this.stages.forEach((stage) => this.timeline.describe(stage));
        this.error = undefined;
        this.#changed();
        this.#behind = (await this.#readLog()) > 0;
      }
    } catch (error) {
      this.#failed(error);
    }
    this.reading = false;
    this.#changed();
  }

  get isCut() {
    return this.entries.length >= this.#most && this.lastEvent > this.entries.length;
  }

  readMore() {
    this.#most += MOST_ENTRIES;
    return this.refresh();
  }

  stage(number) {
    return this.stages.find(({ order }) => order === number);
  }

  #failed(error) {
    if (error.status === 404) {
      this.missing = true;
    } else if (error.name !== "AbortError") {
      this.error = error;
    }
  }

  async #readJob() {
    const options = { signal: this.#stop.signal };
    const path = `/v1/jobs/${encodeURIComponent(this.id)}`;
    const [job, first] = await Promise.all([
      api.get(path, {}, options),
      api.page(`${path}/stages`, { limit: PAGE }, options),
    ]);
    const stages = first.items;
    for (let { next } = first; next !== undefined;) {
      const page = await api.page(`${path}/stages`, { limit: PAGE, cursor: next }, options);
      stages.push(...page.items);
      ({ next } = page);
    }
    this.job = job;
    this.stages = stages;
    this.title ||= await this.#words(options);
  }

  /** A job without a name is called by the type of its first stage, which says little of a prompt. */
  async #words(options) {
    const [first] = this.stages;
    if (first === undefined || this.job.name !== first.type || first.summary.total === 0) {
      return this.job.name;
    }
    const task = await api.get(`/v1/tasks/${taskId(first.id, 1)}`, {}, options).catch(() => undefined);
    return (task && taskWords(task.data)) || this.job.name;
  }

  /** Reads the log to its end; what has come so far is shown meanwhile. */
  async #readLog() {
    let read = 0;
    for (let more = true; more && this.entries.length < this.#most;) {
      const after = this.entries.at(-1)?.n ?? 0;
      const path = `/v1/jobs/${encodeURIComponent(this.id)}/log`;
      const answer = await api.get(path, { after, limit: PAGE }, { signal: this.#stop.signal });
      const fresh = answer.entries.filter((entry) => entry.n > after);
      this.entries.push(...fresh);
      this.timeline.add(fresh);
      this.lastEvent = answer.lastEvent;
      more = answer.next !== undefined && fresh.length > 0;
      read += fresh.length;
      this.#changed();
    }
    return read;
  }

  /** While the job runs: its log each second if anything happened on the server, and now and then in any case. */
  async #poll() {
    const due = this.#moved || Date.now() - this.#polled > SLOW_POLL_MS;
    const over = this.job === undefined || (ended(this.job.status) && !this.#behind) || this.missing;
    if (over || document.hidden || this.reading || !due) {
      return;
    }
    this.#moved = false;
    this.#polled = Date.now();
    this.reading = true;
    let changed = false;
    try {
      changed = (await this.#readLog()) > 0;
      this.error = undefined;
    } catch (error) {
      this.#failed(error);
      this.#changed();
    }
    this.reading = false;
    if (changed || this.#behind) {
      await this.refresh();
    }
  }

  #changed() {
    if (!this.#stop.signal.aborted) {
      this.dispatchEvent(new Event("change"));
    }
  }
}
