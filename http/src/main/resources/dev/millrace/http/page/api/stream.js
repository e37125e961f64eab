// Server-sent events by fetch: EventSource cannot send a key in a header.

import { ApiError, connection, send } from "./client.js";
import { pause } from "./patience.js";

const FIRST_DELAY = 500;
const LONGEST_DELAY = 10_000;
/** The server sends a comment after 10 s of silence; this much without a byte means that the connection is dead. */
const SILENCE = 25_000;

/**
 * Reads events until `signal` aborts, `onEvent` returns false, or the server answers 4xx. It connects again after
 * anything else, unless `once` is set, and asks for what it missed by the id of the last event.
 *
 * onEvent(name, data, id): data is parsed if it is JSON, else text.
 * onOpen(): the server answered, also after a reconnect. onEnd(error?): nothing more comes.
 */
export async function stream(path, options = {}) {
  const { onEnd, signal, once = false } = options;
  const state = { id: undefined, delay: FIRST_DELAY, over: false };
  while (!signal?.aborted) {
    try {
      await readOnce(path, options, state);
      if (once) {
        state.over = true;
      }
    } catch (failure) {
      if (signal?.aborted) {
        break;
      }
      if (once || isFinal(failure)) {
        onEnd?.(failure);
        return;
      }
    }
    if (state.over) {
      break;
    }
    await pause(state.delay, signal);
    state.delay = Math.min(state.delay * 2, LONGEST_DELAY);
  }
  onEnd?.();
}

/** A refusal does not change by asking again; too many requests (429) does. */
function isFinal(failure) {
  return failure instanceof ApiError && failure.status >= 400 && failure.status < 500 && failure.status !== 429;
}

async function readOnce(path, { onEvent, onOpen, signal, method = "GET", body, once }, state) {
  const dead = new AbortController();
  const both = signal ? AbortSignal.any([signal, dead.signal]) : dead.signal;
  const headers = { Accept: "text/event-stream" };
  if (state.id !== undefined) {
    headers["Last-Event-ID"] = state.id;
  }
  const response = await send(method, path, { headers, body, signal: both });
  if (response.status === 204) {
    state.over = true;
    return;
  }
  onOpen?.();
  let timer = 0;
  const awake = () => {
    connection.heard();
    clearTimeout(timer);
    timer = setTimeout(() => dead.abort(), SILENCE);
  };
  try {
    awake();
    await readEvents(response.body, awake, (name, data, id) => {
      state.delay = FIRST_DELAY;
      state.id = id ?? state.id;
      state.over = onEvent(name, data, id) === false;
      return !state.over;
    });
  } catch (failure) {
    if (!signal?.aborted) {
      connection.failed();
      if (once) {
        throw new ApiError(0, "NO_ANSWER", "The connection to the server broke.");
      }
    }
    throw failure;
  } finally {
    clearTimeout(timer);
    dead.abort();
  }
}

async function readEvents(body, awake, emit) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = { name: "message", data: [], id: undefined };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    awake();
    const lines = (rest + value).split(/\r\n|\n/);
    rest = lines.pop();
    for (const line of lines) {
      if (line !== "") {
        take(event, line);
        continue;
      }
      if (event.data.length > 0 && !emit(event.name, parsed(event.data.join("\n")), event.id)) {
        return;
      }
      event = { name: "message", data: [], id: undefined };
    }
  }
}

function take(event, line) {
  const colon = line.indexOf(":");
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (field === "event") {
    event.name = value;
  } else if (field === "data") {
    event.data.push(value);
  } else if (field === "id") {
    event.id = value;
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text; // such as [DONE] of the chat
  }
}

/** One stream of /v1/live for all views, open while somebody listens to "change" and the page is visible. */
class Live extends EventTarget {
  latest = undefined;
  /** What keeps the stream from coming, if the server refused it. */
  error = undefined;
  #received = 0;
  #listeners = new Set();
  #stop = undefined;

  constructor() {
    super();
    document.addEventListener("visibilitychange", () => this.#update());
  }

  /** What the server's clock says now: this machine's may differ. */
  now() {
    return this.latest ? new Date(Date.parse(this.latest.at) + performance.now() - this.#received) : new Date();
  }

  addEventListener(type, listener, options) {
    super.addEventListener(type, listener, options);
    this.#listeners.add(listener);
    this.#update();
  }

  removeEventListener(type, listener, options) {
    super.removeEventListener(type, listener, options);
    this.#listeners.delete(listener);
    this.#update();
  }

  #update() {
    const wanted = this.#listeners.size > 0 && !document.hidden;
    if (wanted && this.#stop === undefined) {
      this.#start();
    } else if (!wanted && this.#stop !== undefined) {
      this.#stop.abort();
      this.#stop = undefined;
    }
  }

  #start() {
    const stop = new AbortController();
    this.#stop = stop;
    stream("/v1/live", {
      signal: stop.signal,
      onEvent: (name, data) => {
        if (name === "live") {
          this.latest = data;
          this.#received = performance.now();
          this.error = undefined;
          this.dispatchEvent(new Event("change"));
        }
      },
      onEnd: (error) => {
        if (this.#stop === stop) {
          this.#stop = undefined;
        }
        if (error !== undefined) {
          this.error = error;
          this.dispatchEvent(new Event("change"));
        }
      },
    });
  }
}

export const live = new Live();
