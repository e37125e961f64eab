// The models that this server has: what they are, and how full they are.

import { html, nothing } from "lit";
import { bytes, number, percent } from "../../api/format.js";
import { link } from "../../api/route.js";
import { badge } from "../../parts/badge.js";
import { setStyle } from "../../parts/set-style.js";

export function models(list) {
  return html`<div class="server-models">${list.map(
    (model) => html`<section class="panel" aria-labelledby="model-${model.name}">
    <div class="head"><h3 id="model-${model.name}" class="clip" title=${model.name}>${model.name}</h3>${state(model)}</div>
    <div class="body">
      <p class="small muted">${kind(model)}</p>
      ${model.remote?.ready === false ? html`<p class="small">Waits: ${model.remote.waitReason}</p>` : nothing}
      ${load(model)}
      <p class="small"><a href=${link("jobs", { model: model.name })}>Its jobs</a>${
        model.sha256
          ? html`<span class="muted mono" title="SHA-256 of its file: ${model.sha256}"> · ${model.sha256.slice(0, 12)}…</span>`
          : nothing
      }</p>
    </div></section>`,
  )}</div>`;
}

function state({ loaded, remote, default: first }) {
  const word =
    remote?.ready === false
      ? badge("WAITING", "waits for nodes")
      : loaded
        ? badge("COMPLETED", "loaded")
        : badge("PENDING", "not loaded");
  return html`<span class="row small">${first ? html`<span class="muted">default</span>` : nothing}${word}</span>`;
}

function kind({ architecture, quantization, layers, context, bytes: size }) {
  return [
    architecture,
    quantization,
    layers !== undefined && `${number(layers)} layers`,
    context !== undefined && `${number(context)} positions`,
    size !== undefined && bytes(size),
  ]
    .filter(Boolean)
    .join(" · ");
}

function load({ running, waiting, slots, batchFill, pages, preemptions }) {
  if (running === undefined && batchFill === undefined && pages === undefined) {
    return nothing;
  }
  const all = pages === undefined ? 0 : pages.used + pages.cached + pages.free;
  return html`<dl>
    ${
      running === undefined
        ? nothing
        : html`<dt>Running</dt><dd>${number(running)}${slots ? ` of ${number(slots)}` : ""}${
            waiting > 0 ? `, ${number(waiting)} wait` : ""
          }</dd>`
    }
    ${
      batchFill === undefined
        ? nothing
        : html`<dt>Batch</dt><dd>${meter([[batchFill, "running"]], `the batch is ${percent(batchFill)} full`)}
      <span class="number">${percent(batchFill)}</span></dd>`
    }
    ${
      all === 0
        ? nothing
        : html`<dt>Cache</dt><dd>${meter(
            [
              [pages.used / all, "running"],
              [pages.cached / all, "pending"],
            ],
            `of ${number(all)} pages of the cache ${number(pages.used)} are in use and ${number(pages.cached)} are kept`,
          )}
      <span class="number" title="${number(pages.used)} pages in use, ${number(pages.cached)} kept for later, ${number(pages.free)} free"
        >${percent(pages.used / all)}</span></dd>`
    }
    ${preemptions > 0 ? html`<dt>Preempted</dt><dd>${number(preemptions)}</dd>` : nothing}</dl>`;
}

/** A bar of shares: [[0..1, colour token]]. */
export function meter(shares, label) {
  return html`<span class="meter" role="img" aria-label=${label}>${shares.map(
    ([share, colour]) =>
      html`<span class="fill-${colour}" ${setStyle({ width: `${Math.min(1, Math.max(0, share)) * 100}%` })}></span>`,
  )}</span>`;
}
