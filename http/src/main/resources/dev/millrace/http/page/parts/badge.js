// A state as a word with a sign before it: the sign's shape differs for each state, so colour is never all that tells.

import { css, html, svg } from "lit";
import { stateColour, stateLabel } from "../api/format.js";
import { adopt } from "./element.js";

adopt(css`
  .state {
    display: inline-flex;
    align-items: center;
    gap: 0.4em;
    font-weight: 500;
    white-space: nowrap;
  }

  .state svg {
    flex: none;
    width: 0.75rem;
    height: 0.75rem;
  }

  .is-pending { color: var(--pending); }
  .is-running { color: var(--running); }
  .is-completed { color: var(--completed); }
  .is-failed { color: var(--failed); }
  .is-aborted { color: var(--aborted); }
  .is-paused { color: var(--paused); }
  .is-gate { color: var(--gate); }
  .is-retried { color: var(--retried); }
`);

const SIGNS = {
  CREATED: svg`<circle cx="6" cy="6" r="4.5" stroke-dasharray="2 2"/>`,
  PENDING: svg`<circle cx="6" cy="6" r="4.5"/>`,
  WAITING: svg`<path d="M2.5 10.5v-9M9.5 10.5v-9M2.5 4h7M2.5 7.5h7"/>`,
  IN_PROGRESS: svg`<circle cx="6" cy="6" r="4.5"/><path d="M6 1.5a4.5 4.5 0 0 1 0 9z" fill="currentColor"/>`,
  COMPLETED: svg`<path d="M1.5 6.5l3 3 6-7"/>`,
  FAILED: svg`<path d="M2 2l8 8M10 2l-8 8"/>`,
  ABORTED: svg`<circle cx="6" cy="6" r="4.5"/><path d="M3 9l6-6"/>`,
  PAUSED: svg`<path d="M4 2v8M8 2v8"/>`,
  RETRIED: svg`<path d="M10 6a4 4 0 1 1-1.3-3M10 1v2.4H7.6"/>`,
};

/** The sign alone, coloured; for places where the word stands beside it or in a label. */
export function stateSign(state) {
  return html`<svg viewBox="0 0 12 12" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"
    stroke-linejoin="round" aria-hidden="true">${SIGNS[state] ?? SIGNS.PENDING}</svg>`;
}

/** A state of a job, a stage or a task. `label` replaces the state's own word. */
export function badge(state, label = stateLabel(state)) {
  return html`<span class="state is-${stateColour(state)}">${stateSign(state)}${label}</span>`;
}

/** A job or stage that waits for an approval: no state of its own in the API, but one to people. */
export function gateBadge(label = "waits for approval") {
  return badge("WAITING", label);
}
