// What the frame of the list of jobs looks like; its rows are in cells.js.

import { css } from "lit";

export const listStyles = css`
  mr-jobs {
    display: flex;
    flex-direction: column;
    /* The list fills the window, so that the page itself does not scroll; on a phone it keeps a useful height. */
    height: max(30rem, calc(100dvh - 3.25rem - 2 * var(--s5)));
  }

  mr-jobs .list {
    display: flex;
    flex: 1;
    flex-direction: column;
    min-height: 0;
    overflow: hidden;
  }

  mr-jobs mr-rows {
    flex: 1;
    min-height: 0;
  }

  mr-jobs .status-line {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--s1) var(--s3);
    min-height: 2.75rem;
    padding: var(--s1) var(--s3) var(--s1) var(--s4);
    border-bottom: 1px solid var(--line);
  }

  mr-jobs .status-line .space {
    flex: 1;
  }

  mr-jobs .status-line .button {
    min-height: 1.75rem;
    padding: 0 0.6rem;
  }

  @media (max-width: 60rem) {
    mr-jobs {
      height: max(30rem, calc(100dvh - 3rem - 2.75rem - 2 * var(--s4)));
    }

    mr-jobs .status-line .button span {
      display: none;
    }
  }
`;
