// What the server does at this moment.

import { html } from "lit";
import { PageElement } from "../parts/element.js";

export class Now extends PageElement {
  static properties = { route: {} };

  render() {
    return html`<div class="page-head"><h1>Now</h1></div>`;
  }
}

customElements.define("mr-now", Now);
