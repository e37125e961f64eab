package dev.millrace.cluster.transfer;

import dev.millrace.cluster.wire.HostPort;

/** A node that may have a model: its name, and where it takes calls. */
public record Peer(String name, HostPort at) {}
