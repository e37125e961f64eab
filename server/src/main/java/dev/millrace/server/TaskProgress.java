package dev.millrace.server;

import org.jspecify.annotations.Nullable;

/**
 * How far an attempt is, from memory: its output is what it has journaled, earlier attempts that it
 * resumes from included.
 *
 * @param model that it runs on; null if it has none, or none yet
 * @param promptDone tokens of the prompt that are computed
 * @param promptTotal tokens of the prompt; 0 until it is known
 * @param tokens of its output
 * @param tokensPerSecond in the last seconds
 * @param tail the end of its text
 * @param textLength characters of its whole text
 */
public record TaskProgress(
    TaskPhase phase,
    @Nullable String model,
    int promptDone,
    int promptTotal,
    long tokens,
    double tokensPerSecond,
    String tail,
    long textLength) {}
