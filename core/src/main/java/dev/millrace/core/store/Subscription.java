package dev.millrace.core.store;

/** Being told of something, until it is closed. */
public interface Subscription extends AutoCloseable {
  @Override
  void close();
}
