// How a result came about.

import { html, nothing } from "lit";
import { duration, number, rate } from "../../api/format.js";

/** Seeds have 64 bits; JavaScript reads those above 2^53 inexactly. */
const exact = (seed) => (Number.isSafeInteger(seed) ? String(seed) : `about ${seed}`);

export function receipt(data) {
  const { timings = {}, parameters } = data;
  const cached = data.cached_tokens > 0 ? `, ${number(data.cached_tokens)} from the cache` : "";
  const thoughts = data.reasoning_tokens > 0 ? `, ${number(data.reasoning_tokens)} of them thoughts` : "";
  const rows = [
    ["Model", data.model],
    [
      "SHA-256",
      data.model_sha256 &&
        html`<span class="mono" title=${data.model_sha256}>${data.model_sha256.slice(0, 16)}…</span>`,
    ],
    ["Prompt", data.prompt_tokens !== undefined && `${number(data.prompt_tokens)} tokens${cached}`],
    ["Output", data.completion_tokens !== undefined && `${number(data.completion_tokens)} tokens${thoughts}`],
    ["Resumed", data.resumed && `${number(data.resumed)} tokens of earlier attempts`],
    ["Ended by", data.finish_reason],
    ["Speed", timings.tokens_per_second !== undefined && `${rate(timings.tokens_per_second)} tokens/s`],
    ["Waited", timings.wait_ms !== undefined && duration(timings.wait_ms / 1000)],
    ["Prefill", timings.prefill_ms !== undefined && duration(timings.prefill_ms / 1000)],
    ["Generated for", timings.decode_ms !== undefined && duration(timings.decode_ms / 1000)],
    ["Seed", data.seed !== undefined && exact(data.seed)],
    ["Vector", data.dimensions !== undefined && `${number(data.dimensions)} numbers, ${data.pooling}`],
  ];
  const shown = rows.filter(([, value]) => value !== undefined && value !== false && value !== "");
  return html`<dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    ${
      parameters
        ? html`<details><summary class="small">All parameters</summary>
          <pre class="words code" tabindex="0" aria-label="Parameters">${JSON.stringify(parameters, null, 2)}</pre></details>`
        : nothing
    }`;
}
