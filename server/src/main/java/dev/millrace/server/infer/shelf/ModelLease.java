package dev.millrace.server.infer.shelf;

import java.util.concurrent.atomic.AtomicBoolean;

/** The right to use a model: it stays loaded until this is closed. */
public final class ModelLease<T extends ShelfItem> implements AutoCloseable {
  private final ModelShelf shelf;
  private final ShelfSlot<T> slot;
  private final T item;
  private final AtomicBoolean over = new AtomicBoolean();

  public ModelLease(ModelShelf shelf, ShelfSlot<T> slot, T item) {
    this.shelf = shelf;
    this.slot = slot;
    this.item = item;
  }

  public T item() {
    return item;
  }

  /** Reports that the model no longer works: the next request loads it again. */
  public void markBroken() {
    shelf.markBroken(slot);
  }

  @Override
  public void close() {
    if (over.compareAndSet(false, true)) {
      shelf.release(slot);
    }
  }
}
