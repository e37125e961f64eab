package dev.millrace.cluster;

/** Layers [from, to) of a pipe that one node computes. */
public record PipeStretch(String node, int from, int to) {}
