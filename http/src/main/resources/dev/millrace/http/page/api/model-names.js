// The names of the models that generate, as soon as the server knows them.

import { api } from "./client.js";
import { untilAnswered } from "./patience.js";

export class ModelNames {
  /** Undefined until the server has said them. */
  names = undefined;
  failure = undefined;
  /** Why there are no names yet, in words; empty if nothing is waited for. */
  waits = "";
  #changed;
  #loading = undefined;

  /** `changed` is called after each change. */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Asks until there is an answer, or `left` aborts. */
  async load(left) {
    this.#loading?.abort();
    this.#loading = new AbortController();
    const signal = AbortSignal.any([left, this.#loading.signal]);
    try {
      const ask = () => api.get("/v1/models", {}, { signal });
      const list = await untilAnswered(ask, signal, (error) => this.#set({ waits: reason(error) }));
      const names = list.data.filter((model) => model.meta?.generates !== false).map((model) => model.id);
      this.#set({ names });
    } catch (failure) {
      if (!signal.aborted) {
        this.#set({ failure });
      }
    }
  }

  #set(change) {
    Object.assign(this, { failure: undefined, waits: "" }, change);
    this.#changed();
  }
}

/** That the server does not answer is said at the top of the page. */
function reason({ status, message }) {
  if (status === 0) {
    return "";
  }
  return message.startsWith("models are being loaded") ? "The model is being loaded…" : `The server says: ${message}`;
}
