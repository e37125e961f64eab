// Layers as strips: which node has which, and which are missing.

import { css, html } from "lit";
import { adopt } from "../../parts/element.js";
import { setStyle } from "../../parts/set-style.js";

adopt(css`
  .strip {
    position: relative;
    height: 1.75rem;
    border-radius: 4px;
    background: var(--sunken);
    box-shadow: inset 0 0 0 1px var(--line);
    overflow: hidden;
  }

  .strip.is-thin {
    height: 0.75rem;
    border-radius: 3px;
  }

  .strip > span {
    position: absolute;
    top: 0;
    bottom: 0;
    left: calc(var(--from) * 100%);
    display: grid;
    grid-template-columns: minmax(0, auto);
    place-items: center start;
    width: calc(var(--width) * 100% - 1px);
    padding: 0 0.4rem;
    color: var(--strip-text);
    font-size: var(--tiny);
    font-weight: 550;
  }

  .strip .shade-0 { background: light-dark(#cfe5e8, #1b4a52); --strip-text: light-dark(#0a3f47, #d3f0f3); }
  .strip .shade-1 { background: light-dark(#dcd8f2, #37305c); --strip-text: light-dark(#35266e, #e0dafa); }
  .strip .shade-2 { background: light-dark(#f3e1c4, #4b3a17); --strip-text: light-dark(#573a00, #f6e3bd); }
  .strip .shade-3 { background: light-dark(#d5ead9, #21442c); --strip-text: light-dark(#174a26, #cdebd5); }
  .strip .shade-4 { background: light-dark(#f2d8e2, #4a2738); --strip-text: light-dark(#5d2340, #f6d9e6); }
  .strip .shade-5 { background: light-dark(#d8e0ee, #28384f); --strip-text: light-dark(#253a5e, #d7e3f7); }

  .strip .is-coming {
    background: repeating-linear-gradient(-45deg, var(--line-strong) 0 3px, transparent 3px 7px);
    --strip-text: var(--text);
  }

  .strip .is-missing {
    background: repeating-linear-gradient(-45deg, var(--failed) 0 2px, var(--failed-soft) 2px 7px);
    box-shadow: inset 0 0 0 1px var(--failed);
    --strip-text: var(--failed);
  }

  .strip .is-missing b {
    padding: 0 0.25rem;
    border-radius: 3px;
    background: var(--failed-soft);
    font-weight: 600;
  }
`);

const SHADES = 6;

/** "3-5", "7": layers as people write them, both ends included. */
export function layersText({ first, last }) {
  return first === last ? `${first}` : `${first}-${last}`;
}

/** Adds the colours of new nodes to a map: a node keeps its colour while others come and go. */
export function addShades(shadeOf, nodes) {
  nodes.filter((name) => !shadeOf.has(name)).forEach((name) => shadeOf.set(name, shadeOf.size % SHADES));
  return shadeOf;
}

function piece({ first, last }, layers, classes, label, title) {
  const place = { "--from": first / layers, "--width": (last - first + 1) / layers };
  return html`<span class=${classes} title=${title} ${setStyle(place)}>${label}</span>`;
}

/** The strip of a pipe: a piece for each stretch, hatched where layers are missing. `shadeOf`: a map of nodes. */
export function pipeStrip({ layers, stretches, missing }, coming, shadeOf) {
  const words = [
    ...stretches.map((part) => `layers ${layersText(part)} on ${part.node}`),
    ...coming.map((part) => `layers ${layersText(part)} are being loaded by ${part.node}`),
    ...missing.map((part) => `layers ${layersText(part)} missing`),
  ];
  return html`<div class="strip" role="img" aria-label=${words.join(", ")}>
    ${stretches.map((part) =>
      piece(
        part,
        layers,
        `shade-${shadeOf.get(part.node) ?? 0}`,
        html`<span class="clip">${part.node} ${layersText(part)}</span>`,
        `${part.node}: layers ${layersText(part)}`,
      ),
    )}
    ${coming.map((part) => piece(part, layers, "is-coming", html`<span class="clip">${part.node}</span>`, `${part.node} is loading layers ${layersText(part)}`))}
    ${missing.map((part) => piece(part, layers, "is-missing", html`<b class="clip">${layersText(part)}</b>`, `layers ${layersText(part)} are missing`))}
    </div>`;
}

/** The thin strip of what one node holds of a model. */
export function holdingStrip(holding, shade) {
  const loaded = holding.state === "loaded";
  const failed = holding.state === "failed";
  // How many layers a model has is not known before its file is there.
  const layers = holding.layers || holding.last + 1;
  const classes = loaded ? `shade-${shade}` : failed ? "is-missing" : "is-coming";
  return html`<div class="strip is-thin" role="img" aria-label="layers ${layersText(holding)} of ${layers}">
    ${piece(holding, layers, classes, "", `layers ${layersText(holding)} of ${layers}`)}</div>`;
}
