package dev.millrace.server.infer.shelf;

/** A loaded model on a {@link ModelShelf}. */
public interface ShelfItem extends AutoCloseable {
  long bytes();

  @Override
  void close();
}
