package dev.millrace.engine.internal.pipe;

import java.nio.ByteBuffer;

/**
 * Sends frames to other nodes. Frames to one node arrive in the order sent, or the sender learns
 * that they do not.
 */
public interface FrameTransport {
  /**
   * Sends a frame to a node; the receiver owns the buffer from then on. Throws if it cannot: the
   * group is RELEASED then and retried soon. If the node is known to be lost and another plan is
   * coming, drop the frame silently instead: the new plan takes back all groups in flight.
   */
  void send(String node, ByteBuffer frame);
}
