package dev.millrace.server.infer.shelf;

/** Where a model comes from; one object for one model. */
public interface ShelfItemLoader<T extends ShelfItem> {
  String name();

  /** What it will take, as well as that is known before. */
  long bytes();

  /** Whether {@link #load} may wait for others, however long; an interrupt ends that. */
  default boolean mayBlock() {
    return false;
  }

  T load();
}
