// The state machines.

import { html } from "lit";
import { PageElement } from "../parts/element.js";

export class States extends PageElement {
  static properties = { route: {} };

  render() {
    return html`<div class="page-head"><h1>State machines</h1></div>`;
  }
}

customElements.define("mr-states", States);
