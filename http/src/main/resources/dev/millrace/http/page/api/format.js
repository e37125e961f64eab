// How the page writes times, amounts and states. All of it is text; widths stay put because figures are tabular.

const LOCALE = "en-GB";
const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" });

/** What stands where a value is not known. */
export const NONE = "–";

export function number(value) {
  return value === undefined || value === null ? NONE : whole.format(value);
}

/** A rate such as tokens a second: one decimal below 100. */
export function rate(value) {
  if (value === undefined || value === null) {
    return NONE;
  }
  return value < 99.95 ? tenth.format(value) : whole.format(value);
}

/** 0..1 as a percentage. */
export function percent(share) {
  return share === undefined || share === null ? NONE : `${whole.format(share * 100)} %`;
}

export function bytes(value) {
  if (value === undefined || value === null) {
    return NONE;
  }
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let left = value;
  while (left >= 1024 && unit < units.length - 1) {
    left /= 1024;
    unit++;
  }
  return `${unit === 0 || left >= 99.95 ? whole.format(left) : tenth.format(left)} ${units[unit]}`;
}

/** Seconds as the two units that matter: "340 ms", "12.4 s", "3 m 20 s", "2 h 5 m", "4 d 2 h". */
export function duration(seconds) {
  if (seconds === undefined || seconds === null || Number.isNaN(seconds)) {
    return NONE;
  }
  const value = Math.max(0, seconds);
  if (value < 1) {
    return `${whole.format(value * 1000)} ms`;
  }
  if (value < 60) {
    return `${value < 10 ? tenth.format(value) : whole.format(Math.floor(value))} s`;
  }
  const [big, small, unit, part] =
    value < 3600 ? ["m", "s", 60, 1] : value < 86_400 ? ["h", "m", 3600, 60] : ["d", "h", 86_400, 3600];
  const count = Math.floor(value / unit);
  const rest = Math.floor((value - count * unit) / part);
  return rest === 0 ? `${count} ${big}` : `${count} ${big} ${rest} ${small}`;
}

/** Seconds from one time to another (both ISO texts or Dates), by default to now. */
export function between(from, to = new Date()) {
  return (new Date(to) - new Date(from)) / 1000;
}

/** A time as short as is clear: today "14:03:12", else with the day, and the year if it is another. */
export function time(value) {
  if (value === undefined || value === null) {
    return NONE;
  }
  const at = new Date(value);
  const now = new Date();
  if (at.toDateString() === now.toDateString()) {
    return clock.format(at);
  }
  return `${(at.getFullYear() === now.getFullYear() ? day : dayOfYear).format(at)}, ${clock.format(at)}`;
}

/** The exact time, for titles: ISO in UTC. */
export function exactTime(value) {
  return value === undefined || value === null ? "" : new Date(value).toISOString();
}

export function ago(value) {
  if (value === undefined || value === null) {
    return NONE;
  }
  const seconds = between(value);
  return seconds < 5 ? "just now" : `${duration(Math.floor(seconds))} ago`;
}

/** "IN_PROGRESS" -> "in progress". */
export function stateLabel(state) {
  return String(state).toLowerCase().replaceAll("_", " ");
}

/** The colour token of a state: "IN_PROGRESS" -> "running". */
export function stateColour(state) {
  const colours = {
    IN_PROGRESS: "running",
    COMPLETED: "completed",
    FAILED: "failed",
    ABORTED: "aborted",
    PAUSED: "paused",
    WAITING: "gate",
    RETRIED: "retried",
  };
  return colours[state] ?? "pending";
}

/** "1 job", "2 jobs". */
export function count(amount, one, many = `${one}s`) {
  return `${number(amount)} ${amount === 1 ? one : many}`;
}
