// A new job: a prompt or a pipeline.

import { css, html, nothing } from "lit";
import { session } from "../api/client.js";
import { link } from "../api/route.js";
import { PageElement } from "../parts/element.js";
import { emptyState } from "../parts/feedback.js";
import "./submit/prompt.js";
import "./submit/pipeline.js";

const FORMS = { prompt: "Prompt", pipeline: "Pipeline" };

export class Submit extends PageElement {
  static properties = { route: { attribute: false } };

  static css = css`
    mr-submit .tabs {
      margin-bottom: var(--s4);
    }

    .submit-form {
      display: grid;
      grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr);
      align-items: start;
      gap: var(--s4);
    }

    .submit-form > * {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: var(--s4);
    }

    .submit-form .body {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: var(--s4);
    }

    .submit-fields {
      display: grid;
      grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr));
      gap: var(--s3) var(--s4);
    }

    .submit-fields :is(input, select) {
      width: 100%;
    }

    .submit-code {
      font: var(--small) / 1.5 var(--mono);
      tab-size: 2;
      white-space: pre;
      overflow-x: auto;
    }

    .submit-check {
      display: flex;
      align-items: baseline;
      gap: var(--s2);
      min-height: 1.5em;
      font-size: var(--small);
      overflow-wrap: anywhere;
    }

    .submit-check svg {
      width: 0.875rem;
      height: 0.875rem;
      vertical-align: -0.125rem;
    }

    .submit-example {
      display: grid;
      grid-template-columns: 9rem minmax(0, 1fr);
      align-items: center;
      gap: var(--s3);
    }

    .submit-actions {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: var(--s3);
    }

    @media (min-width: 56.01rem) {
      .submit-form aside {
        position: sticky;
        top: 4.25rem;
      }
    }

    @media (max-width: 56rem) {
      .submit-form {
        grid-template-columns: minmax(0, 1fr);
      }
    }
  `;

  render() {
    if (!session.may("submit")) {
      return html`<div class="page-head"><h1>Submit</h1></div><div class="panel">${readOnly()}</div>`;
    }
    const shown = this.route?.query.get("form") === "pipeline" ? "pipeline" : "prompt";
    return html`<div class="page-head"><h1>Submit</h1></div>
      <nav class="tabs" aria-label="What to submit">${Object.entries(FORMS).map(
        ([form, name]) => html`<a href=${link("submit", form === "prompt" ? {} : { form })}
          aria-current=${form === shown ? "page" : nothing}>${name}</a>`)}</nav>
      ${shown === "prompt"
        ? html`<mr-submit-prompt></mr-submit-prompt>`
        : html`<mr-submit-pipeline></mr-submit-pipeline>`}`;
  }
}

function readOnly() {
  return emptyState({
    title: "This key may not submit",
    text: "To submit, enter a key with the scope submit. Whoever runs the server makes one:",
    command: "millrace apikey NAME --file keys --scope read,submit",
  });
}

customElements.define("mr-submit", Submit);
