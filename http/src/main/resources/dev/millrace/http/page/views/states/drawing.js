// A state machine as a drawing: boxes that lead to the jobs in them, and arrows in the style of who pulls them.

import { css, html, nothing, svg } from "lit";
import { number, stateColour, stateLabel } from "../../api/format.js";
import { adopt } from "../../parts/element.js";
import { setStyle } from "../../parts/set-style.js";
import { layout } from "./layout.js";

adopt(css`
  .machine {
    overflow-x: auto;
  }

  .machine > svg {
    display: block;
    width: 100%;
    min-width: calc(var(--width) * 0.75);
    max-width: var(--width);
    height: auto;
    margin: 0 auto;
  }

  .machine .edge {
    fill: none;
    stroke: var(--pending);
    stroke-width: 1.25;
  }

  .machine .by-user {
    stroke: var(--accent);
    stroke-width: 2.5;
  }

  .machine .by-worker {
    stroke: var(--completed);
    stroke-width: 1.75;
  }

  .machine .by-system {
    stroke-dasharray: 5 4;
  }

  .machine .by-both {
    stroke: var(--completed);
    stroke-width: 1.75;
    stroke-dasharray: 12 4 3 4;
  }

  .machine .head-user { fill: var(--accent); }
  .machine .head-worker { fill: var(--completed); }
  .machine .head-system { fill: var(--pending); }

  .machine .blank {
    fill: var(--surface);
  }

  .machine .event {
    fill: var(--text);
    font-size: 12px;
    text-anchor: middle;
  }

  .machine .box {
    fill: var(--surface);
    stroke: currentColor;
    stroke-width: 1.5;
  }

  .machine .is-final .box {
    stroke-width: 3;
  }

  .machine a:hover .box {
    fill: var(--hover);
  }

  .machine a:focus-visible {
    outline: none;
  }

  .machine a:focus-visible .box {
    stroke-width: 4;
  }

  .machine .name {
    fill: currentColor;
    font-size: 12.5px;
    font-weight: 550;
    text-anchor: middle;
  }

  .machine .count {
    fill: var(--text);
    font-size: 15px;
    font-weight: 600;
    text-anchor: middle;
  }

  .machine-legend {
    display: flex;
    flex-wrap: wrap;
    gap: var(--s1) var(--s5);
    margin: 0;
    padding: 0;
    color: var(--muted);
    font-size: var(--small);
    list-style: none;
  }

  .machine-legend li {
    display: flex;
    align-items: center;
    gap: var(--s2);
  }

  .machine-legend svg {
    width: 2.5rem;
    height: 0.75rem;
  }
`);

const context = document.createElement("canvas").getContext("2d");

function textWidth(text, kind) {
  context.font = `${kind === "state" ? "550 12.5px" : "12px"} ${getComputedStyle(document.body).fontFamily}`;
  return Math.max(kind === "state" ? 84 : 0, context.measureText(text).width);
}

/** The class of an arrow by who pulls the lever. */
function actorClass(by) {
  if (by.includes("USER")) {
    return "user";
  }
  return by.includes("WORKER") ? (by.includes("SYSTEM") ? "both" : "worker") : "system";
}

const headClass = (actor) => (actor === "both" ? "worker" : actor);

/** The places of everything, which change with the table alone and not with the counts. */
export function layoutOf(machine) {
  return layout(machine, textWidth);
}

/** `counts`: how many are in each state, undefined where that is not counted. `target(state)`: an address or undefined. */
export function drawing(machine, places, counts, target) {
  const { width, height, nodes, edges } = places;
  const arrow = (actor) => `arrow-${machine.entity}-${actor}`;
  return html`<div class="machine" tabindex="0" role="group" aria-label="Drawing of the states of a ${machine.entity}">
    <svg viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" ${setStyle({ "--width": `${Math.ceil(width)}px` })}>
      <defs>${["user", "worker", "system"].map(
        (actor) => svg`<marker id=${arrow(actor)} orient="auto" refX="7" refY="4"
        markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse"><path class="head-${actor}" d="M0 .5 8 4 0 7.5z"/></marker>`,
      )}</defs>
      <g aria-hidden="true">
        ${edges.map(
          (edge) => svg`<path class="edge by-${actorClass(edge.by)}" d=${edge.path}
          marker-end="url(#${arrow(headClass(actorClass(edge.by)))})"/>`,
        )}
        ${edges.map(
          (edge) =>
            svg`${blank(edge.label)}<text class="event">${edge.lines.map(
              (line, i) => svg`<tspan x=${edge.label.x}
          y=${edge.label.y + 4 + (i - (edge.lines.length - 1) / 2) * 15}>${line}</tspan>`,
            )}</text>`,
        )}
      </g>
      ${nodes.map((node) => box(node, counts?.[node.name], counts !== undefined, target(node.name)))}
    </svg></div>`;
}

/** Hides the arrow behind its label. */
function blank({ x, y, width, height }) {
  return svg`<rect class="blank" x=${x - width / 2} y=${y - height / 2} width=${width} height=${height}/>`;
}

function box(node, count, counted, address) {
  const { name, final, x, y, width, height } = node;
  const label = stateLabel(name);
  const inside = svg`<rect class="box" x=${x - width / 2} y=${y - height / 2} width=${width} height=${height} rx="8"/>
    <text class="name" x=${x} y=${y + (counted ? -5 : 4)}>${label}</text>
    ${counted ? svg`<text class="count" x=${x} y=${y + 15}>${number(count ?? 0)}</text>` : nothing}`;
  const classes = `state-box is-${stateColour(name)} ${final ? "is-final" : ""}`;
  return address === undefined
    ? svg`<g class=${classes}>${inside}</g>`
    : svg`<a class=${classes} href=${address} aria-label="${label}: ${number(count ?? 0)}">${inside}</a>`;
}

const ACTORS = [
  ["user", "a user pulls it"],
  ["worker", "a worker"],
  ["both", "a worker or the system"],
  ["system", "the system"],
];

export function actorLegend() {
  return html`<ul class="machine-legend machine" aria-label="Who moves it on">${ACTORS.map(
    ([actor, label]) => html`<li>
    <svg viewBox="0 0 40 12" aria-hidden="true"><path class="edge by-${actor}" d="M1 6H32"/><path class="head-${headClass(actor)}"
      d="M31 2 39 6 31 10z"/></svg>${label}</li>`,
  )}</ul>`;
}
