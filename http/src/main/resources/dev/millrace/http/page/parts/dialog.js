// Dialogs over <dialog>: the browser keeps the focus inside, and Escape closes them.

import { css, html, render } from "lit";
import { adopt } from "./element.js";

adopt(css`
  dialog.mr-dialog {
    width: min(30rem, calc(100vw - 2rem));
    max-height: calc(100dvh - 2rem);
    padding: 0;
    border: 1px solid var(--line);
    border-radius: 10px;
    background: var(--surface);
    color: var(--text);
    box-shadow: 0 12px 48px var(--shadow);
  }

  dialog.mr-dialog.wide {
    width: min(48rem, calc(100vw - 2rem));
  }

  dialog.mr-dialog::backdrop {
    background: rgb(8 16 18 / 0.45);
  }

  dialog.mr-dialog form {
    display: grid;
    gap: var(--s4);
    padding: var(--s5);
  }

  dialog.mr-dialog .actions {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: var(--s2);
  }
`);

let number = 0;

/**
 * Shows a dialog, and resolves with what `close(value)` was given; undefined if it was dismissed.
 * `content(close, again)` renders the form; `again()` renders it once more after a change.
 */
export function openDialog(title, content, { wide = false } = {}) {
  const dialog = document.createElement("dialog");
  dialog.className = wide ? "mr-dialog wide" : "mr-dialog";
  const heading = `dialog-${++number}`;
  dialog.setAttribute("aria-labelledby", heading);
  let result;
  const close = (value) => {
    result = value;
    dialog.close();
  };
  const again = () => {
    const submitted = (event) => event.preventDefault();
    const form = html`<form method="dialog" @submit=${submitted}>
      <h2 id=${heading}>${title}</h2>${content(close, again)}</form>`;
    render(form, dialog);
  };
  again();
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(result);
    });
    dialog.showModal();
  });
}

/**
 * Asks before something is done, and why. Resolves with { comment } or undefined. `text` may be a template; `kept` says
 * where the comment ends up.
 */
export function confirmDialog({ title, text, confirm, danger = false, kept = "the log" }) {
  let said = "";
  return openDialog(title, (close) => html`
    <div>${text}</div>
    ${commentField(kept, (text) => (said = text))}
    <div class="actions">
      <button type="button" class="button" @click=${() => close(undefined)}>Cancel</button>
      <button type="submit" class="button ${danger ? "danger" : "primary"}"
        @click=${() => close({ comment: said.trim() || undefined })}>${confirm}</button>
    </div>`);
}

/** Why something is done. `changed(text)` is told what was typed. */
export function commentField(kept, changed) {
  return html`<div class="field"><label for="dialog-comment">Comment (optional, kept in ${kept})</label>
    <input id="dialog-comment" type="text" maxlength="500" autocomplete="off"
      @input=${(event) => changed(event.target.value)}></div>`;
}
