// Which jobs an action on many is for, and the action itself: no DOM.

import { api } from "../../api/client.js";
import { pause, untilAnswered } from "../../api/patience.js";
import { STATUSES, statuses } from "./filters.js";

const MOST = 100_000;
/** One request may have 1,000; smaller ones let the progress move and a stop come soon. */
const CHUNK = 200;
/** Jobs that are read at the same time. */
const READERS = 8;
/** While the server reads jobs for its search, a set waits until it has all, unless nothing comes for so long. */
const LOOK_MS = 500;
const MOST_LOOKS = 4;

/** Whether a job in this state shows that the action was carried out. A retry leaves the job as it is. */
const SHOWS = {
  pause: (status) => status === "PAUSED",
  resume: (status) => status !== "PAUSED",
  abort: (status) => status === "ABORTED",
  delete: (status) => status === undefined,
};

/** The states from which a user's event leads on, by the server's own table; final ones for what needs an ended job. */
async function legalStates(action) {
  const { machines } = await api.get("/v1/state-machines");
  const job = machines.find((machine) => machine.entity === "job");
  if (action === "retry" || action === "delete") {
    return job.states.filter((state) => state.final).map((state) => state.name);
  }
  const rows = job.transitions.filter((row) => row.event.toLowerCase() === action && row.by.includes("USER"));
  return [...new Set(rows.flatMap((row) => row.from))];
}

/** Of the jobs that were picked, those that the action is legal for: {groups: [{status, ids}], leftOut, cut}. */
export function fixPicked(action, jobs) {
  const legal = jobs.filter((job) => job.levers.includes(action));
  const groups = STATUSES.map((status) => ({
    status,
    ids: legal.filter((job) => job.status === status).map(({ id }) => id),
  }));
  return { groups: groups.filter(({ ids }) => ids.length > 0), leftOut: jobs.length - legal.length, cut: 0 };
}

/**
 * Waits until the server's search has read all jobs. Returns undefined then, and { indexed, known } where some cannot be
 * found: there are too many of them, or it does not come further. `looked` is told the same meanwhile.
 */
async function awaitIndex(jobWindow, looked) {
  let before = -1;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const { complete, indexed, known } = await api.get("/v1/jobs/search", { ...jobWindow.query, limit: 0 });
    if (complete) {
      return undefined;
    }
    looked({ indexed, known });
    looks = indexed > before ? 0 : looks;
    before = indexed;
    await pause(LOOK_MS);
  }
  const { complete, indexed, known } = await api.get("/v1/jobs/search", { ...jobWindow.query, limit: 0 });
  return complete ? undefined : { indexed, known };
}

/** The same for all jobs of a list, as they are now. `unread` has how many of how many were searched, if not all. */
export async function fixMatching(action, jobWindow, looked) {
  const unread = await awaitIndex(jobWindow, looked);
  const wanted = statuses(jobWindow.filters);
  const states = (await legalStates(action)).filter((state) => wanted.length === 0 || wanted.includes(state));
  const answers = await Promise.all(
    states.map(async (status) => {
      const query = { ...jobWindow.query, status, ids_only: true, limit: MOST };
      return { status, answer: await api.get("/v1/jobs/search", query) };
    }),
  );
  const groups = answers.map(({ status, answer }) => ({ status, ids: answer.ids })).filter(({ ids }) => ids.length > 0);
  const cut = answers.reduce((sum, { answer }) => sum + answer.total - answer.ids.length, 0);
  const found = groups.reduce((sum, { ids }) => sum + ids.length, 0);
  return { groups, leftOut: Math.max(0, (jobWindow.total ?? found) - found - cut), cut, unread };
}

/**
 * Carries an action out on fixed ids, a chunk at a time. `progress.stopped` ends it after the present chunk. A request
 * without an answer, or whose store failed in the middle, leaves its ids in `progress.unknown`.
 */
export async function carryOut(action, ids, comment, progress, changed) {
  for (let from = 0; from < ids.length && !progress.stopped; from += CHUNK) {
    const jobs = ids.slice(from, from + CHUNK);
    const answer = await send({ action, jobs, ...(comment ? { comment } : {}) }, progress);
    progress.done += answer.done;
    progress.refused.push(...answer.outcomes.filter((outcome) => !outcome.done));
    progress.sent += jobs.length;
    changed();
  }
}

async function send(body, progress) {
  try {
    return await api.post("/v1/jobs/bulk", body);
  } catch (error) {
    const refused = error.status >= 400 && error.status < 500; // before anything was done
    if (!refused) {
      progress.unknown = body.jobs;
      progress.sent += body.jobs.length;
    }
    throw error;
  }
}

/**
 * What became of jobs whose outcome is unknown, by their present states, as soon as the server answers: moves what they
 * show from `progress.unknown` to `progress.found` and `progress.spared`.
 */
export async function readAgain(action, progress, signal) {
  const shows = SHOWS[action];
  if (shows === undefined) {
    return;
  }
  const left = [...progress.unknown];
  const found = [];
  const spared = [];
  const reader = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      (shows(await statusOf(id, signal)) ? found : spared).push(id);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  Object.assign(progress, { unknown: [], found, spared });
}

/** Undefined if there is no such job any more. */
async function statusOf(id, signal) {
  try {
    return (await untilAnswered(() => api.get(`/v1/jobs/${id}`, {}, { signal }), signal)).status;
  } catch (error) {
    if (error.status === 404) {
      return undefined;
    }
    throw error;
  }
}
