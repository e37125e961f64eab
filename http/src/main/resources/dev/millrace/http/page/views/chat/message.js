// One message of a conversation, and how an answer grows from the events of a stream.

import { css, html, nothing } from "lit";
import { count, duration, rate } from "../../api/format.js";
import { errorNote, toast } from "../../parts/feedback.js";

/** A message; an answer of the model begins empty. */
export class Answer {
  role = "assistant";
  content = "";
  thoughts = "";
  /** What is said below a complete answer. */
  about = "";
  error = undefined;
  complete = false;
  #began = performance.now();
  #first = undefined;
  #usage = undefined;
  #reason = "";
  #done = false;

  static restored({ role, content, thoughts = "", about = "" }) {
    return Object.assign(new Answer(), { role, content, thoughts, about, complete: true });
  }

  /** Takes an event of the stream; false after the last one. */
  take(data) {
    if (data === "[DONE]") {
      this.#done = true;
      return false;
    }
    if (data.error) {
      this.error = data.error;
      return false;
    }
    this.#usage = data.usage ?? this.#usage;
    const choice = data.choices?.[0];
    const text = choice?.delta?.content ?? "";
    const thought = choice?.delta?.reasoning_content ?? "";
    if (this.#first === undefined && text + thought !== "") {
      this.#first = performance.now();
    }
    this.content += text;
    this.thoughts += thought;
    this.#reason = choice?.finish_reason ?? this.#reason;
    return true;
  }

  end(error, stopped) {
    this.complete = true;
    if (stopped) {
      this.about = "stopped";
      return;
    }
    this.error ??= error ?? (this.#done ? undefined : new Error("The answer broke off: the server ended the stream."));
    this.about = this.#summary();
  }

  #summary() {
    const tokens = this.#usage?.completion_tokens;
    if (tokens === undefined || this.#first === undefined) {
      return "";
    }
    const seconds = (performance.now() - this.#first) / 1000;
    const parts = [count(tokens, "token"), `first after ${duration((this.#first - this.#began) / 1000)}`];
    if (tokens > 1 && seconds > 0) {
      parts.push(`${rate((tokens - 1) / seconds)} tokens/s`);
    }
    if (this.#reason === "length") {
      parts.push("cut by max tokens");
    }
    return parts.join(" · ");
  }
}

export const messageStyles = css`
  .message {
    max-width: 50rem;
    margin-bottom: var(--s5);
  }

  .message .who {
    margin-bottom: var(--s1);
    color: var(--muted);
    font-size: var(--small);
    font-weight: 500;
  }

  .message .words {
    font-size: 0.9375rem;
    line-height: 1.6;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }

  .message.user .words {
    padding: var(--s3) var(--s4);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
  }

  .message details {
    margin-bottom: var(--s3);
    color: var(--muted);
    font-size: var(--small);
  }

  .message summary {
    width: fit-content;
    cursor: pointer;
  }

  .message .thoughts {
    margin-top: var(--s2);
    padding-left: var(--s3);
    border-left: 2px solid var(--line-strong);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }

  .message .after {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--s1) var(--s2);
    min-height: 2rem;
    margin-top: var(--s1);
  }

  .message .after .button {
    padding: 0 var(--s2);
    color: var(--muted);
    font-size: var(--small);
  }
`;

/** `again` asks for another answer; undefined where that is not possible. */
export function messageBox(message, again) {
  const model = message.role === "assistant";
  return html`<article class="message ${message.role}">
    <div class="who">${model ? "Model" : "You"}</div>
    ${message.thoughts
      ? html`<details><summary>${message.complete || message.content ? "Thoughts" : "Thinking…"}</summary>
          <div class="thoughts">${message.thoughts}</div></details>`
      : nothing}
    <div class="words">${message.content}${model && !message.complete && message.thoughts + message.content === ""
      ? html`<span class="muted">Waits for the first token…</span>`
      : nothing}</div>
    ${errorNote(message.error)}
    ${model ? html`<div class="after">${message.complete ? after(message, again) : nothing}</div>` : nothing}
  </article>`;
}

function after(message, again) {
  return html`${message.about ? html`<span class="muted small">${message.about}</span>` : nothing}
    ${message.content
      ? html`<button type="button" class="button plain" @click=${() => copy(message.content)}>Copy</button>`
      : nothing}
    ${again ? html`<button type="button" class="button plain" @click=${again}>Try again</button>` : nothing}`;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied");
  } catch {
    toast("The browser does not let this page copy; select the text and press Ctrl+C");
  }
}
