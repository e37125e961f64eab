package dev.millrace.server.infer.shelf;

/** Something that takes memory while it is loaded, and stands on a {@link ModelShelf}. */
public interface ShelfItem extends AutoCloseable {
  long bytes();

  @Override
  void close();
}
