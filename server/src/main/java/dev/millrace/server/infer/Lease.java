package dev.millrace.server.infer;

import java.util.concurrent.atomic.AtomicBoolean;

/** A model that is lent: it does not leave before this is closed. */
final class Lease<T extends Shelved> implements AutoCloseable {
  private final ModelShelf shelf;
  private final Place<T> place;
  private final T item;
  private final AtomicBoolean over = new AtomicBoolean();

  Lease(ModelShelf shelf, Place<T> place, T item) {
    this.shelf = shelf;
    this.place = place;
    this.item = item;
  }

  T item() {
    return item;
  }

  /** It does not work any more: the next one to ask gets it loaded anew. */
  void discard() {
    shelf.discard(place);
  }

  @Override
  public void close() {
    if (over.compareAndSet(false, true)) {
      shelf.giveBack(place);
    }
  }
}
