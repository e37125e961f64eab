// The frame: navigation, the state of the connection, the key, and the view that the address names.

import { html, nothing } from "lit";
import { connection, send, session } from "./api/client.js";
import { parseRoute } from "./api/route.js";
import { PageElement, adopt } from "./parts/element.js";
import { base } from "./parts/styles.js";
import { frame } from "./parts/frame.js";
import { icons, mark } from "./parts/icons.js";
import { askForKey } from "./parts/key.js";
import { nextTheme, theme } from "./parts/theme.js";
import { emptyState, errorNote } from "./parts/feedback.js";
import "./parts/command.js";

adopt(base);

/** The views by the first part of the address; each is loaded when it is first shown. */
const VIEWS = {
  "": { title: "Now", tag: "mr-now", load: () => import("./views/now.js") },
  jobs: { title: "Jobs", tag: "mr-jobs", load: () => import("./views/jobs.js") },
  job: { title: "Job", tag: "mr-job", load: () => import("./views/job.js") },
  submit: { title: "Submit", tag: "mr-submit", load: () => import("./views/submit.js") },
  chat: { title: "Playground", tag: "mr-chat", load: () => import("./views/chat.js") },
  server: { title: "Models", tag: "mr-server", load: () => import("./views/server.js") },
  states: { title: "States", tag: "mr-states", load: () => import("./views/states.js") },
};

const NAVIGATION = ["", "jobs", "submit", "chat", "server", "states"];

class App extends PageElement {
  static css = frame;
  static properties = { failure: { state: true }, absent: { state: true }, theme: { state: true } };

  #view = undefined;
  #name = "";
  #turn = 0;

  constructor() {
    super();
    this.theme = theme();
  }

  connectedCallback() {
    super.connectedCallback();
    const signal = this.left;
    window.addEventListener("hashchange", () => this.#show(), { signal });
    connection.addEventListener("change", () => this.requestUpdate(), { signal });
    session.addEventListener("change", () => this.#restart(), { signal });
    session.addEventListener("refused", () => this.#lock(), { signal });
    this.#begin();
  }

  render() {
    const route = parseRoute();
    const lost = connection.state === "lost";
    return html`
      <div class="top">
      <header class="bar">
        <a class="skip" href="#/" @click=${this.#skip}>Skip to the content</a>
        <a class="brand" href="#/" aria-label="Millrace: now">${mark}Millrace</a>
        <nav aria-label="Views">${NAVIGATION.map((name) => this.#link(name, route.name))}</nav>
        <div class="tools">${this.#keyButton()}${this.#themeButton()}</div>
      </header>
      <div role="status">${lost
        ? html`<p class="lost">The server does not answer. What is shown may be old; trying again…</p>`
        : nothing}</div></div>
      <main id="content" tabindex="-1">
        ${errorNote(this.failure, () => this.#begin())}${this.#view ?? this.#instead()}
      </main>`;
  }

  /** What stands in place of a view that there is not, or when the key dialog was dismissed. */
  #instead() {
    if (this.absent !== undefined) {
      return html`<div class="panel">${emptyState({
        title: `There is no view "${this.absent}".`,
        text: "The address is wrong, or of another version.",
        action: html`<a class="button primary" href="#/">Now</a>`,
      })}</div>`;
    }
    return session.keysOn && !session.known
      ? html`<div class="panel">${emptyState({
          title: "This server asks for a key",
          text: "Without one, it shows nothing but its API's description.",
          action: html`<button type="button" class="button primary" @click=${() => this.#ask()}>Enter a key</button>`,
        })}</div>`
      : nothing;
  }

  /** An address after # is a view; so the link moves the focus by itself. */
  #skip(event) {
    event.preventDefault();
    this.querySelector("main").focus();
  }

  #link(name, current) {
    const here = name === current;
    return html`<a href="#/${name}" aria-current=${here ? "page" : nothing}>${VIEWS[name].title}</a>`;
  }

  #keyButton() {
    if (!session.keysOn) {
      return nothing;
    }
    const label = session.name ? `Key: ${session.name}` : "Enter a key";
    return html`<button type="button" class="button plain" @click=${() => this.#ask()}>${icons.key}${label}</button>`;
  }

  #themeButton() {
    const label = { light: "Light", dark: "Dark", system: "As the system" }[this.theme];
    const icon = { light: icons.sun, dark: icons.moon, system: icons.system }[this.theme];
    return html`<button type="button" class="button plain icon" aria-label="Theme: ${label}" title="Theme: ${label}"
      @click=${() => (this.theme = nextTheme())}>${icon}</button>`;
  }

  reconnected() {
    if (!session.known) {
      this.#begin();
    } else if (this.#view === undefined) {
      this.#show(); // a view that could not be loaded while the server was away
    }
  }

  /** No view before it is known what the key may do: it would show buttons that are refused, or none. */
  async #begin() {
    this.failure = undefined;
    try {
      await session.load();
    } catch (error) {
      this.failure = error.status === 401 ? undefined : error;
      session.keysOn ||= error.status === 403; // a key that may not even read: another one may be entered
    }
  }

  /** With another key, everything is read again. */
  #restart() {
    this.#view = undefined;
    this.failure = undefined;
    this.#show();
  }

  /** Nothing is shown, or asked for again and again, with a key that is not valid any more. */
  #lock() {
    this.#turn++;
    this.#view = undefined;
    this.absent = undefined;
    this.#ask();
  }

  async #show() {
    if (!session.known) {
      return;
    }
    const route = parseRoute();
    const name = route.name === "jobs" && route.path.length > 0 ? "job" : route.name;
    const turn = ++this.#turn;
    const first = this.#view === undefined;
    let moved = false;
    if (this.#view === undefined || this.#name !== name) {
      const view = await this.#load(name);
      if (turn !== this.#turn) {
        return; // another address came while this view was loaded
      }
      this.#view = view;
      this.#name = name;
      window.scrollTo(0, 0);
      moved = true;
    }
    if (this.#view !== undefined) {
      this.#view.route = route;
    }
    document.title = this.absent === undefined ? `${VIEWS[name].title} · Millrace` : "Millrace";
    this.requestUpdate();
    if (moved && !first) {
      await this.updateComplete;
      this.querySelector("main").focus({ preventScroll: true }); // keyboards and readers go on in the new view
    }
  }

  async #load(name) {
    const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined;
    this.absent = view === undefined ? name : undefined;
    if (view === undefined) {
      this.failure = undefined;
      return undefined;
    }
    try {
      await view.load();
      this.failure = undefined;
      return document.createElement(view.tag);
    } catch (error) {
      this.failure = new Error(`The view could not be loaded: ${error.message}`);
      send("GET", "/health/live").catch(() => {}); // if nobody answers, the page waits for the server
      return undefined;
    }
  }

  #ask() {
    this.requestUpdate();
    askForKey();
  }
}

customElements.define("mr-app", App);
