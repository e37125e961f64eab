package dev.millrace.server.infer;

/** Something that takes memory while it is loaded, and stands on a {@link ModelShelf}. */
interface Shelved extends AutoCloseable {
  long bytes();

  @Override
  void close();
}
