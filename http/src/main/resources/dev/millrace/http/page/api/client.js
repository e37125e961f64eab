// The API as the page uses it: JSON over fetch, with the key of this tab, and what is known of the connection.

const KEY = "millrace-key";

/** An answer that says no. `status` is 0 if there was no answer at all. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Who the page is to the server. Events: "change" after a key came or went, "refused" when a key is needed. */
class Session extends EventTarget {
  scopes = new Set();
  name = "";
  keysOn = false;
  known = false;
  /** Why the key dialog asks, in words; "" if there was no key. */
  reason = "";

  /** The key, kept by this tab only: sessionStorage ends with it. */
  get key() {
    try {
      return sessionStorage.getItem(KEY) ?? "";
    } catch {
      return this.unstored ?? "";
    }
  }

  may(scope) {
    return this.scopes.has(scope);
  }

  async setKey(key) {
    this.name = "";
    this.#store(key);
    await this.load();
  }

  forget() {
    this.#store("");
    this.load().catch(() => {});
  }

  /** Asks the server what the present key may do. Throws what the server answers. */
  async load() {
    this.known = false;
    const answer = await request("GET", "/v1/session");
    this.name = answer.name ?? "";
    this.scopes = new Set(answer.scopes);
    this.keysOn = answer.keys;
    this.known = true;
    this.reason = "";
    this.dispatchEvent(new Event("change"));
  }

  refuse(sent) {
    if (sent !== this.key) {
      return; // an answer to a key that was replaced meanwhile
    }
    const which = this.name ? `The key "${this.name}"` : "The key of this tab";
    this.keysOn = true;
    this.known = false;
    this.name = "";
    this.scopes = new Set();
    this.reason = sent === "" ? "" : `${which} is not valid any more. Enter another one.`;
    this.dispatchEvent(new Event("refused"));
  }

  #store(key) {
    this.unstored = key;
    try {
      sessionStorage.setItem(KEY, key);
    } catch {
      // Storage may be off; the key then lives as long as the page.
    }
  }
}

/** A visible page without traffic of its own asks so often whether the server is there, and waits so long for it. */
const IDLE_MS = 5000;
const PROBE_MS = 10_000;

/** Whether the server answers: "connecting", "live" or "lost". While it is lost, it is asked at growing intervals. */
class Connection extends EventTarget {
  state = "connecting";
  #delay = 500;
  #timer = 0;
  #heard = performance.now();
  #probing = false;

  constructor() {
    super();
    setInterval(() => this.#notice(), 1000);
  }

  /** Something came from the server. */
  heard() {
    this.#heard = performance.now();
  }

  answered() {
    this.heard();
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#delay = 500;
    this.#set("live");
  }

  failed() {
    this.#set("lost");
    if (this.#timer === 0) {
      this.#timer = setTimeout(() => this.#probe(), this.#delay);
      this.#delay = Math.min(this.#delay * 2, 10_000);
    }
  }

  /** A view that only waits for its user would not notice that the server went away. */
  #notice() {
    const idle = performance.now() - this.#heard > IDLE_MS;
    if (idle && this.state === "live" && !document.hidden && !this.#probing) {
      this.#probe();
    }
  }

  async #probe() {
    this.#timer = 0;
    this.#probing = true;
    try {
      const signal = AbortSignal.timeout(PROBE_MS);
      const response = await fetch(`${serverUrl}/health/live`, { cache: "no-store", signal });
      await response.text(); // a body that nobody reads keeps its connection
      this.answered();
    } catch {
      this.failed();
    }
    this.#probing = false;
  }

  #set(state) {
    if (this.state !== state) {
      this.state = state;
      this.dispatchEvent(new Event("change"));
    }
  }
}

/** Where the server is, without a slash at the end: for command lines, and for the paths of the API below it. */
export const serverUrl = new URL(".", document.baseURI).href.replace(/\/$/, "");

export const session = new Session();
export const connection = new Connection();

/** The path with its query; undefined and empty values are left out, lists are joined by commas. */
export function address(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(",") : String(value ?? "");
    if (text !== "") {
      parameters.set(name, text);
    }
  }
  const search = parameters.toString();
  return search === "" ? path : `${path}?${search}`;
}

/** fetch with the page's headers. Throws ApiError for what is not 2xx, and for a server that does not answer. */
export async function send(method, path, { body, headers = {}, signal } = {}) {
  const key = session.key;
  const all = { "Millrace-Extensions": "true", ...headers };
  if (key !== "") {
    all.Authorization = `Bearer ${key}`;
  }
  if (body !== undefined) {
    all["Content-Type"] = "application/json";
  }
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  let response;
  try {
    response = await fetch(serverUrl + path, { method, headers: all, body: text, signal, cache: "no-store" });
  } catch (failure) {
    if (failure.name === "AbortError") {
      throw failure;
    }
    connection.failed();
    throw new ApiError(0, "NO_ANSWER", "The server does not answer.");
  }
  connection.answered();
  if (!response.ok) {
    const error = await errorOf(response);
    if (response.status === 401) {
      session.refuse(key);
    }
    throw error;
  }
  return response;
}

/** The two forms of errors: {"message","code"} and OpenAI's {"error": {…}}. */
async function errorOf(response) {
  const text = await response.text().catch(() => "");
  try {
    const body = JSON.parse(text);
    const error = typeof body.error === "object" && body.error !== null ? body.error : body;
    const message = error.message ?? (typeof body.error === "string" ? body.error : text);
    return new ApiError(response.status, error.code ?? "", message);
  } catch {
    return new ApiError(response.status, "", text || `The server answered ${response.status}.`);
  }
}

async function request(method, path, options) {
  const response = await send(method, path, options);
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

/** JSON in and out. `options` may have `headers` and `signal`. */
export const api = {
  get: (path, query, options) => request("GET", address(path, query), options),
  post: (path, body, options) => request("POST", path, { ...options, body }),
  put: (path, body, options) => request("PUT", path, { ...options, body }),
  patch: (path, body, options) => request("PATCH", path, { ...options, body }),
  delete: (path, options) => request("DELETE", path, options),

  /** A page of a list, and the cursor of the next one (undefined at the end). */
  async page(path, query, options) {
    const response = await send("GET", address(path, query), options);
    const next = response.headers.get("X-Next-Cursor") ?? undefined;
    return { items: await response.json(), next };
  },
};
