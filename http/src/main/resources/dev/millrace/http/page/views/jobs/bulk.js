// The dialog of an action on many jobs: what it is for, how far it is, what was refused.

import { css, html, nothing } from "lit";
import { count, number } from "../../api/format.js";
import { jobLink } from "../../api/route.js";
import { badge } from "../../parts/badge.js";
import { openDialog } from "../../parts/dialog.js";
import { adopt } from "../../parts/element.js";
import { errorNote } from "../../parts/feedback.js";
import { icons } from "../../parts/icons.js";
import "../../parts/rows.js";
import { carryOut, fixMatching, fixPicked, readAgain } from "./bulk-set.js";

adopt(css`
  .bulk-states {
    display: flex;
    flex-wrap: wrap;
    gap: var(--s1) var(--s4);
    margin: var(--s3) 0 0;
    padding: 0;
    list-style: none;
  }

  .bulk-bar {
    width: 100%;
    height: 0.5rem;
    accent-color: var(--accent-fill);
  }

  .bulk-refused mr-rows {
    height: 12rem;
    margin-top: var(--s2);
    border: 1px solid var(--line);
    border-radius: var(--radius);
  }

  .bulk-refused .rows-row {
    display: grid;
    grid-template-columns: 9rem minmax(0, 1fr);
    align-items: center;
    gap: var(--s3);
    padding: 0 var(--s3);
  }
`);

/** The actions, in the order of their buttons. */
export const ACTIONS = {
  pause: {
    label: "Pause",
    icon: icons.pause,
    past: "paused",
    what: "Nothing new of them is handed out until they are resumed.",
  },
  resume: { label: "Resume", icon: icons.play, past: "resumed", what: "They go on where they stopped." },
  abort: {
    label: "Abort",
    icon: icons.stop,
    past: "aborted",
    what: "Every stage and unfinished task ends. This cannot be undone.",
    danger: true,
  },
  retry: {
    label: "Retry",
    icon: icons.retry,
    past: "retried",
    what: "Each is run again as a new job, which adopts what was completed.",
  },
  delete: {
    label: "Delete",
    icon: icons.trash,
    past: "deleted",
    what: "Inputs, results and logs are gone for good. Only jobs that have ended can be deleted.",
    danger: true,
  },
};

/**
 * Asks, then acts. `picked`: rows of jobs; without them, all jobs of `jobWindow`. Which jobs it is for is fixed when the
 * dialog opens. Resolves with true if anything was sent.
 */
export async function bulkDialog(action, { picked, jobWindow }) {
  const { label } = ACTIONS[action];
  const progress = { sent: 0, done: 0, refused: [], unknown: [], found: [], spared: [], stopped: false };
  const over = new AbortController();
  const state = { phase: "fixing", progress, over: over.signal };
  await openDialog(
    `${label} jobs`,
    (close, again) => {
      if (state.again === undefined) {
        state.again = again;
        fix(action, picked, jobWindow, state);
      }
      return content(action, state, close);
    },
    { wide: true },
  );
  state.closed = true;
  state.progress.stopped = true;
  over.abort();
  return state.progress.sent > 0;
}

async function fix(action, picked, jobWindow, state) {
  try {
    state.set = picked ? fixPicked(action, picked) : await fixMatching(action, jobWindow, (unread) => look(state, unread));
    state.ids = state.set.groups.flatMap(({ ids }) => ids);
    state.phase = "asking";
  } catch (error) {
    state.error = error;
  }
  // The dialog is not yet in the document when a picked set is fixed at once.
  queueMicrotask(() => {
    if (!state.closed) {
      state.again();
      document.querySelector("#bulk-comment")?.focus();
    }
  });
}

function look(state, unread) {
  state.unread = unread;
  if (!state.closed) {
    state.again();
  }
}

async function act(action, comment, state) {
  state.phase = "acting";
  state.again();
  focusButton();
  try {
    await carryOut(action, state.ids, comment, state.progress, () => state.closed || state.again());
  } catch (error) {
    state.error = error;
  }
  state.phase = "done";
  if (!state.closed) {
    state.again();
    focusButton();
    await lookAgain(action, state);
  }
}

/** What the jobs of a request without an answer are now is known when the server is back. */
async function lookAgain(action, state) {
  try {
    await readAgain(action, state.progress, state.over);
  } catch {
    return; // it stays unknown
  }
  if (!state.closed) {
    state.again();
  }
}

/** The button that had the focus is gone with its phase: without another, Enter and readers would be nowhere. */
function focusButton() {
  document.querySelector("dialog.mr-dialog .actions button")?.focus();
}

function content(action, state, close) {
  switch (state.phase) {
    case "fixing":
      return html`${errorNote(state.error)}${state.error ? nothing : finding(state.unread)}
        <div class="actions"><button type="button" class="button" @click=${() => close()}>Cancel</button></div>`;
    case "asking":
      return asking(action, state, close);
    default:
      return progressOf(action, state, close);
  }
}

function finding(unread) {
  return html`<p class="muted" role="status">Finding the jobs…${
    unread ? ` The server has read ${number(unread.indexed)} of ${number(unread.known)}.` : ""
  }</p>`;
}

function asking(action, state, close) {
  const { label, past, what, danger } = ACTIONS[action];
  const { groups, leftOut, cut, unread } = state.set;
  const amount = state.ids.length;
  if (amount === 0) {
    return html`<p>None of these jobs can be ${past} in its present state.</p>${partial(unread)}
      <div class="actions"><button type="button" class="button" autofocus @click=${() => close()}>Close</button></div>`;
  }
  return html`
    <div><p><strong>${count(amount, "job")}</strong> will be ${past}. ${what}</p>
      <ul class="bulk-states">${groups.map(({ status, ids }) => html`<li>${badge(status)} ${number(ids.length)}</li>`)}</ul></div>
    ${
      leftOut > 0
        ? html`<p class="hint">${count(leftOut, "job")} of the selection cannot be ${past} in
          ${leftOut === 1 ? "its" : "their"} present state, and ${leftOut === 1 ? "is" : "are"} left out.</p>`
        : nothing
    }
    ${partial(unread)}
    ${cut > 0 ? html`<p class="hint">${number(cut)} more match; do this again for them.</p>` : nothing}
    <div class="field"><label for="bulk-comment">Comment (optional, kept in ${action === "delete" ? "the server's log" : "the log of each job"})</label>
      <input id="bulk-comment" type="text" maxlength="1000" autocomplete="off" autofocus></div>
    <div class="actions">
      <button type="button" class="button" @click=${() => close()}>Cancel</button>
      <button type="submit" class="button ${danger ? "danger" : "primary"}"
        @click=${(event) => act(action, event.target.form.elements["bulk-comment"].value.trim(), state)}>
        ${label} ${count(amount, "job")}</button>
    </div>`;
}

/** Said where the set may lack jobs that match. */
function partial(unread) {
  return unread
    ? html`<p class="hint">The server can search ${number(unread.indexed)} of ${number(unread.known)} jobs. Others that match
        are not in this set.</p>`
    : nothing;
}

function progressOf(action, state, close) {
  const { progress, ids, phase, error } = state;
  const { past } = ACTIONS[action];
  const over = phase === "done";
  const left = ids.length - progress.sent;
  return html`
    <div><label for="bulk-bar" role="status">${number(progress.done)} ${past}${
      progress.refused.length > 0 ? `, ${number(progress.refused.length)} refused` : ""
    }${over ? "" : ` of ${number(ids.length)}…`}</label>
      <progress class="bulk-bar" id="bulk-bar" max=${ids.length} .value=${progress.sent}></progress>
      ${over && left > 0 ? html`<p class="hint">${count(left, "job")} ${left === 1 ? "was" : "were"} not reached.</p>` : nothing}
      ${over ? unanswered(progress, past) : nothing}</div>
    ${errorNote(error)}
    ${progress.refused.length > 0 ? refusedList(progress.refused, close) : nothing}
    <div class="actions">${
      over
        ? html`<button type="button" class="button primary" @click=${() => close()}>Close</button>`
        : html`<button type="button" class="button" ?disabled=${progress.stopped} @click=${() => {
            progress.stopped = true;
            state.again();
          }}>Stop</button>`
    }</div>`;
}

/** The jobs of a request without an answer: the server may have reached some of them, or all. */
function unanswered({ unknown, found, spared }, past) {
  if (unknown.length > 0) {
    return html`<p class="hint">Unknown: ${count(unknown.length, "job")}. The request ended before the server said what
      became of ${unknown.length === 1 ? "it" : "them"}.</p>`;
  }
  const all = found.length + spared.length;
  return all > 0
    ? html`<p class="hint">The request ended before the server said what became of ${count(all, "job")}. By their present
        states, ${number(found.length)} ${found.length === 1 ? "is" : "are"} ${past}, and ${number(spared.length)}
        ${spared.length === 1 ? "is" : "are"} not.</p>`
    : nothing;
}

function refusedList(refused, close) {
  const cells = (index) => {
    const { jobId, reason } = refused[index];
    return html`<span role="gridcell" class="clip mono"><a href=${jobLink(jobId)} tabindex="-1" title=${jobId}
        @click=${() => close()}>…${jobId.slice(-12)}</a></span>
      <span role="gridcell" class="clip" title=${reason}>${reason}</span>`;
  };
  return html`<div class="bulk-refused"><h3>Refused</h3>
    <mr-rows .count=${refused.length} .height=${32} .cells=${cells} label="Refused jobs and why"
      @open=${({ detail }) => {
        location.hash = jobLink(refused[detail.index].jobId);
        close();
      }}></mr-rows></div>`;
}
