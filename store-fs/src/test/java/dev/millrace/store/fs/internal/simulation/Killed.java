package dev.millrace.store.fs.internal.simulation;

/** The simulated process has ended: no thread of it goes on. */
final class Killed extends Error {
  private static final long serialVersionUID = 1L;

  Killed() {
    super("the process has ended", null, false, false);
  }
}
