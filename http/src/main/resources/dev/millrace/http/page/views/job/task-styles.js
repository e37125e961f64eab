// What a task of a job looks like: its words beside its facts.

import { css } from "lit";

export const taskStyles = css`
  mr-job-task {
    display: block;
  }

  mr-job-task .parts {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 22rem);
  }

  mr-job-task .side {
    border-left: 1px solid var(--line);
  }

  mr-job-task section {
    padding: var(--s3) var(--s4) var(--s4);
  }

  mr-job-task section + section {
    border-top: 1px solid var(--line);
  }

  mr-job-task section > h3 {
    display: flex;
    align-items: center;
    justify-content: space-between;
    min-height: 2rem;
    color: var(--muted);
    font-weight: 500;
  }

  mr-job-task .words {
    max-height: 24rem;
    font: inherit;
    white-space: pre-wrap;
    overflow: auto;
    overflow-wrap: anywhere;
  }

  mr-job-task .words.code {
    font-family: var(--mono);
    font-size: var(--small);
  }

  mr-job-task .lines {
    max-height: 12rem;
    margin: 0;
    padding: 0;
    overflow: auto;
    font-family: var(--mono);
    font-size: var(--tiny);
    list-style: none;
  }

  mr-job-task details summary {
    color: var(--muted);
    cursor: pointer;
  }

  mr-job-task .facts {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0.15rem var(--s3);
    margin: 0;
    font-size: var(--small);
  }

  mr-job-task .facts dt {
    color: var(--muted);
  }

  mr-job-task .facts dd {
    margin: 0;
    overflow-wrap: anywhere;
  }

  @media (max-width: 60rem) {
    mr-job-task .parts {
      grid-template-columns: minmax(0, 1fr);
    }

    mr-job-task .side {
      border-top: 1px solid var(--line);
      border-left: 0;
    }
  }
`;
