// The parameters of a conversation.

import { html, nothing } from "lit";
import { parameterError } from "../submit/document.js";

/** As POST /v1/chat/completions names them, with its ranges. */
const PARAMETERS = [
  { name: "max_tokens", label: "Max tokens", usual: "2048", whole: true, min: 1 },
  { name: "temperature", label: "Temperature", usual: "0.8", min: 0, max: 2 },
  { name: "top_k", label: "Top k", usual: "40", whole: true, min: 0 },
  { name: "top_p", label: "Top p", usual: "0.9", above: 0, max: 1 },
  { name: "min_p", label: "Min p", usual: "0.05", min: 0, max: 1 },
  { name: "seed", label: "Seed", usual: "random", whole: true },
];

export const USUAL = { model: "", system: "", ...Object.fromEntries(PARAMETERS.map(({ name }) => [name, ""])) };

export function parametersWrong(parameters) {
  return PARAMETERS.some((parameter) => parameterError(parameter, parameters[parameter.name]) !== undefined);
}

/** The body of the request. Thoughts are not sent back: they belong to the answer that they led to. */
export function chatRequest(parameters, messages) {
  const said = messages
    .filter((message) => message.content !== "")
    .map(({ role, content }) => ({ role, content }));
  const system = parameters.system.trim() === "" ? [] : [{ role: "system", content: parameters.system }];
  const set = PARAMETERS.filter(({ name }) => parameters[name] !== "");
  return {
    ...(parameters.model ? { model: parameters.model } : {}),
    messages: [...system, ...said],
    ...Object.fromEntries(set.map(({ name }) => [name, Number(parameters[name])])),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** Open beside the conversation; folded above it where there is no room beside. */
export function parametersPanel(parameters, models, changed) {
  const set = (name) => (event) => changed({ ...parameters, [name]: event.target.value });
  const wide = matchMedia("(min-width: 60.01rem)").matches;
  return html`<details class="panel chat-parameters" ?open=${wide}>
    <summary class="head"><h2>Parameters</h2></summary><div class="body">
    <div class="field"><label for="chat-model">Model</label>
      <select id="chat-model" @change=${set("model")}>
        <option value="" ?selected=${parameters.model === ""}>${models[0]} (default)</option>
        ${models.map((name) => html`<option value=${name} ?selected=${parameters.model === name}>${name}</option>`)}
      </select></div>
    <div class="field"><label for="chat-system">System message</label>
      <textarea id="chat-system" rows="3" placeholder="None" .value=${parameters.system}
        @input=${set("system")}></textarea></div>
    ${PARAMETERS.map((parameter) => {
      const error = parameterError(parameter, parameters[parameter.name]);
      const id = `chat-${parameter.name}`;
      return html`<div class="field chat-parameter"><label for=${id}>${parameter.label}</label>
        <input id=${id} type="text" inputmode=${parameter.whole ? "numeric" : "decimal"} autocomplete="off"
          placeholder=${parameter.usual} .value=${parameters[parameter.name]} aria-invalid=${error ? "true" : "false"}
          aria-describedby=${error ? `${id}-error` : nothing} @input=${set(parameter.name)}>
        ${error ? html`<span class="small is-failed" id="${id}-error">${error}</span>` : nothing}</div>`;
    })}</div></details>`;
}
