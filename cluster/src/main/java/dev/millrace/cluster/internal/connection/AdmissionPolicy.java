package dev.millrace.cluster.internal.connection;

import org.jspecify.annotations.Nullable;

/**
 * Decides who comes in. Asked for each link and call of a named member, after its key or
 * certificate was found right; a user's commands, which have no name, are not his to judge.
 */
@FunctionalInterface
public interface AdmissionPolicy {
  /** Null lets it in; else why not, in words for the other side. */
  @Nullable String refusalReason(Hello hello);
}
