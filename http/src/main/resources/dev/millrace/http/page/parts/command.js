// A command line to copy.

import { css, html } from "lit";
import { session } from "../api/client.js";
import { icons } from "./icons.js";
import { PageElement } from "./element.js";
import { toast } from "./feedback.js";

/** What a command that sends a request needs where keys are on; undefined where they are not. */
export function keyHint() {
  return session.keysOn ? html`The command reads the key from <code>MILLRACE_API_KEY</code>.` : undefined;
}

/** <mr-command .text=${"millrace work …"} label="command line"></mr-command> */
export class Command extends PageElement {
  static properties = { text: {}, label: {}, copied: { state: true } };

  static css = css`
    mr-command {
      display: flex;
      min-width: 0;
      border: 1px solid var(--line);
      border-radius: var(--radius);
      background: var(--sunken);
      text-align: left;
    }

    mr-command pre {
      flex: 1;
      min-width: 0;
      max-height: 16rem;
      padding: 0.45rem var(--s3);
      overflow: auto;
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }

    mr-command .button {
      flex: none;
      align-self: flex-start;
      color: var(--muted);
    }
  `;

  constructor() {
    super();
    this.text = "";
    this.label = "command";
    this.copied = false;
  }

  render() {
    return html`<pre tabindex="0" role="group" aria-label=${this.label}><code>${this.text}</code></pre>
      <button type="button" class="button plain icon" aria-label="Copy the ${this.label}" title="Copy"
        @click=${this.#copy}>${this.copied ? icons.check : icons.copy}</button>`;
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.text);
      this.copied = true;
      setTimeout(() => (this.copied = false), 1500);
      toast("Copied");
    } catch {
      // The clipboard needs https or localhost; what is selected can be copied by hand.
      getSelection().selectAllChildren(this.querySelector("code"));
      toast("Press Ctrl+C to copy what is selected");
    }
  }
}

customElements.define("mr-command", Command);
