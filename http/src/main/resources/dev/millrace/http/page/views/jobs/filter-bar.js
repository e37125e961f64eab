// The fields that narrow the list of jobs.

import { css, html, nothing } from "lit";
import { stateColour, stateLabel } from "../../api/format.js";
import { stateSign } from "../../parts/badge.js";
import { PageElement } from "../../parts/element.js";
import { icons } from "../../parts/icons.js";
import { SINCE, STATUSES, isNarrowed, statuses, toggleStatus } from "./filters.js";

const TYPING_MS = 250;

/**
 * <mr-job-filters .filters=${…} .known=${{ type: […], model: […], tag: […], key: […] }}></mr-job-filters>
 * dispatches "filters" with the new filters in `detail.filters`; `detail.typing` while a text is being typed.
 */
export class JobFilters extends PageElement {
  static properties = { filters: {}, known: {}, unfolded: { state: true }, custom: { state: true } };

  static css = css`
    mr-job-filters {
      display: grid;
      gap: var(--s2);
      margin-bottom: var(--s3);
    }

    mr-job-filters .search {
      position: relative;
      flex: 1 1 18rem;
    }

    mr-job-filters .search svg {
      position: absolute;
      top: 50%;
      left: 0.6rem;
      width: 1rem;
      height: 1rem;
      color: var(--muted);
      translate: 0 -50%;
    }

    mr-job-filters .search input {
      width: 100%;
      padding-left: 2rem;
      text-overflow: ellipsis;
    }

    mr-job-filters .narrow {
      flex: 0 1 8.5rem;
      min-width: 0;
      width: 8.5rem;
    }

    mr-job-filters .chip {
      gap: 0.4em;
      min-height: 1.75rem;
      padding: 0 0.6rem;
      border-color: var(--line);
      border-radius: 1rem;
      font-size: var(--small);
    }

    mr-job-filters .chip svg {
      width: 0.75rem;
      height: 0.75rem;
    }

    mr-job-filters .chip[aria-pressed="true"] {
      border-color: var(--accent);
      background: var(--accent-soft);
    }

    mr-job-filters .unfold {
      display: none;
    }

    mr-job-filters .more {
      display: contents;
    }

    @media (max-width: 60rem) {
      mr-job-filters .unfold {
        display: inline-flex;
      }

      mr-job-filters .search {
        flex: 1 1 10rem;
      }

      mr-job-filters .more.is-open {
        display: flex;
        flex-basis: 100%;
      }

      mr-job-filters .more:not(.is-open) {
        display: none;
      }

      mr-job-filters .narrow {
        flex: 1 1 8rem;
      }

      mr-job-filters .chips {
        flex-wrap: nowrap;
        margin: 0 calc(-1 * var(--s4));
        padding: 2px var(--s4);
        overflow-x: auto;
        scrollbar-width: none;
      }
    }
  `;

  #timer = 0;

  constructor() {
    super();
    this.filters = {};
    this.known = {};
    this.unfolded = false;
    this.custom = false;
  }

  render() {
    const { filters } = this;
    const states = statuses(filters);
    const folded = ["type", "model", "tag", "key", "since", "from_date", "end_date"].filter((name) => filters[name]);
    return html`
      <div class="row" role="search">
        <div class="search">${icons.search}<input type="search" aria-label="Search in names, ids, prompts and tags"
          placeholder="Search in names, ids, prompts, tags" maxlength="200" .value=${filters.text ?? ""}
          @input=${(event) => this.#typed("text", event)}></div>
        <button type="button" class="button unfold" aria-expanded=${String(this.unfolded)}
          @click=${() => (this.unfolded = !this.unfolded)}>Filters${folded.length ? ` (${folded.length})` : ""}</button>
      <div class="row more ${this.unfolded ? "is-open" : ""}">
        ${this.#field("type", "Type")}${this.#field("model", "Model")}${this.#field("tag", "Tag")}
        ${this.#field("key", "Submitted by")}${this.#time()}
        <select class="narrow" aria-label="Order" @change=${(event) => this.#set("sort", event.target.value)}>
          <option value="" ?selected=${filters.sort !== "oldest"}>Newest first</option>
          <option value="oldest" ?selected=${filters.sort === "oldest"}>Oldest first</option></select>
      </div></div>
      <div class="row chips" role="group" aria-label="State">
        ${STATUSES.map((status) =>
          this.#chip(states.includes(status), status, stateLabel(status), () =>
            this.#tell(toggleStatus(filters, status)),
          ),
        )}
        ${this.#chip(filters.waits_for_approval === "true", "WAITING", "waits for approval", () =>
          this.#set("waits_for_approval", filters.waits_for_approval ? "" : "true"),
        )}
        ${
          isNarrowed(filters)
            ? html`<button type="button" class="button plain chip" @click=${() => this.#tell({ sort: filters.sort })}>
              ${icons.cross}Clear filters</button>`
            : nothing
        }
      </div>`;
  }

  #chip(on, state, label, change) {
    return html`<button type="button" class="button chip" aria-pressed=${String(on)} @click=${change}>
      <span class="state is-${stateColour(state)}">${stateSign(state)}</span>${label}</button>`;
  }

  #field(name, label) {
    const list = `known-${name}`;
    return html`<input class="narrow" type="text" aria-label=${label} placeholder=${label} list=${list} maxlength="128"
        autocomplete="off" .value=${this.filters[name] ?? ""} @input=${(event) => this.#typed(name, event)}>
      <datalist id=${list}>${(this.known[name] ?? []).map((value) => html`<option value=${value}></option>`)}</datalist>`;
  }

  #time() {
    const { since, from_date: from, end_date: end } = this.filters;
    const custom = !since && (from || end || this.custom);
    const change = ({ target: { value } }) => {
      this.custom = value === "custom";
      this.#tell({ ...this.filters, since: value === "custom" ? "" : value, from_date: "", end_date: "" });
    };
    return html`<select class="narrow" aria-label="Submitted when" @change=${change}>
        <option value="" ?selected=${!since && !custom}>Any time</option>
        ${Object.entries(SINCE).map(
          ([name, { label }]) => html`<option value=${name} ?selected=${since === name}>${label}</option>`,
        )}
        <option value="custom" ?selected=${custom}>From … to …</option></select>
      ${
        custom
          ? html`<input type="datetime-local" aria-label="Submitted from" .value=${toLocal(from)}
              @change=${(event) => this.#set("from_date", toZoned(event.target.value))}>
            <input type="datetime-local" aria-label="Submitted until" .value=${toLocal(end)}
              @change=${(event) => this.#set("end_date", toZoned(event.target.value))}>`
          : nothing
      }`;
  }

  #typed(name, { target: { value } }) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tell({ ...this.filters, [name]: value }, true), TYPING_MS);
  }

  #set(name, value) {
    this.#tell({ ...this.filters, [name]: value });
  }

  #tell(filters, typing = false) {
    clearTimeout(this.#timer);
    this.requestUpdate();
    this.dispatchEvent(new CustomEvent("filters", { detail: { filters, typing } }));
  }
}

/** Addresses have times in UTC, so that they mean the same to everybody; the fields have local ones. */
const toZoned = (local) => (local === "" ? "" : new Date(local).toISOString());

function toLocal(zoned) {
  const time = new Date(zoned ?? NaN);
  return Number.isNaN(time.getTime())
    ? ""
    : new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

customElements.define("mr-job-filters", JobFilters);
