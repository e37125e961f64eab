// What a task was asked.

import { html, nothing } from "lit";

/** The words first, the parameters folded behind them; what has no words is shown as JSON. */
export function input(data) {
  const { prompt, messages, input: value, ...rest } = data;
  const shown = Array.isArray(messages) ? messages.map(message) : words(prompt ?? value);
  if (shown === nothing) {
    return html`<pre class="words code" tabindex="0" aria-label="Input">${JSON.stringify(data, null, 2)}</pre>`;
  }
  return html`${shown}${
    Object.keys(rest).length === 0
      ? nothing
      : html`<details><summary>Parameters</summary><pre class="words code" tabindex="0">${JSON.stringify(rest, null, 2)}</pre></details>`
  }`;
}

function words(text) {
  if (text === undefined) {
    return nothing;
  }
  const plain = typeof text === "string";
  return html`<pre class="words ${plain ? "" : "code"}" tabindex="0" aria-label="Input">${
    plain ? text : JSON.stringify(text, null, 2)
  }</pre>`;
}

function message({ role, content }) {
  return html`<p class="label">${role}</p>${words(typeof content === "string" ? content : (content ?? ""))}`;
}
