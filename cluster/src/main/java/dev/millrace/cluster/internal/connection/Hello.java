package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.HostPort;
import org.jspecify.annotations.Nullable;

/**
 * The first message of the dialing side: who it is and what it wants.
 *
 * @param name of its node; {@code ""} for a command of a user
 * @param incarnation drawn when its process started
 * @param numerics version of the arithmetic that all models share
 * @param purpose a link or a call
 * @param call which one; {@code ""} for a link
 * @param listening where it accepts links and calls itself; null: nowhere
 */
public record Hello(
    String name,
    long incarnation,
    int numerics,
    Purpose purpose,
    String call,
    @Nullable HostPort listening) {
  /** What a connection is for; the order is the wire's. */
  public enum Purpose {
    /** Messages, for as long as both live. */
    LINK,
    /** One question and its answer. */
    CALL
  }
}
