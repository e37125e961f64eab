// The server: its models, and the nodes and pipes of its network.

import { css, html, nothing } from "lit";
import { api } from "../api/client.js";
import { ago, exactTime, number, stateLabel } from "../api/format.js";
import { PageElement } from "../parts/element.js";
import { emptyState, errorNote } from "../parts/feedback.js";
import "../parts/command.js";
import { models } from "./server/models.js";
import { auditLine, nodeTable, pipes } from "./server/nodes.js";
import { addShades } from "./server/strips.js";

const POLL_MS = 2000;

export class Server extends PageElement {
  static properties = { route: {}, server: { state: true }, error: { state: true } };

  static css = css`
    mr-server h2 {
      margin: var(--s5) 0 var(--s3);
    }

    .server-models {
      display: grid;
      grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr));
      gap: var(--s3);
    }

    .server-models .body {
      display: grid;
      gap: var(--s2);
    }

    .server-models dl {
      display: grid;
      grid-template-columns: 5rem 1fr;
      gap: var(--s1) var(--s2);
      margin: 0;
      font-size: var(--small);
    }

    .server-models dt {
      color: var(--muted);
    }

    .server-models dd {
      display: flex;
      align-items: center;
      gap: var(--s2);
      margin: 0;
    }

    .server-models dd .number {
      min-width: 3rem;
    }

    mr-server .meter {
      display: flex;
      flex: 1;
      min-width: 6rem;
      height: 0.5rem;
      border-radius: 3px;
      background: var(--line);
      overflow: hidden;
    }

    mr-server .meter span {
      transition: width 0.3s;
    }

    mr-server .fill-running {
      background: var(--running);
    }

    mr-server .fill-pending {
      background: var(--line-strong);
    }

    .server-pipes {
      margin: 0;
      padding: 0;
      list-style: none;
    }

    .server-pipes li {
      display: grid;
      gap: var(--s2);
      padding: var(--s3) var(--s4);
    }

    .server-pipes li + li {
      border-top: 1px solid var(--line);
    }

    .server-pipes .line {
      display: flex;
      flex-wrap: wrap;
      align-items: baseline;
      gap: var(--s1) var(--s3);
    }

    .server-pipes .space {
      flex: 1;
    }

    .server-nodes th[scope="row"] {
      color: var(--text);
      font-size: var(--size);
      font-weight: 550;
    }

    .server-nodes th[scope="row"] .small {
      font-weight: 400;
    }

    .server-nodes .meter {
      margin-bottom: var(--s1);
    }

    .server-nodes .strip-key {
      display: inline-block;
      width: 0.75rem;
      height: 0.75rem;
      margin-right: var(--s2);
    }

    .server-nodes .strip-key span {
      inset: 0;
      width: auto;
      padding: 0;
    }

    .server-nodes .holding {
      display: grid;
      gap: 0.15rem;
      min-width: 14rem;
    }

    .server-nodes .holding + .holding {
      margin-top: var(--s2);
    }

    .server-audits {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: var(--s2) var(--s4);
      padding: var(--s3) var(--s4);
      border-top: 1px solid var(--line);
    }

    .server-facts {
      display: flex;
      flex-wrap: wrap;
      gap: var(--s1) var(--s4);
      color: var(--muted);
    }
  `;

  #timer = 0;
  #shades = new Map();

  connectedCallback() {
    super.connectedCallback();
    this.#read();
    this.#timer = setInterval(() => document.hidden || this.#read(), POLL_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  reconnected() {
    this.#read();
  }

  async #read() {
    try {
      this.server = await api.get("/v1/server", {}, { signal: this.left });
      this.error = undefined;
    } catch (error) {
      if (error.name !== "AbortError") {
        this.error = error;
      }
    }
  }

  render() {
    const { server } = this;
    return html`<div class="page-head"><h1>Models, nodes and pipes</h1>${server ? facts(server) : nothing}</div>
      ${errorNote(this.error?.status === 0 ? undefined : this.error, () => this.#read())}
      ${
        server === undefined
          ? nothing
          : html`
        <h2>Models</h2>
        ${server.models.length > 0 ? models(server.models) : noModels(server)}
        ${this.#network(server)}`
      }`;
  }

  #network(server) {
    const { nodes, pipes: list, audits } = server;
    if (nodes.length === 0 && list.length === 0) {
      return html`<h2>Nodes and pipes</h2><div class="panel">${noNodes(server)}</div>`;
    }
    const shadeOf = addShades(
      this.#shades,
      nodes.map(({ name }) => name),
    );
    return html`<h2>Pipes</h2>
      <div class="panel">${
        list.length > 0
          ? pipes(list, nodes, shadeOf)
          : emptyState({
              title: "No pipe yet",
              text: "The nodes do not have all layers of a model that this server serves.",
            })
      }
        ${audits ? auditLine(audits) : nothing}</div>
      <h2>Nodes</h2>
      <div class="panel">${nodeTable(nodes, audits?.expelled ?? [], shadeOf)}</div>`;
  }
}

function facts({ name, version, state, starting, startTime, slots, store, types }) {
  return html`<p class="server-facts small"><span>${name} ${version}</span><span>${starting ?? stateLabel(state)}</span>
    <span title=${exactTime(startTime)}>started ${ago(startTime)}</span><span>${number(slots)} slots</span>
    <span>${store.kind}${store.shared ? ", shared" : ""}</span>${types.length > 0 ? html`<span>does ${types.join(", ")}</span>` : nothing}</p>`;
}

/** A network of seven layers, of which the server keeps the first. */
const NETWORK = [
  "millrace keygen net.key",
  "millrace node --name a --listen 127.0.0.1:5100 --key-file net.key --layers house:1-3",
  "millrace node --name b --listen 127.0.0.1:5102 --join 127.0.0.1:5100 --key-file net.key --layers house:4-6",
  "millrace serve --workspace ws --end-model house --join 127.0.0.1:5100 --key-file net.key",
].join("\n");

/** Only a server with the end of a model is in a network, and has audits. */
function noNodes({ models: list, audits }) {
  if (audits === undefined) {
    return emptyState({
      title: "No nodes",
      text:
        "A model that is too large for one machine runs on several: each node holds some of its layers, and a server " +
        "has its end. The nodes and the server each need a terminal, or a machine, of their own:",
      command: NETWORK,
    });
  }
  const waits = list.find(({ remote }) => remote?.waitReason)?.remote.waitReason;
  return emptyState({
    title: "No node yet",
    text: html`This server has the end of a model, and waits for nodes with its other layers.${waits ? ` ${waits}.` : ""}
      Start them with the key of the network; <code>--join</code> names any member, such as this server:`,
    command: "millrace node --name a --join HOST:PORT --key-file net.key --layers MODEL:FROM-TO",
  });
}

function noModels({ types, starting, audits }) {
  if (starting) {
    return html`<div class="panel">${emptyState({ title: "The server starts", text: starting })}</div>`;
  }
  if (audits !== undefined) {
    return html`<div class="panel">${emptyState({
      title: "The model waits for nodes",
      text: "It is served when nodes hold all of its layers.",
    })}</div>`;
  }
  return html`<div class="panel">${emptyState({
    title: "This server has no model",
    text:
      types.length > 0
        ? "It runs programs, and leaves all other tasks to workers over HTTP."
        : "It leaves all tasks to workers over HTTP. Start it with a model to let it answer prompts:",
    command: "millrace serve --workspace ws --model house",
  })}</div>`;
}

customElements.define("mr-server", Server);
