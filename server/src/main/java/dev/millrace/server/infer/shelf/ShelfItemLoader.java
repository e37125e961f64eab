package dev.millrace.server.infer.shelf;

/** Loads a model; one object for each model. */
public interface ShelfItemLoader<T extends ShelfItem> {
  String name();

  /** The memory that the model will take, as far as known before it is loaded. */
  long bytes();

  /**
   * Whether {@link #load} may wait for other machines without limit; an interrupt ends the wait.
   */
  default boolean mayBlock() {
    return false;
  }

  T load();
}
