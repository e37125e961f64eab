// The server: models, nodes and pipes.

import { html } from "lit";
import { PageElement } from "../parts/element.js";

export class Server extends PageElement {
  static properties = { route: {} };

  render() {
    return html`<div class="page-head"><h1>Models, nodes and pipes</h1></div>`;
  }
}

customElements.define("mr-server", Server);
