package dev.millrace.cluster.internal.protocol;

import dev.millrace.engine.internal.pipe.Pipe;

/**
 * Asks a node of a plan to open a session; the node refuses a session that it cannot serve.
 *
 * @param pipe the plan; the node computes the layers that have its name
 */
public record OpenSessionRequest(SessionParameters parameters, Pipe pipe) {}
