package dev.millrace.engine.pipe;

import java.nio.ByteBuffer;

/**
 * The way to other nodes. Frames to one node arrive in the order sent, or the sender learns that
 * they do not.
 */
public interface Hop {
  /**
   * Takes a frame for a node; the buffer is the receiver's from then on. Throws where it cannot.
   */
  void send(String node, ByteBuffer frame);
}
