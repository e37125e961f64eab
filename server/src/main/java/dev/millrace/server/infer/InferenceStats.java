package dev.millrace.server.infer;

import java.util.List;

/**
 * What inference has done since its start, and does.
 *
 * @param promptTokens of generations that ended
 * @param cachedTokens of these, how many had not to be computed
 * @param generatedTokens of generations that ended
 * @param embeddedTokens of texts that became vectors
 * @param running sequences that the wheels hold
 * @param waiting sequences that wait for a place
 * @param loaded names of models
 */
public record InferenceStats(
    long promptTokens,
    long cachedTokens,
    long generatedTokens,
    long embeddedTokens,
    int running,
    int waiting,
    List<String> loaded) {}
