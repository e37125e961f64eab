package dev.millrace.core.store;

/** A subscription to changes. Closing it ends it. */
public interface Subscription extends AutoCloseable {
  @Override
  void close();
}
