package dev.millrace.server.infer;

/** Where a model comes from; one object for one model. */
interface Source<T extends Shelved> {
  String name();

  /** What it will take, as well as that is known before. */
  long bytes();

  T load();
}
