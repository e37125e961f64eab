// A new job.

import { html } from "lit";
import { PageElement } from "../parts/element.js";

export class Submit extends PageElement {
  static properties = { route: {} };

  render() {
    return html`<div class="page-head"><h1>Submit</h1></div>`;
  }
}

customElements.define("mr-submit", Submit);
