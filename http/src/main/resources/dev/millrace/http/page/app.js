import { html, render } from "lit";

render(html`<h1>Millrace</h1>`, document.body);
