// The icons: 16 x 16 strokes in the colour of the text. They say nothing by themselves; the control has the name.

import { svg, html } from "lit";

function icon(body) {
  return html`<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"
    stroke-linejoin="round" aria-hidden="true">${body}</svg>`;
}

export const icons = {
  sun: icon(svg`<circle cx="8" cy="8" r="3"/><path d="M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.85.85M11.75
    11.75l.85.85M3.4 12.6l.85-.85M11.75 4.25l.85-.85"/>`),
  moon: icon(svg`<path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z"/>`),
  system: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor"/>`),
  key: icon(svg`<circle cx="5" cy="11" r="2.8"/><path d="M7 9l6-6M10.6 5.4l2 2"/>`),
  copy: icon(svg`<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M3.5 10.5h-1v-8h8v1"/>`),
  check: icon(svg`<path d="M3 8.5l3.2 3.2L13 5"/>`),
  cross: icon(svg`<path d="M4 4l8 8M12 4l-8 8"/>`),
  stop: icon(svg`<rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor"/>`),
  play: icon(svg`<path d="M5 3.5l7 4.5-7 4.5z"/>`),
  pause: icon(svg`<path d="M5.5 3.5v9M10.5 3.5v9"/>`),
  retry: icon(svg`<path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3"/>`),
  trash: icon(svg`<path d="M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9"/>`),
  search: icon(svg`<circle cx="7" cy="7" r="4"/><path d="M10 10l3.5 3.5"/>`),
  plus: icon(svg`<path d="M8 3v10M3 8h10"/>`),
  next: icon(svg`<path d="M6 3.5L10.5 8 6 12.5"/>`),
  warning: icon(svg`<path d="M8 2.5l6 11H2zM8 6.5v3.2M8 11.6v.1"/>`),
};

/** The mark of the project: two waves. */
export const mark = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"
  fill="var(--accent-fill)"/><path d="M6 12.5c3.3 0 3.3 3 6.7 3s3.3-3 6.6-3 3.4 3 6.7 3M6 19.5c3.3 0 3.3 3 6.7 3s3.3-3
  6.6-3 3.4 3 6.7 3" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;
