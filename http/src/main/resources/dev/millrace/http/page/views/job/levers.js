// What a user can do to a job or a stage. Which of it is legal now, the server says in `levers`.

import { html } from "lit";
import { api } from "../../api/client.js";
import { count, number } from "../../api/format.js";
import { go, jobLink } from "../../api/route.js";
import { commentField, confirmDialog, openDialog } from "../../parts/dialog.js";
import { errorNote, toast } from "../../parts/feedback.js";
import { icons } from "../../parts/icons.js";

const PRIORITIES = ["VERY_HIGH", "HIGH", "MEDIUM", "LOW", "VERY_LOW"];

/** The levers of a job, in the order of their buttons. */
export const LEVERS = {
  pause: {
    label: "Pause",
    icon: icons.pause,
    pull: (job) =>
      setStatus(
        job,
        "PAUSED",
        "Pause this job?",
        "Nothing new of it is handed out until it is resumed. What runs may finish.",
      ),
  },
  resume: {
    label: "Resume",
    icon: icons.play,
    pull: (job) => setStatus(job, "PENDING", "Resume this job?", "It goes on where it stopped."),
  },
  retry: { label: "Retry", icon: icons.retry, pull: retry },
  prioritize: { label: "Priority", icon: icons.next, pull: prioritize },
  abort: {
    label: "Abort",
    icon: icons.stop,
    danger: true,
    pull: (job) =>
      setStatus(
        job,
        "ABORTED",
        "Abort this job?",
        "Every stage and unfinished task ends with it. This cannot be undone.",
        true,
      ),
  },
  delete: { label: "Delete", icon: icons.trash, danger: true, pull: remove },
};

const withComment = ({ comment }) => (comment === undefined ? {} : { comment });

async function setStatus(job, status, title, text, danger = false) {
  const said = await confirmDialog({ title, text, confirm: title.split(" ")[0], danger });
  if (said !== undefined) {
    await api.put(`/v1/jobs/${job.id}/status`, { status, ...withComment(said) });
  }
}

/** Approves a stage that stands at its gate. */
export async function approve(stage) {
  const said = await confirmDialog({
    title: `Approve stage ${stage.order}?`,
    text: `Its tasks (${stage.type}) can then be taken.`,
    confirm: "Approve",
  });
  if (said !== undefined) {
    await api.put(`/v1/stages/${stage.id}/status`, { status: "PENDING", ...withComment(said) });
  }
}

async function retry(job) {
  let fromStart = false;
  const said = await confirmDialog({
    title: "Run this job again?",
    text: html`<p>A new job is made. It adopts what was completed here, and runs the rest.</p>
      <label class="row"><input type="checkbox" @change=${(event) => (fromStart = event.target.checked)}>
        Repeat everything, adopt nothing</label>`,
    confirm: "Retry",
  });
  if (said === undefined) {
    return;
  }
  const answer = await api.post(`/v1/jobs/${job.id}/retry`, { fromStart, ...withComment(said) });
  toast(`The new job has ${count(answer.tasks, "task")}, ${number(answer.adopted)} adopted`);
  go(jobLink(answer.job.id));
}

async function remove(job) {
  const said = await confirmDialog({
    title: "Delete this job?",
    text: "Inputs, results and log are gone for good.",
    confirm: "Delete",
    danger: true,
    kept: "the server's log",
  });
  if (said !== undefined) {
    // As for many jobs: the server's log then has who did it and why. The job's own log goes with it.
    const { outcomes } = await api.post("/v1/jobs/bulk", { action: "delete", jobs: [job.id], ...withComment(said) });
    if (!outcomes[0].done) {
      throw new Error(outcomes[0].reason);
    }
    toast("The job is deleted");
    go("#/jobs");
  }
}

async function prioritize(job) {
  let error;
  let comment = "";
  await openDialog("How urgent is this job?", (close, again) => {
    const save = async (event) => {
      try {
        const priority = event.target.form.elements["job-priority"].value;
        // The server has no body for "it has this priority already", so that the same one is not sent.
        if (priority !== job.priority) {
          const why = withComment({ comment: comment.trim() || undefined });
          await api.patch(`/v1/jobs/${job.id}/priority`, { priority, ...why });
        }
        close(true);
      } catch (failure) {
        error = failure;
        again();
      }
    };
    return html`<div class="field"><label for="job-priority">Priority</label>
        <select id="job-priority">${PRIORITIES.map(
          (name) => html`<option value=${name}
          ?selected=${name === job.priority}>${name.toLowerCase().replace("_", " ")}</option>`,
        )}</select></div>
      ${commentField("the log", (text) => (comment = text))}
      ${errorNote(error)}
      <div class="actions"><button type="button" class="button" @click=${() => close()}>Cancel</button>
        <button type="submit" class="button primary" @click=${save}>Set</button></div>`;
  });
}
