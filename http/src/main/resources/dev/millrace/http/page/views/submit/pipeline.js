// The editor for a job document.

import { html, nothing } from "lit";
import { serverUrl, session } from "../../api/client.js";
import { PageElement } from "../../parts/element.js";
import "../../parts/command.js";
import { jsonError } from "../../parts/json-error.js";
import { readDraft, writeDraft } from "../../parts/draft.js";
import { DocumentCheck, checkLine } from "./check.js";
import { curlLine, workFileLine } from "./document.js";
import { EXAMPLES } from "./examples.js";

export class SubmitPipeline extends PageElement {
  static properties = { text: { state: true }, busy: { state: true } };

  #check = new DocumentCheck(() => this.requestUpdate());

  constructor() {
    super();
    this.text = readDraft("pipeline").text ?? pretty(EXAMPLES[0].document);
    this.busy = false;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#write(this.text);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#check.stop();
  }

  reconnected() {
    this.#write(this.text);
  }

  render() {
    const { state } = this.#check.result;
    return html`<form class="submit-form" @submit=${this.#submit} @keydown=${this.#key} novalidate>
      <div><section class="panel">
        <div class="head"><h2><label for="document">Job document</label></h2>
          <button type="button" class="button" ?disabled=${this.#parsed() === undefined}
            @click=${this.#format}>Format</button></div>
        <div class="body"><textarea id="document" class="submit-code" rows="24" spellcheck="false" autocapitalize="off"
          aria-describedby="pipeline-check" aria-invalid=${state === "invalid" ? "true" : "false"}
          .value=${this.text} @input=${(event) => this.#write(event.target.value)}></textarea></div>
      </section></div>
      <aside>
        <section class="panel"><div class="body">
          ${checkLine(this.#check.result, "pipeline-check")}
          <div class="submit-actions">
            <button class="button primary" ?disabled=${this.busy || this.#parsed() === undefined}
              aria-describedby="pipeline-check">Submit the pipeline</button>
            <span class="hint">Ctrl+Enter</span></div>
        </div></section>
        ${this.#examplesPanel()}${this.#commandPanel()}
      </aside></form>`;
  }

  #examplesPanel() {
    return html`<section class="panel"><div class="head"><h2>Begin with an example</h2></div><div class="body">
      ${EXAMPLES.map((example) => html`<div class="submit-example"><button type="button" class="button"
        @click=${() => this.#write(pretty(example.document))}>${example.name}</button>
        <span class="hint">${example.text}</span></div>`)}</div></section>`;
  }

  #commandPanel() {
    return html`<section class="panel"><div class="head"><h2>The same from a terminal</h2></div><div class="body">
      <div class="field"><span class="label">millrace</span><mr-command label="millrace command"
        .text=${workFileLine(serverUrl, this.text)}></mr-command></div>
      <div class="field"><span class="label">curl</span><mr-command label="curl command"
        .text=${curlLine(serverUrl, this.text, session.keysOn)}></mr-command></div>
      ${session.keysOn ? html`<p class="hint">Both read the key from <code>MILLRACE_API_KEY</code>.</p>` : nothing}
      </div></section>`;
  }

  #parsed() {
    try {
      return JSON.parse(this.text);
    } catch {
      return undefined;
    }
  }

  #write(text) {
    this.text = text;
    writeDraft("pipeline", { text });
    if (text.trim() === "") {
      this.#check.clear();
      return;
    }
    try {
      JSON.parse(text);
      this.#check.check(text);
    } catch (failure) {
      this.#check.refuse(`Not JSON: ${jsonError(failure, text)}`);
    }
  }

  #format() {
    this.#write(pretty(this.#parsed()));
  }

  #key(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      this.#submit(event);
    }
  }

  async #submit(event) {
    event.preventDefault();
    if (this.busy || this.#parsed() === undefined) {
      return;
    }
    this.busy = true;
    await this.#check.submit(this.text);
    this.busy = false;
  }
}

function pretty(document) {
  return `${JSON.stringify(document, null, 2)}\n`;
}

customElements.define("mr-submit-pipeline", SubmitPipeline);
