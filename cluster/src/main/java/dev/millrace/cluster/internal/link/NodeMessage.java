package dev.millrace.cluster.internal.link;

import java.nio.ByteBuffer;

/**
 * What one node sends another over their link.
 *
 * @param session which opened pipe it is about; 0 where about none
 * @param body by kind; whoever receives it owns it
 */
public record NodeMessage(Kind kind, long session, ByteBuffer body) {
  /** What a message says; the order is the wire's, new ones go to the end. */
  public enum Kind {
    /** Nobody's business but the link's. */
    PING,
    /** Origin to node: open a session: {@code member.Opening}. */
    OPEN,
    /** Node to origin: the session is open. */
    OPENED,
    /** Node to origin: it is not, or not any more: why, as text. */
    REFUSED,
    /** A frame of the engine. */
    FRAME,
    /** Origin to node: the session is over. */
    CLOSE,
    /** Node to origin: a node could not be reached: its name and why, as two texts. */
    UNREACHED,
    /** Origin to node: which groups does it hold? */
    PROBE,
    /**
     * Node to origin: of each of its stretches, in the order of the plan, the last group received
     * and the last one passed on, two longs.
     */
    PROBED,
    /** Origin to node: what it recorded of a passage: a long. */
    RECORDS_ASKED,
    /** Node to origin: the passage, and its records. */
    RECORDS,
    /** Origin to node: hold these layers: {@code member.Assignment}. */
    LOAD
  }
}
