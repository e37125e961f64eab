package dev.millrace.server.infer;

/** Where a model comes from; one object for one model. */
interface Source<T extends Shelved> {
  String name();

  /** What it will take, as well as that is known before. */
  long bytes();

  /** Whether {@link #load} may wait for others, however long; an interrupt ends that. */
  default boolean waits() {
    return false;
  }

  T load();
}
