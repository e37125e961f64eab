package dev.millrace.server;

/** What can happen to a server. */
public enum ServerEvent {
  START,
  DRAIN,
  /** Nothing is left to do. */
  IDLE,
  STOP,
  /** The store is broken for good. */
  BREAK,
  END
}
