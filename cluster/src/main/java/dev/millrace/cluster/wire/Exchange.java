package dev.millrace.cluster.wire;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** What a caller says and hears in one call. */
@FunctionalInterface
public interface Exchange<T> {
  /** What was written is sent before a read waits, and when this returns. */
  T talk(DataInputStream in, DataOutputStream out) throws IOException;
}
