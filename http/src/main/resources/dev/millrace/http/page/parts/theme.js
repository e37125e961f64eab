// Light, dark, or as the system says. theme.js (before the first paint) reads what is remembered here.

const ORDER = ["system", "light", "dark"];

export function theme() {
  return document.documentElement.dataset.theme ?? "system";
}

export function nextTheme() {
  const next = ORDER[(ORDER.indexOf(theme()) + 1) % ORDER.length];
  if (next === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = next;
  }
  try {
    localStorage.setItem("theme", next);
  } catch {
    // Storage may be off; the choice then lasts until the page is loaded again.
  }
  return next;
}
