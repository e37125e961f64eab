// A conversation with a served model.

import { html } from "lit";
import { PageElement } from "../parts/element.js";

export class Chat extends PageElement {
  static properties = { route: {} };

  render() {
    return html`<div class="page-head"><h1>Playground</h1></div>`;
  }
}

customElements.define("mr-chat", Chat);
