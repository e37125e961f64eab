package dev.millrace.server.infer.shelf;

import java.util.concurrent.atomic.AtomicBoolean;

/** A model that is lent: it does not leave before this is closed. */
public final class ModelLease<T extends ShelfItem> implements AutoCloseable {
  private final ModelShelf shelf;
  private final ShelfSlot<T> slot;
  private final T item;
  private final AtomicBoolean over = new AtomicBoolean();

  public ModelLease(ModelShelf shelf, ShelfSlot<T> place, T item) {
    this.shelf = shelf;
    this.slot = place;
    this.item = item;
  }

  public T item() {
    return item;
  }

  /** It does not work any more: the next one to ask gets it loaded anew. */
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
