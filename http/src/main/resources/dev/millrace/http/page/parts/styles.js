// What the shared parts look like. app.js adds this to the page; a view adds its own by `static css`.

import { css } from "lit";

export const base = css`
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: var(--s2);
    min-height: 2rem;
    padding: 0 var(--s3);
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    background: var(--surface);
    color: var(--text);
    font: inherit;
    font-weight: 500;
    line-height: 1;
    text-decoration: none;
    white-space: nowrap;
    cursor: pointer;
  }

  .button:hover:not(:disabled) {
    background: var(--hover);
  }

  .button:disabled {
    opacity: 0.5;
    cursor: not-allowed;
  }

  .button.primary {
    border-color: var(--accent-fill);
    background: var(--accent-fill);
    color: var(--on-accent);
  }

  .button.primary:hover:not(:disabled) {
    background: color-mix(in oklab, var(--accent-fill), black 12%);
  }

  .button.danger {
    border-color: color-mix(in oklab, var(--failed), transparent 55%);
    color: var(--failed);
  }

  .button.plain {
    border-color: transparent;
    background: transparent;
  }

  .button.icon {
    width: 2rem;
    padding: 0;
  }

  .button svg,
  .icon svg {
    width: 1rem;
    height: 1rem;
  }

  input[type="text"],
  input[type="search"],
  input[type="number"],
  input[type="password"],
  input[type="date"],
  input[type="datetime-local"],
  select,
  textarea {
    min-height: 2rem;
    padding: 0.3rem 0.6rem;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    background: var(--surface);
    color: var(--text);
    font: inherit;
    font-variant-numeric: tabular-nums;
  }

  textarea {
    display: block;
    width: 100%;
    padding: var(--s2) var(--s3);
    resize: vertical;
  }

  :is(input, textarea)::placeholder {
    color: var(--muted);
    opacity: 1;
  }

  :is(input, select, textarea)[aria-invalid="true"] {
    border-color: var(--failed);
  }

  input[type="checkbox"],
  input[type="radio"] {
    width: 1rem;
    height: 1rem;
    margin: 0;
    accent-color: var(--accent-fill);
  }

  .field {
    display: grid;
    gap: var(--s1);
    min-width: 0;
  }

  .field > label,
  .label {
    color: var(--muted);
    font-size: var(--small);
    font-weight: 500;
  }

  .hint {
    color: var(--muted);
    font-size: var(--small);
  }

  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--s2);
  }

  .page-head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: var(--s2) var(--s4);
    min-height: 2rem;
    margin-bottom: var(--s4);
  }

  .panel {
    min-width: 0;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
  }

  .panel > .head {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: var(--s3);
    min-height: 2.75rem;
    padding: var(--s1) var(--s4);
    border-bottom: 1px solid var(--line);
  }

  .panel > .body {
    padding: var(--s4);
  }

  .muted {
    color: var(--muted);
  }

  .small {
    font-size: var(--small);
  }

  .mono {
    font-family: var(--mono);
    font-size: 0.92em;
  }

  .number {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }

  .clip {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  .scroll {
    overflow-x: auto;
  }

  table.data {
    width: 100%;
    border-collapse: collapse;
  }

  table.data :is(th, td) {
    padding: 0.5rem var(--s3);
    border-bottom: 1px solid var(--line);
    text-align: left;
    vertical-align: baseline;
  }

  table.data :is(th, td):first-child {
    padding-left: var(--s4);
  }

  table.data :is(th, td):last-child {
    padding-right: var(--s4);
  }

  table.data th {
    color: var(--muted);
    font-size: var(--tiny);
    font-weight: 500;
    white-space: nowrap;
  }

  table.data :is(th, td).number {
    text-align: right;
  }

  table.data tbody tr:last-child > * {
    border-bottom: 0;
  }

  table.data tbody tr:hover {
    background: var(--hover);
  }

  .tabs {
    display: flex;
    gap: var(--s1);
    border-bottom: 1px solid var(--line);
  }

  .tabs a,
  .tabs button {
    margin-bottom: -1px;
    padding: var(--s2) var(--s3);
    border: 0;
    border-bottom: 2px solid transparent;
    background: none;
    color: var(--muted);
    font: inherit;
    text-decoration: none;
    cursor: pointer;
  }

  .tabs :is([aria-current], [aria-selected="true"]) {
    border-bottom-color: var(--accent);
    color: var(--text);
    font-weight: 550;
  }

  @media (pointer: coarse) {
    .button,
    input:not([type="checkbox"], [type="radio"]),
    select {
      min-height: 2.5rem;
    }

    .button.icon {
      width: 2.5rem;
    }
  }
`;
