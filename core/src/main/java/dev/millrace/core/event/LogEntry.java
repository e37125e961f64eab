package dev.millrace.core.event;

import java.time.Instant;

/** A fact in a job's log. Numbers start at 1 and have no gaps; times never run backwards. */
public record LogEntry(long number, Instant at, Fact fact) {}
