package dev.millrace.core.state;

/** Who may trigger a transition: a user, the worker that has the claim, or the system. */
public enum Actor {
  USER,
  WORKER,
  SYSTEM
}
