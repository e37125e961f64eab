package dev.millrace.server.infer;

/** Where a model comes from; one object for one model. */
interface Source<T extends Shelved> {
  String name();

  /** What it will take, as well as that is known before. */
  long bytes();

  /** Whether it is never unloaded to make room or for idleness, once it is loaded. */
  default boolean stays() {
    return false;
  }

  T load();
}
