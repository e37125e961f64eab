// The dialog that asks for a key.

import { html, nothing } from "lit";
import { session } from "../api/client.js";
import { openDialog } from "./dialog.js";
import { errorNote } from "./feedback.js";

let open;

/** Asks for a key until one is accepted or the dialog is dismissed. One dialog, however many requests were refused. */
export function askForKey() {
  open ??= ask().finally(() => (open = undefined));
  return open;
}

function ask() {
  let key = "";
  let error = session.reason || undefined;
  return openDialog("This server asks for a key", (close, again) => {
    const tryKey = async () => {
      if (!/^[\x21-\x7e]+$/.test(key.trim())) {
        error = "A key has letters, digits and signs of ASCII, and no blanks."; // no header can carry anything else
        again();
        return;
      }
      try {
        await session.setKey(key.trim());
        close(true);
      } catch (failure) {
        error = failure.status === 401 ? "The key was refused: the server does not know it." : failure;
        again();
      }
    };
    const forget = () => {
      session.forget();
      close(false);
    };
    return html`
      <p class="muted">It is kept in this tab only, and sent with each request in a header.</p>
      <div class="field"><label for="key">Key</label>
        <input id="key" type="password" class="mono" autocomplete="off" autofocus spellcheck="false"
          @input=${(event) => (key = event.target.value)}></div>
      ${errorNote(error)}
      <p class="hint">Whoever runs the server makes one by
        <code>millrace apikey NAME --file keys --scope read</code>.</p>
      <div class="actions">
        ${session.key ? html`<button type="button" class="button" @click=${forget}>Forget the key</button>` : nothing}
        <button type="submit" class="button primary" @click=${tryKey}>Use this key</button>
      </div>`;
  });
}
