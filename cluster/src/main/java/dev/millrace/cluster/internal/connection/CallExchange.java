package dev.millrace.cluster.internal.connection;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** The caller's side of one call. */
@FunctionalInterface
public interface CallExchange<T> {
  /** Written bytes are sent before a read waits, and when this method returns. */
  T exchange(DataInputStream in, DataOutputStream out) throws IOException;
}
