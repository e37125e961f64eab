// What a job's log says about time: who waited, ran, backed off or stood at a gate, and from when to when.
//
// A bar is {kind, from, to, …}; `to` is null while it lasts. The kinds: "queue", "attempt" (with `attempt`, `worker`,
// `outcome`, `error`), "backoff", "gate", "paused", "adopted". Times are milliseconds.

const ENDED = { complete: "COMPLETED", fail: "FAILED", abort: "ABORTED", ceiling: "FAILED", expire: "FAILED" };

export class Timeline {
  /**
   * @param created when the job was submitted, in milliseconds
   * @param stages as the API has them: [{order, type, gate, summary: {total}}]
   */
  constructor(created, stages) {
    this.created = created;
    this.started = null;
    this.ended = null;
    this.outcome = null;
    this.lastEvent = 0;
    this.pauses = [];
    this.stages = new Map();
    stages.forEach((stage) => this.describe(stage));
    this.#reach(this.stage(1), created);
  }

  /** Takes over what only the API knows of a stage: its type, its gate and how many tasks it has. */
  describe({ order, type, gate, summary }) {
    const stage = this.stage(order);
    stage.type = type;
    stage.gate ??= gate ?? false;
    stage.total = Math.max(stage.total, summary?.total ?? 0);
  }

  stage(number) {
    if (!this.stages.has(number)) {
      this.stages.set(number, {
        number,
        type: "",
        gate: undefined,
        total: 0,
        turn: null,
        opened: null,
        began: null,
        ended: null,
        outcome: null,
        bars: [],
        tasks: new Map(),
        additions: [],
      });
    }
    return this.stages.get(number);
  }

  /** A task as far as the log tells of it; one that it does not tell of has only waited. */
  task(stageNumber, number) {
    const stage = this.stage(stageNumber);
    return stage.tasks.get(number) ?? this.#unstarted(stage, number);
  }

  add(entries) {
    for (const entry of entries) {
      if (entry.n <= this.lastEvent) {
        continue;
      }
      this.lastEvent = entry.n;
      const at = Date.parse(entry.at);
      if (entry.on === "job") {
        this.#job(entry, at);
      } else if (entry.on === "stage") {
        this.#stage(entry, at);
      } else if (entry.on === "task") {
        this.#task(entry, at);
      }
    }
  }

  #job(entry, at) {
    switch (entry.event) {
      case "begin":
        this.started ??= at;
        break;
      case "pause":
        this.pauses.push({ kind: "paused", from: at, to: null, comment: entry.comment });
        break;
      case "resume":
      case "start":
        // A job that was submitted on hold has no entry of a pause: it was paused from its beginning.
        if (this.pauses.length === 0) {
          this.pauses.push({ kind: "paused", from: this.created, to: null });
        }
        this.pauses.at(-1).to ??= at;
        break;
      case "complete":
      case "fail":
      case "abort":
        this.#endJob(entry.event, at);
        break;
    }
  }

  #endJob(event, at) {
    this.ended = at;
    this.outcome = ENDED[event];
    this.pauses.forEach((bar) => (bar.to ??= at));
    for (const stage of this.stages.values()) {
      if (stage.outcome === null && event === "abort") {
        this.#endStage(stage, "ABORTED", at);
      }
      stage.bars.forEach((bar) => (bar.to ??= at));
    }
  }

  #stage(entry, at) {
    const stage = this.stage(entry.stage);
    switch (entry.event) {
      case "add":
        stage.type = entry.spec?.type ?? stage.type;
        stage.gate = entry.spec?.gate ?? false;
        if (this.#isTurn(stage)) {
          this.#reach(stage, at);
        }
        break;
      case "tasks":
        stage.additions.push({ from: stage.added ?? 0, at });
        stage.added = (stage.added ?? 0) + entry.tasks;
        stage.total = Math.max(stage.total, stage.added);
        break;
      case "open":
      case "approve":
        this.#open(stage, entry, at);
        break;
      case "hold":
        if (stage.turn !== null) {
          stage.bars.push({ kind: "gate", from: at, to: null, comment: entry.comment });
        }
        break;
      case "begin":
        stage.began ??= at;
        break;
      case "complete":
      case "fail":
      case "abort":
        this.#endStage(stage, ENDED[entry.event], at);
        break;
    }
  }

  #isTurn(stage) {
    return stage.number === 1 || this.stages.get(stage.number - 1)?.outcome === "COMPLETED";
  }

  #open(stage, entry, at) {
    stage.turn ??= at;
    stage.opened ??= at;
    stage.total = Math.max(stage.total, entry.tasks ?? 0);
    const gate = stage.bars.at(-1);
    if (gate?.to === null) {
      Object.assign(gate, { to: at, who: entry.who, comment: entry.comment ?? gate.comment });
    }
  }

  /** It is a stage's turn: it opens, unless a gate holds it. */
  #reach(stage, at) {
    if (stage.turn !== null) {
      return;
    }
    stage.turn = at;
    if (stage.gate) {
      stage.bars.push({ kind: "gate", from: at, to: null });
    } else {
      stage.opened ??= at;
    }
  }

  #endStage(stage, outcome, at) {
    stage.ended = at;
    stage.outcome = outcome;
    stage.bars.forEach((bar) => (bar.to ??= at));
    if (outcome === "COMPLETED") {
      const next = this.stages.get(stage.number + 1);
      if (next) {
        this.#reach(next, at);
      }
      return;
    }
    for (const task of stage.tasks.values()) {
      if (task.state !== "COMPLETED" && task.state !== "FAILED") {
        this.#endTask(task, "ABORTED", at);
      }
    }
  }

  #task(entry, at) {
    const stage = this.stage(entry.stage);
    stage.total = Math.max(stage.total, entry.task);
    let task = stage.tasks.get(entry.task);
    if (!task) {
      task = this.#unstarted(stage, entry.task);
      stage.tasks.set(entry.task, task);
    }
    switch (entry.event) {
      case "claim":
        this.#claim(task, entry, at);
        break;
      case "retry":
        this.#close(task, at, { outcome: "failed", error: entry.error });
        task.failures++;
        task.state = "RETRIED";
        this.#wait(task, at, Date.parse(entry.notBefore));
        break;
      case "release":
        this.#close(task, at, { outcome: "released", error: entry.reason });
        task.state = "RETRIED";
        this.#wait(task, at, at);
        break;
      case "adopt":
        task.state = "COMPLETED";
        task.bars = [{ kind: "adopted", from: at, to: at, job: entry.job, task: entry.from }];
        break;
      case "complete":
      case "fail":
      case "ceiling":
      case "expire":
      case "abort":
        this.#endTask(task, ENDED[entry.event], at, entry.error);
        break;
      case "enqueue":
        this.#wait(task, at, at);
        break;
    }
  }

  #claim(task, entry, at) {
    this.#close(task, at, {});
    task.attempts++;
    task.state = "IN_PROGRESS";
    task.worker = entry.worker;
    task.bars.push({
      kind: "attempt",
      from: at,
      to: null,
      attempt: task.attempts,
      worker: entry.worker,
      outcome: null,
    });
  }

  #endTask(task, state, at, error) {
    const last = task.bars.at(-1);
    const outcome = state.toLowerCase();
    this.#close(task, at, last?.kind === "attempt" ? { outcome, error } : { error });
    task.state = state;
    task.error = error;
  }

  /** Ends the bars that last. One that would begin later (a queue after a backoff) never does. */
  #close(task, at, more) {
    task.bars = task.bars.filter((bar) => bar.to !== null || bar.from < at);
    for (const bar of task.bars) {
      if (bar.to === null) {
        Object.assign(bar, { to: at }, more);
      }
      bar.to = Math.min(bar.to, at);
    }
  }

  #wait(task, at, notBefore) {
    this.#close(task, at, {});
    if (notBefore > at) {
      task.bars.push({ kind: "backoff", from: at, to: notBefore });
    }
    task.bars.push({ kind: "queue", from: notBefore, to: null });
  }

  #unstarted(stage, number) {
    const added = stage.additions.findLast((addition) => number > addition.from)?.at ?? this.created;
    const task = {
      number,
      state: stage.outcome === "FAILED" || stage.outcome === "ABORTED" ? "ABORTED" : "PENDING",
      attempts: 0,
      failures: 0,
      bars: [],
    };
    if (stage.opened !== null) {
      task.bars.push({ kind: "queue", from: Math.max(added, stage.opened), to: stage.ended });
    }
    return task;
  }
}

/** How long the bars of each kind are together, up to `now` for those that last. */
export function totals(bars, now) {
  const sums = {};
  for (const { kind, from, to } of bars) {
    sums[kind] = (sums[kind] ?? 0) + Math.max(0, Math.min(to ?? now, now) - from);
  }
  return sums;
}
