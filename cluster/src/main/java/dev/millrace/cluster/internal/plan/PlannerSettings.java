package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.protocol.SessionParameters;

/**
 * The settings of an origin's planner: the model, and the pipes to run for it.
 *
 * @param origin its name
 * @param need the model
 * @param parameters of every session
 * @param maxPipes how many may run at once
 * @param stepNanos how long a step may be away before its nodes are asked where it is
 */
public record PlannerSettings(
    String origin,
    ModelRequirements need,
    SessionParameters parameters,
    int maxPipes,
    long stepNanos) {}
