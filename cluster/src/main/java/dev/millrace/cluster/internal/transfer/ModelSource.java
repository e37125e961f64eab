package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.HostPort;

/** A node that may have a model: its name, and where it takes calls. */
public record ModelSource(String name, HostPort at) {}
