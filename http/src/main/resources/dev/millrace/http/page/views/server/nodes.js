// The nodes of the network and the pipes that they make.

import { html, nothing } from "lit";
import { bytes, count, number, percent, rate } from "../../api/format.js";
import { badge } from "../../parts/badge.js";
import { meter } from "./models.js";
import { holdingStrip, layersText, pipeStrip } from "./strips.js";

export function pipes(list, nodes, shadeOf) {
  return html`<ul class="server-pipes">${list.map(
    (pipe) => html`<li>
    <div class="line"><strong class="clip">${pipe.model}</strong><span class="muted small">pipe ${pipe.number}, ${count(pipe.layers, "layer")},
      origin ${pipe.origin}</span><span class="space"></span>${
        pipe.ready ? badge("COMPLETED", "ready") : badge("WAITING", "waits")
      }</div>
    ${pipeStrip(pipe, coming(pipe, nodes), shadeOf)}
    <p class="small muted">${
      pipe.ready
        ? `${count(pipe.running, "sequence")} ${pipe.running === 1 ? "runs" : "run"}, ${rate(pipe.tokensPerSecond)} tokens/s`
        : `${pipe.waitReason ?? "It is not complete."}`
    }${
      pipe.missing.length > 0
        ? html` <strong class="is-failed">Missing: layers ${pipe.missing.map(layersText).join(", ")}.</strong>`
        : nothing
    }</p></li>`,
  )}</ul>`;
}

/** What nodes load of a pipe's model and the pipe does not have yet. */
function coming(pipe, nodes) {
  return nodes.flatMap((node) =>
    node.holdings
      .filter(({ sha256, state }) => sha256 === pipe.sha256 && (state === "fetching" || state === "loading"))
      .map(({ first, last }) => ({ node: node.name, first, last })),
  );
}

export function nodeTable(nodes, expelled, shadeOf) {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Nodes"><table class="data server-nodes">
    <thead><tr><th scope="col">Node</th><th scope="col">Holds</th><th scope="col">Memory</th><th scope="col" class="number">Sessions</th>
      <th scope="col" class="number">Passages</th><th scope="col">Version</th></tr></thead>
    <tbody>${nodes.map(
      (node) => html`<tr>
      <th scope="row"><span class="strip-key strip"><span class="shade-${shadeOf.get(node.name) ?? 0}"></span></span>${node.name}
        <div class="muted small">${node.address}</div>${expelled.includes(node.name) ? badge("FAILED", "expelled") : nothing}</th>
      <td>${node.originOf.map(
        ({ model, localLayers, layers }) => html`<div class="holding"><span class="clip">${model}</span>
          <span class="muted small">origin, ${localLayers} of ${count(layers, "layer")} here</span></div>`,
      )}
        ${node.holdings.map((held) => holding(held, shadeOf.get(node.name) ?? 0))}
        ${node.holdings.length + node.originOf.length === 0 ? html`<span class="muted">nothing</span>` : nothing}</td>
      <td>${memory(node)}</td>
      <td class="number">${number(node.sessions)}</td><td class="number">${number(node.passages)}</td>
      <td class="muted small">protocol ${node.protocol}, numerics ${node.numerics}${node.weightNumerics ? ", " + node.weightNumerics : ""}</td></tr>`,
    )}</tbody></table></div>`;
}

/** A node that takes no layers from others has no limit for them. */
function memory({ memoryBytes, usedBytes, cacheBytes }) {
  const words = html`<div class="muted small">${bytes(usedBytes)}${memoryBytes > 0 ? ` of ${bytes(memoryBytes)}` : ""},
    cache ${bytes(cacheBytes)}</div>`;
  return memoryBytes > 0
    ? html`${meter([[usedBytes / memoryBytes, "running"]], `${percent(usedBytes / memoryBytes)} of the memory is in use`)}${words}`
    : words;
}

function holding(held, shade) {
  return html`<div class="holding"><span class="clip">${held.model}</span>${holdingStrip(held, shade)}
    <span class="muted small">layers ${layersText(held)}, ${held.state}, ${bytes(held.bytes)}${
      held.bytesPerSecond > 0 ? `, computes ${bytes(held.bytesPerSecond)} of weights a second` : ""
    }</span>${
      held.problem
        ? html`<span class="small ${held.state === "failed" ? "is-failed" : "muted"}">${held.problem}</span>`
        : nothing
    }</div>`;
}

export function auditLine({ rate: share, passed, failed, expelled = [] }) {
  if (!share && !passed && !failed && expelled.length === 0) {
    return html`<p class="server-audits muted small">No answer of a node was audited yet.</p>`;
  }
  return html`<p class="server-audits"><span>Audits</span>
    ${passed === undefined ? nothing : badge("COMPLETED", `${number(passed)} passed`)}
    ${failed === undefined ? nothing : failed > 0 ? badge("FAILED", `${number(failed)} failed`) : html`<span class="muted">none failed</span>`}
    ${share === undefined ? nothing : html`<span class="muted small">${percent(share)} of the answers are repeated and compared</span>`}
    ${expelled.length > 0 ? html`<span class="is-failed">Expelled: ${expelled.join(", ")}</span>` : nothing}</p>`;
}
