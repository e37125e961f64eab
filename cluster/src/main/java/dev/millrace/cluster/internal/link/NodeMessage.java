package dev.millrace.cluster.internal.link;

import java.nio.ByteBuffer;

/**
 * A message between two nodes over their link.
 *
 * @param session the session that it is about; 0: none
 * @param body depends on the kind; the receiver owns it
 */
public record NodeMessage(Kind kind, long session, ByteBuffer body) {
  /** The kind of a message. The order is part of the wire format; new kinds go to the end. */
  public enum Kind {
    /** For the link itself: keeps it alive, or says why it closes. */
    PING,
    /** Origin to node: open a session ({@code OpenSessionRequest}). */
    OPEN,
    /** Node to origin: the session is open. */
    OPENED,
    /** Node to origin: a request is refused or a session ended; the reason, as text. */
    REFUSED,
    /** A frame of the engine. */
    FRAME,
    /** Origin to node: close the session. */
    CLOSE,
    /** Node to origin: a node could not be reached: its name and why, as two texts. */
    UNREACHED,
    /** Origin to node: which groups of steps has it received? */
    PROBE,
    /**
     * Node to origin: for each of its stretches, in the order of the plan, the last group received
     * and the last group sent on, as two longs.
     */
    PROBED,
    /** Origin to node: send the audit records of a sequence (a long). */
    RECORDS_ASKED,
    /** Node to origin: the sequence and its audit records. */
    RECORDS,
    /** Origin to node: load layers ({@code LoadLayersRequest}). */
    LOAD
  }
}
