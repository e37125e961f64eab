package dev.millrace.cluster.internal.protocol;

import dev.millrace.engine.internal.pipe.Pipe;

/**
 * Asks a node of a plan to open a session; a node refuses what it cannot keep.
 *
 * @param pipe the plan; the node computes the layers that have its name
 */
public record OpenSessionRequest(SessionParameters parameters, Pipe pipe) {}
