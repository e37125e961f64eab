// One job.

import { html } from "lit";
import { PageElement } from "../parts/element.js";

export class Job extends PageElement {
  static properties = { route: {} };

  render() {
    return html`<div class="page-head"><h1>Job</h1></div>`;
  }
}

customElements.define("mr-job", Job);
