package dev.millrace.cluster.internal.connection;

import org.jspecify.annotations.Nullable;

/**
 * Decides which nodes may connect. Asked for each link and call of a named node whose key or
 * certificate is right; not for commands of a user, which have no name.
 */
@FunctionalInterface
public interface AdmissionPolicy {
  /** Null admits the node; otherwise the reason, which the other side reads. */
  @Nullable String refusalReason(Hello hello);
}
