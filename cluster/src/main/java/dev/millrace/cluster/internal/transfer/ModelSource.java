package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.HostPort;

/** A node that may have a model: its name and the address for calls. */
public record ModelSource(String name, HostPort at) {}
