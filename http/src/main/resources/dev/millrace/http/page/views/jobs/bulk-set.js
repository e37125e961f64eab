// Which jobs an action on many is for, and the action itself: no DOM.

import { api } from "../../api/client.js";
import { STATUSES, statuses } from "./filters.js";

const MOST = 100_000;
/** One request may have 1,000; smaller ones let the progress move and a stop come soon. */
const CHUNK = 200;

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

/** The same for all jobs of a list, as they are now. */
export async function fixMatching(action, jobWindow) {
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
  return { groups, leftOut: Math.max(0, (jobWindow.total ?? found) - found - cut), cut };
}

/** Carries an action out on fixed ids, a chunk at a time. `progress.stopped` ends it after the present chunk. */
export async function carryOut(action, ids, comment, progress, changed) {
  for (let from = 0; from < ids.length && !progress.stopped; from += CHUNK) {
    const jobs = ids.slice(from, from + CHUNK);
    const answer = await api.post("/v1/jobs/bulk", { action, jobs, ...(comment ? { comment } : {}) });
    progress.done += answer.done;
    progress.refused.push(...answer.outcomes.filter((outcome) => !outcome.done));
    progress.sent += jobs.length;
    changed();
  }
}
