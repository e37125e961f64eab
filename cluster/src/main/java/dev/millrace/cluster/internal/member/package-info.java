/**
 * Who is in the network: joining, heartbeats and membership by JGroups over TLS, and the latest
 * state of every member. No other package uses JGroups. Start at {@link JoinedNetwork}.
 */
@NullMarked
package dev.millrace.cluster.internal.member;

import org.jspecify.annotations.NullMarked;
