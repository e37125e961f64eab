// What the page says back: an empty place, an error where it happened, a short message that goes by itself.

import { css, html, nothing } from "lit";
import { icons } from "./icons.js";
import { adopt } from "./element.js";

adopt(css`
  .empty {
    display: grid;
    justify-items: center;
    gap: var(--s3);
    max-width: 40rem;
    margin: 0 auto;
    padding: var(--s6) var(--s4);
    text-align: center;
  }

  .empty p {
    color: var(--muted);
    text-wrap: balance;
  }

  .empty mr-command {
    max-width: 100%;
  }

  .error-note {
    display: flex;
    align-items: baseline;
    gap: var(--s2);
    padding: var(--s2) var(--s3);
    border-radius: var(--radius);
    background: var(--failed-soft);
    color: var(--failed);
    overflow-wrap: anywhere;
  }

  .error-note svg {
    flex: none;
    align-self: center;
    width: 1rem;
    height: 1rem;
  }

  .error-note span {
    flex: 1;
  }

  .toast {
    position: fixed;
    z-index: 30;
    bottom: var(--s5);
    left: 50%;
    max-width: calc(100vw - 2rem);
    padding: var(--s2) var(--s4);
    border-radius: var(--radius);
    background: var(--text);
    color: var(--paper);
    box-shadow: 0 4px 16px var(--shadow);
    translate: -50% 0;
  }
`);

/**
 * An empty place that says what to do next. `command` needs parts/command.js, `hint` is said below it; `action` is a
 * template.
 */
export function emptyState({ title, text, command, hint, action }) {
  return html`<div class="empty"><h2>${title}</h2>${text ? html`<p>${text}</p>` : nothing}
    ${command ? html`<mr-command .text=${command}></mr-command>` : nothing}
    ${hint ? html`<p class="small">${hint}</p>` : nothing}${action ?? nothing}</div>`;
}

/** An error where it happened; nothing if there is none. `again` is what the button does. */
export function errorNote(error, again, label = "Try again") {
  if (error === undefined || error === null) {
    return nothing;
  }
  return html`<div class="error-note" role="alert">${icons.warning}<span>${error.message ?? error}</span>
    ${again ? html`<button type="button" class="button" @click=${again}>${label}</button>` : nothing}</div>`;
}

/** The error, unless it is that the server does not answer: that is said once, at the top of the page. */
export const unsaid = (error) => (error?.status === 0 ? undefined : error);

let timer = 0;

/** A short message at the bottom, which screen readers say too. */
export function toast(text) {
  let place = document.querySelector(".toast");
  if (place === null) {
    place = document.createElement("div");
    place.className = "toast";
    place.setAttribute("role", "status");
    document.body.append(place);
  }
  place.hidden = false;
  place.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => (place.hidden = true), 4000);
}
