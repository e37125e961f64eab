// Runs before the first paint, so that a remembered theme does not flash. It cannot be inline: the policy forbids that.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // Storage may be off; the page then follows the system.
}
