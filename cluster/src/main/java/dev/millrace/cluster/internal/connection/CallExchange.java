package dev.millrace.cluster.internal.connection;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** What a caller says and hears in one call. */
@FunctionalInterface
public interface CallExchange<T> {
  /** What was written is sent before a read waits, and when this returns. */
  T exchange(DataInputStream in, DataOutputStream out) throws IOException;
}
