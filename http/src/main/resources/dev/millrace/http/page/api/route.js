// Where the page is: the part after #, so that every view and every filter has an address to share.

/** "#/jobs/17?view=events" -> { name: "jobs", path: ["17"], query: URLSearchParams }. */
export function parseRoute(hash = location.hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name = "", ...rest] = path.split("/").map(decoded);
  return { name, path: rest.filter((part) => part !== ""), query: new URLSearchParams(search) };
}

/** A broken % escape in an address that somebody typed is taken as it is. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a view: link("jobs", { status: "FAILED" }) -> "#/jobs?status=FAILED". */
export function link(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") {
      parameters.set(name, value);
    }
  }
  const search = parameters.toString();
  return `#/${path}${search === "" ? "" : `?${search}`}`;
}

export function jobLink(id, query) {
  return link(`jobs/${encodeURIComponent(id)}`, query);
}

export function go(hash) {
  location.hash = hash;
}

/** Changes the address without an entry in the history and without a new view: for filters while one types. */
export function replaceRoute(hash) {
  history.replaceState(null, "", hash);
}
