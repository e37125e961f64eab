// Requests that a server cannot answer yet: it is away, it loads its model, or it has too much to do.

const PAUSE_MS = 2000;

/** Whether the same request may be answered later. */
const isEarly = ({ status }) => status === 0 || status === 429 || status === 503;

/** Waits so many milliseconds, or until the signal aborts. */
export function pause(delay, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delay);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/**
 * Calls `ask` until the server answers, refuses for good, or the signal aborts; throws what it throws then.
 * `waits(error)` is told why it asks again.
 */
export async function untilAnswered(ask, signal, waits) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !isEarly(error)) {
        throw error;
      }
      waits?.(error);
    }
    await pause(PAUSE_MS, signal);
  }
}
