package dev.millrace.cluster.internal.connection;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** The exchange of one call on the caller's side: sends the question and reads the answer. */
@FunctionalInterface
public interface CallExchange<T> {
  /** Written bytes are sent before a read waits, and when this method returns. */
  T exchange(DataInputStream in, DataOutputStream out) throws IOException;
}
