package dev.millrace.cluster.internal.connection;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Answers calls of one kind. Each call has a connection of its own. */
@FunctionalInterface
public interface CallHandler {
  /**
   * @param from the caller's name; for commands of a user {@code ""}
   */
  void answer(String from, DataInputStream in, DataOutputStream out) throws IOException;
}
