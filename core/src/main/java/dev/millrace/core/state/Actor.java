package dev.millrace.core.state;

/** Who may pull a lever: a user through a face, the worker that holds the claim, or the system. */
public enum Actor {
  USER,
  WORKER,
  SYSTEM
}
