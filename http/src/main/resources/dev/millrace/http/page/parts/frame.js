// The frame of the page: a bar that stays, and a line for a lost connection.

import { css } from "lit";

export const frame = css`
  mr-app {
    display: block;
  }

  .top {
    position: sticky;
    z-index: 10;
    top: 0;
  }

  .bar {
    display: flex;
    align-items: center;
    gap: var(--s1) var(--s5);
    min-height: 3.25rem;
    padding: 0 var(--s5);
    border-bottom: 1px solid var(--line);
    background: var(--surface);
  }

  .bar .brand {
    display: flex;
    align-items: center;
    gap: var(--s2);
    color: var(--text);
    font-size: 0.9375rem;
    font-weight: 650;
    letter-spacing: -0.01em;
    text-decoration: none;
  }

  .bar .brand svg {
    width: 1.375rem;
    height: 1.375rem;
  }

  .bar nav {
    --edge: var(--s3);

    display: flex;
    flex: 1;
    align-self: stretch;
    gap: var(--s1);
  }

  .bar nav a {
    position: relative;
    display: flex;
    align-items: center;
    padding: 0 var(--edge);
    color: var(--muted);
    font-weight: 500; /* of all, so that nothing moves when another is current */
    text-decoration: none;
    white-space: nowrap;
  }

  .bar nav a:hover {
    color: var(--text);
  }

  .bar nav a[aria-current] {
    color: var(--text);
  }

  .bar nav a[aria-current]::after {
    position: absolute;
    right: var(--edge);
    bottom: -1px;
    left: var(--edge);
    height: 2px;
    background: var(--accent);
    content: "";
  }

  .bar nav a:focus-visible {
    outline-offset: -4px;
  }

  .bar .tools {
    display: flex;
    align-items: center;
    gap: var(--s2);
  }

  .lost {
    padding: var(--s2) var(--s5);
    border-bottom: 1px solid var(--line);
    background: var(--paused-soft);
    color: var(--paused);
    font-weight: 550;
  }

  @media (max-width: 60rem) {
    .bar {
      flex-wrap: wrap;
      padding: 0 var(--s4);
    }

    .bar .brand {
      flex: 1;
      min-height: 3rem;
    }

    .bar nav {
      order: 3;
      flex-basis: 100%;
      margin: 0 calc(-1 * var(--s4));
      padding: 0 var(--s1);
      border-top: 1px solid var(--line);
      overflow-x: auto;
      scrollbar-width: none;
    }

    .bar nav a {
      min-height: 2.75rem;
    }

    .bar nav a[aria-current]::after {
      bottom: 0;
    }

    .lost {
      padding: var(--s2) var(--s4);
    }
  }

  @media (max-width: 30rem) {
    .bar nav {
      --edge: 0.45rem;

      justify-content: space-between;
      gap: 0;
      font-size: var(--small);
    }
  }
`;
