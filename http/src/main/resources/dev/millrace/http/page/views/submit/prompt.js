// The form for one prompt.

import { html, nothing } from "lit";
import { serverUrl, session } from "../../api/client.js";
import { stateLabel } from "../../api/format.js";
import { ModelNames } from "../../api/model-names.js";
import { PageElement } from "../../parts/element.js";
import { errorNote } from "../../parts/feedback.js";
import "../../parts/command.js";
import { readDraft, writeDraft } from "../../parts/draft.js";
import { DocumentCheck, checkLine } from "./check.js";
import {
  PARAMETERS, PRIORITIES, curlLine, fieldsRight, parameterError, parseSchema, promptDocument, tagsError, workLine,
} from "./document.js";

const EMPTY = {
  prompt: "", system: "", model: "", schema: "", name: "", tags: "", priority: "MEDIUM", hold: false,
  ...Object.fromEntries(PARAMETERS.map(({ name }) => [name, ""])),
};

export class SubmitPrompt extends PageElement {
  static properties = {
    form: { state: true },
    busy: { state: true },
  };

  #check = new DocumentCheck(() => this.requestUpdate());
  #models = new ModelNames(() => this.requestUpdate());

  constructor() {
    super();
    this.form = { ...EMPTY, ...readDraft("prompt") };
    this.busy = false;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#models.load(this.left);
    this.#checkForm();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#check.stop();
  }

  reconnected() {
    this.#models.load(this.left);
    this.#checkForm();
  }

  render() {
    return html`<form class="submit-form" @submit=${this.#submit} @keydown=${this.#key} novalidate>
      <div>${this.#promptPanel()}${this.#schemaPanel()}${this.#jobPanel()}</div>
      <aside>${this.#submitPanel()}${this.#commandPanel()}</aside>
    </form>`;
  }

  #promptPanel() {
    return html`<section class="panel"><div class="body">
      <div class="field"><label for="prompt">Prompt</label>
        <textarea id="prompt" rows="7" required placeholder="Write a story with these words: mill, river, stone."
          .value=${this.form.prompt} @input=${this.#set("prompt")}></textarea></div>
      <div class="field"><label for="system">System message</label>
        <textarea id="system" rows="2" placeholder="None" .value=${this.form.system}
          @input=${this.#set("system")}></textarea></div>
      ${errorNote(this.#models.failure, () => this.#models.load(this.left))}
      <div class="submit-fields">
        <div class="field"><label for="model">Model</label>
          <select id="model" aria-describedby="model-hint"
            @change=${this.#set("model")}>${this.#modelOptions()}</select>
          <span class="hint" id="model-hint" role="status">${this.#models.waits}</span></div>
        ${PARAMETERS.map((parameter) => this.#parameter(parameter))}
      </div></div></section>`;
  }

  #modelOptions() {
    const names = this.#models.names ?? [];
    const known = this.form.model === "" || names.includes(this.form.model);
    const models = known ? names : [...names, this.form.model];
    return html`<option value="" ?selected=${this.form.model === ""}>${names.length > 0
      ? `${names[0]} (default)` : "the server's first"}</option>
      ${models.map((name) => html`<option value=${name} ?selected=${this.form.model === name}>${name}</option>`)}`;
  }

  #parameter(parameter) {
    const error = parameterError(parameter, this.form[parameter.name]);
    const id = `parameter-${parameter.name}`;
    return html`<div class="field"><label for=${id}>${parameter.label}</label>
      <input id=${id} type="text" inputmode=${parameter.whole ? "numeric" : "decimal"} autocomplete="off"
        placeholder=${parameter.usual} aria-invalid=${error ? "true" : "false"}
        aria-describedby=${error ? `${id}-error` : nothing}
        .value=${this.form[parameter.name]} @input=${this.#set(parameter.name)}>
      ${error ? html`<span class="small is-failed" id="${id}-error">${error}</span>` : nothing}</div>`;
  }

  #schemaPanel() {
    const error = parseSchema(this.form.schema).error ?? this.#schemaRefused();
    return html`<section class="panel"><div class="body"><div class="field">
      <label for="schema">JSON schema of the answer</label>
      <textarea id="schema" class="submit-code" rows="5" spellcheck="false" aria-describedby="schema-error"
        aria-invalid=${error ? "true" : "false"}
        placeholder='{ "type": "object", "properties": { "river": { "type": "string" } } }'
        .value=${this.form.schema} @input=${this.#set("schema")}></textarea>
      <span class="small ${error ? "is-failed" : "muted"}" id="schema-error">${error
        ?? (this.form.schema.trim()
          ? "The answer will be JSON that fits, token by token."
          : "None: the answer is free text. With a schema, the answer is JSON that fits, token by token.")}</span>
      </div></div></section>`;
  }

  /** What the server says of the schema, without the place in the job: the form has one schema. */
  #schemaRefused() {
    const { state, text } = this.#check.result;
    const [, refused] = text.split("json_schema: ");
    return state === "invalid" ? refused : undefined;
  }

  #jobPanel() {
    return html`<section class="panel"><div class="body"><div class="submit-fields">
      <div class="field"><label for="name">Name of the job</label><input id="name" type="text" maxlength="200"
        autocomplete="off" placeholder="None" .value=${this.form.name} @input=${this.#set("name")}></div>
      ${this.#tags()}
      <div class="field"><label for="priority">Priority</label><select id="priority" @change=${this.#set("priority")}>
        ${PRIORITIES.map((priority) => html`<option value=${priority} ?selected=${this.form.priority === priority}
          >${stateLabel(priority)}</option>`)}</select></div>
      </div>
      <label class="row"><input type="checkbox" .checked=${this.form.hold} @change=${this.#set("hold")}>
        Hold it: it starts when it is resumed</label></div></section>`;
  }

  #tags() {
    const error = tagsError(this.form.tags);
    return html`<div class="field"><label for="tags">Tags, by commas</label><input id="tags" type="text"
        autocomplete="off" placeholder="None" aria-invalid=${error ? "true" : "false"}
        aria-describedby=${error ? "tags-error" : nothing} .value=${this.form.tags} @input=${this.#set("tags")}>
      ${error ? html`<span class="small is-failed" id="tags-error">${error}</span>` : nothing}</div>`;
  }

  #submitPanel() {
    return html`<section class="panel"><div class="body">
      ${checkLine(this.#check.result, "prompt-check")}
      <div class="submit-actions"><button class="button primary" ?disabled=${this.busy || !this.#ready()}
        aria-describedby="prompt-check">Submit the prompt</button><span class="hint">Ctrl+Enter</span></div>
      </div></section>`;
  }

  #commandPanel() {
    if (!fieldsRight(this.form)) {
      return html`<section class="panel"><div class="head"><h2>The same from a terminal</h2></div><div class="body">
        <p class="muted">The commands are here when the fields are right.</p></div></section>`;
    }
    const written = this.form.prompt === "" ? { ...this.form, prompt: "Write a short story." } : this.form;
    return html`<section class="panel"><div class="head"><h2>The same from a terminal</h2></div><div class="body">
      <div class="field"><span class="label">millrace</span><mr-command label="millrace command"
        .text=${workLine(serverUrl, written)}></mr-command></div>
      <div class="field"><span class="label">curl</span><mr-command label="curl command"
        .text=${curlLine(serverUrl, promptDocument(written), session.keysOn)}></mr-command></div>
      ${session.keysOn ? html`<p class="hint">Both read the key from <code>MILLRACE_API_KEY</code>.</p>` : nothing}
      </div></section>`;
  }

  #set(field) {
    return (event) => {
      const { type, checked, value } = event.target;
      this.form = { ...this.form, [field]: type === "checkbox" ? checked : value };
      writeDraft("prompt", this.form);
      this.#checkForm();
    };
  }

  /** Whether all fields can be sent; what the server says of them is another matter. */
  #ready() {
    return this.form.prompt.trim() !== "" && fieldsRight(this.form);
  }

  #checkForm() {
    if (this.form.prompt.trim() === "") {
      this.#check.clear();
    } else if (this.#ready()) {
      this.#check.check(promptDocument(this.form));
    } else {
      this.#check.refuse("A field needs a correction.");
    }
  }

  #key(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      this.#submit(event);
    }
  }

  async #submit(event) {
    event.preventDefault();
    if (this.busy || !this.#ready()) {
      return;
    }
    this.busy = true;
    await this.#check.submit(promptDocument(this.form));
    this.busy = false;
  }
}

customElements.define("mr-submit-prompt", SubmitPrompt);
