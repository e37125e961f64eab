// Entries of a job's log in plain words, as `millrace flow` has them.

/** The words of an entry, on one line. */
export function eventText(entry) {
  if (entry.on === "log") {
    return entry.line;
  }
  switch (entry.event) {
    case "submit":
      return "submitted";
    case "freeze":
      return `terms fixed${terms(entry.terms)}`;
    case "add":
      return `added (${entry.spec?.type ?? "?"})${by(entry)}`;
    case "tasks":
      return `${addedTasks(entry.tasks)}${by(entry)}`;
    case "describe":
      return `metadata replaced${by(entry)}`;
    case "prioritize":
      return `priority ${entry.priority}${by(entry)}`;
    default:
      return word(entry.event) + (entry.on === "task" ? detail(entry) : by(entry) + opening(entry));
  }
}

/** What an entry is about: the job, a stage or a task. */
export function eventSubject({ stage, task }) {
  if (!stage) {
    return "job";
  }
  return task ? `task ${stage}/${task}` : `stage ${stage}`;
}

/** Whether an entry is good or bad news, for its colour: "good", "bad", "wait" or "plain". */
export function eventTone(entry) {
  if (entry.on === "log") {
    return { error: "bad", warn: "wait" }[entry.level?.toLowerCase()] ?? "plain";
  }
  switch (entry.event) {
    case "complete":
    case "adopt":
      return "good";
    case "fail":
    case "ceiling":
    case "expire":
    case "abort":
      return "bad";
    case "retry":
    case "release":
    case "pause":
    case "hold":
      return "wait";
    default:
      return "plain";
  }
}

const word = (event) => event.replaceAll("_", " ");

const by = ({ who, comment }) => (who ? ` by ${who}` : "") + (comment ? `: ${comment}` : "");

const opening = ({ tasks, unresolved }) =>
  (tasks === undefined ? "" : ` (${tasks} ${tasks === 1 ? "task" : "tasks"})`) + (unresolved ? `: ${unresolved}` : "");

function addedTasks(count) {
  if (count === 0) {
    return "closed without tasks";
  }
  return count === 1 ? "got 1 task" : `got ${count} tasks`;
}

function terms(values) {
  const seed = values?.parameters?.seed;
  return (values?.model ? `: model ${values.model}` : "") + (seed === undefined ? "" : `, seed ${seed}`);
}

function detail(entry) {
  switch (entry.event) {
    case "claim":
      return ` by ${entry.worker}`;
    case "adopt":
      return ` from ${entry.job} task ${entry.from}`;
    case "retry":
      return ` after ${entry.error}`;
    case "release":
      return `: ${entry.reason}${entry.crash ? " (counts as a crash)" : ""}`;
    default:
      return entry.error ? `: ${entry.error}` : "";
  }
}
