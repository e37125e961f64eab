package dev.millrace.server;

/** The events that change the state of a server, by the table in {@link ServerTransitions}. */
public enum ServerEvent {
  START,
  DRAIN,
  /** A draining server has no task left. */
  IDLE,
  STOP,
  /** The store is broken and cannot recover. */
  BREAK,
  END
}
