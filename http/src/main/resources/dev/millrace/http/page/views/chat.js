// A conversation with a served model. Nothing of it is stored on the server.

import { css, html, nothing } from "lit";
import { session } from "../api/client.js";
import { ModelNames } from "../api/model-names.js";
import { stream } from "../api/stream.js";
import "../parts/badge.js";
import { PageElement } from "../parts/element.js";
import { emptyState, errorNote } from "../parts/feedback.js";
import { icons } from "../parts/icons.js";
import "../parts/command.js";
import { readDraft, writeDraft } from "../parts/draft.js";
import { Answer, messageBox, messageStyles } from "./chat/message.js";
import { USUAL, chatRequest, parametersPanel, parametersWrong } from "./chat/parameters.js";

/** Closer than this to the end of the page, the page follows the answer. */
const NEAR = 120;

export class Chat extends PageElement {
  static properties = {
    route: { attribute: false },
    messages: { state: true },
    parameters: { state: true },
    answering: { state: true },
    said: { state: true },
  };

  static css = css`
    mr-chat .chat {
      display: grid;
      grid-template-columns: minmax(0, 1fr) 17rem;
      align-items: start;
      gap: var(--s5);
    }

    mr-chat {
      display: block;
      margin-bottom: calc(-1 * var(--s7)); /* the composer ends at the edge of the window */
    }

    mr-chat .talk {
      display: flex;
      flex-direction: column;
      min-height: calc(100dvh - 7.8rem);
    }

    mr-chat .messages {
      flex: 1;
    }

    mr-chat .composer {
      position: sticky;
      bottom: 0;
      padding: var(--s3) 0 var(--s4);
      background: var(--paper);
    }

    mr-chat .composer form {
      display: flex;
      align-items: flex-end;
      gap: var(--s2);
      padding: var(--s2);
      border: 1px solid var(--line-strong);
      border-radius: 10px;
      background: var(--input);
    }

    mr-chat .composer form:focus-within {
      border-color: var(--accent);
      box-shadow: 0 0 0 1px var(--accent);
    }

    mr-chat .composer textarea {
      flex: 1;
      padding: 0.3rem var(--s2);
      max-height: 40dvh;
      border: 0;
      background: none;
      field-sizing: content;
      resize: none;
      outline: none;
    }

    mr-chat aside {
      position: sticky;
      top: 4.75rem;
    }

    .chat-parameters summary {
      cursor: pointer;
    }

    .chat-parameters summary::after {
      content: "▸"; /* a flexible box has no mark of its own */
      color: var(--muted);
    }

    .chat-parameters[open] summary::after {
      content: "▾";
    }

    .chat-parameters .body {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: var(--s3);
    }

    .chat-parameter {
      grid-template-columns: 1fr 6rem;
      align-items: center;
    }

    .chat-parameter .is-failed {
      grid-column: 1 / -1;
      text-align: right;
    }

    @media (max-width: 60rem) {
      mr-chat .chat {
        grid-template-columns: minmax(0, 1fr);
        gap: var(--s3);
      }

      mr-chat aside {
        position: static;
        order: -1;
      }

      mr-chat {
        margin-bottom: calc(-1 * var(--s6));
      }

      mr-chat .talk {
        min-height: calc(100dvh - 13.6rem);
      }
    }

    ${messageStyles}
  `;

  #stop = undefined;
  #models = new ModelNames(() => this.requestUpdate());

  constructor() {
    super();
    const draft = readDraft("chat");
    this.messages = (draft.messages ?? []).map((message) => Answer.restored(message));
    this.parameters = { ...USUAL, ...draft.parameters };
    this.said = "";
  }

  connectedCallback() {
    super.connectedCallback();
    this.#models.load(this.left);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#stop?.abort(); // the server stops computing what nobody reads
  }

  reconnected() {
    this.#models.load(this.left);
  }

  render() {
    return html`<div class="page-head"><h1>Playground</h1>
        ${this.messages.length > 0
          ? html`<button type="button" class="button" @click=${this.#clear}>New conversation</button>`
          : nothing}</div>
      ${errorNote(this.#models.failure, () => this.#models.load(this.left))}
      ${this.#body()}`;
  }

  #body() {
    if (!session.may("submit")) {
      return html`<div class="panel">${emptyState({
        title: "This key may not ask a model",
        text: "To chat, enter a key with the scope submit. Whoever runs the server makes one:",
        command: "millrace apikey NAME --file keys --scope read,submit",
      })}</div>`;
    }
    const { names, waits } = this.#models;
    if (names === undefined) {
      return waits ? html`<p class="muted" role="status">${waits}</p>` : nothing;
    }
    if (names.length === 0) {
      return html`<div class="panel">${emptyState({
        title: "This server has no model to chat with",
        text: "Start it with one: a GGUF file, or the name of one that is installed.",
        command: "millrace serve --workspace ws --model model.gguf",
      })}</div>`;
    }
    return html`<div class="chat"><div class="talk">
        <div class="messages">${this.messages.length === 0
          ? emptyState({
              title: "Ask something",
              text: "Answers are computed before the work of the queue, and nothing is stored.",
            })
          : this.messages.map((message, i) => messageBox(message, this.#actions(message, i)))}</div>
        ${this.#composer()}
      </div>
      <aside>${parametersPanel(this.parameters, names, (parameters) => {
        this.parameters = parameters;
        this.#remember();
      })}</aside></div>
      <div class="unseen" role="status">${this.said}</div>`;
  }

  #actions(message, i) {
    const last = i === this.messages.length - 1 && message.role === "assistant";
    return last && !this.answering ? () => this.#answer(this.messages.slice(0, -1)) : undefined;
  }

  #composer() {
    return html`<div class="composer"><form @submit=${this.#send}>
      <label class="unseen" for="say">Message</label>
      <textarea id="say" rows="1" placeholder="Message" enterkeyhint="send" @keydown=${this.#key}></textarea>
      ${this.answering
        ? html`<button type="button" class="button" @click=${() => this.#stop.abort()}>${icons.stop}Stop</button>`
        : html`<button class="button primary" ?disabled=${parametersWrong(this.parameters)}>Send</button>`}
    </form></div>`;
  }

  #key(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      this.#send(event);
    }
  }

  #send(event) {
    event.preventDefault();
    const field = this.querySelector("#say");
    if (this.answering || field.value.trim() === "" || parametersWrong(this.parameters)) {
      return;
    }
    const asked = Answer.restored({ role: "user", content: field.value });
    field.value = "";
    this.#answer([...this.messages, asked]);
  }

  async #answer(before) {
    const answer = new Answer();
    this.messages = [...before, answer];
    this.answering = true;
    this.said = "";
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#keepEnd(true);
    await stream("/v1/chat/completions", {
      method: "POST",
      body: chatRequest(this.parameters, before),
      once: true,
      signal,
      onEvent: (_, data) => this.#take(answer, data),
      onEnd: (error) => answer.end(error, signal.aborted),
    });
    const follows = this.#follows();
    this.answering = false;
    this.said = answer.error === undefined ? "The answer is complete." : "";
    this.#remember();
    this.#keepEnd(follows); // of what stands below a complete answer
  }

  #take(answer, data) {
    const follows = this.#follows();
    const more = answer.take(data);
    this.requestUpdate();
    this.#keepEnd(follows);
    return more;
  }

  #follows() {
    const root = document.documentElement;
    return root.scrollHeight - window.innerHeight - window.scrollY < NEAR;
  }

  #keepEnd(follows) {
    if (follows) {
      this.updateComplete.then(() => window.scrollTo(0, document.documentElement.scrollHeight));
    }
  }

  #clear() {
    this.#stop?.abort();
    this.messages = [];
    this.#remember();
    this.querySelector("#say")?.focus();
  }

  #remember() {
    const messages = this.messages.map(({ role, content, thoughts, about }) => ({ role, content, thoughts, about }));
    writeDraft("chat", { parameters: this.parameters, messages });
  }
}

customElements.define("mr-chat", Chat);
