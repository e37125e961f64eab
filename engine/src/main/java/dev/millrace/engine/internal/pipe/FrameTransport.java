package dev.millrace.engine.internal.pipe;

import java.nio.ByteBuffer;

/**
 * The way to other nodes. Frames to one node arrive in the order sent, or the sender learns that
 * they do not.
 */
public interface FrameTransport {
  /**
   * Takes a frame for a node; the buffer is the receiver's from then on. Throws where it cannot:
   * the group is RELEASED then and tried again soon. Where it is known that the node is lost, and
   * another plan is on its way, a frame that is lost without a word serves better: the plan calls
   * back all that is away.
   */
  void send(String node, ByteBuffer frame);
}
