// All jobs: search, filters, actions on many.

import { html } from "lit";
import { PageElement } from "../parts/element.js";

export class Jobs extends PageElement {
  static properties = { route: {} };

  render() {
    return html`<div class="page-head"><h1>Jobs</h1></div>`;
  }
}

customElements.define("mr-jobs", Jobs);
