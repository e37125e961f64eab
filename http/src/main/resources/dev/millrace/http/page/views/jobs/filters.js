// Which jobs the list shows: the part of the address after "?", and what of it the API is asked.

/** The fields as they stand in the address; most have the API's own names. */
export const FIELDS = [
  "text",
  "status",
  "waits_for_approval",
  "type",
  "model",
  "tag",
  "key",
  "since",
  "from_date",
  "end_date",
  "sort",
];

export const STATUSES = ["PENDING", "IN_PROGRESS", "PAUSED", "COMPLETED", "FAILED", "ABORTED"];

/** Lengths of time back from now. */
export const SINCE = {
  "1h": { label: "Last hour", ms: 3_600_000 },
  "24h": { label: "Last 24 hours", ms: 86_400_000 },
  "7d": { label: "Last 7 days", ms: 604_800_000 },
  "30d": { label: "Last 30 days", ms: 2_592_000_000 },
};

const REMEMBERED = "jobs-filters";

/** The filters of an address (its URLSearchParams); what is empty or unknown is left out. */
export function readFilters(query) {
  const filters = {};
  for (const field of FIELDS) {
    const value = query.get(field);
    if (value?.trim()) {
      filters[field] = field === "status" ? value.toUpperCase() : value;
    }
  }
  return filters;
}

export function statuses(filters) {
  return filters.status ? filters.status.split(",") : [];
}

/** Filters with a state added or taken away. */
export function toggleStatus(filters, status) {
  const now = new Set(statuses(filters));
  if (!now.delete(status)) {
    now.add(status);
  }
  return { ...filters, status: [...now].join(",") };
}

/** What of the filters narrows the list; the order does not. */
export function isNarrowed(filters) {
  return Object.entries(filters).some(([name, value]) => name !== "sort" && value);
}

/** The query of GET /v1/jobs/search. `opened` is the time that "the last hour" counts from. */
export function toQuery(filters, opened) {
  const { since, from_date: from, end_date: end, ...rest } = filters;
  const back = SINCE[since]?.ms;
  return {
    ...rest,
    from_date: back === undefined ? toTime(from) : new Date(opened - back).toISOString(),
    end_date: back === undefined ? toTime(end) : undefined,
  };
}

/** A time that somebody typed into the address may be none. */
function toTime(text) {
  const time = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

export function remember(filters) {
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify(filters));
  } catch {
    // Storage may be off; the address still has the filters.
  }
}

export function remembered() {
  try {
    const stored = JSON.parse(localStorage.getItem(REMEMBERED) ?? "{}");
    return readFilters(new URLSearchParams(stored));
  } catch {
    return {};
  }
}
