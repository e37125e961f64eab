package dev.millrace.server.infer.direct;

/**
 * The tokens of an answer.
 *
 * @param cachedTokens those of the prompt that were in the cache
 * @param completionTokens all generated tokens
 * @param reasoningTokens those of them that are thoughts, tags included
 */
public record AnswerUsage(
    int promptTokens, int cachedTokens, int completionTokens, int reasoningTokens) {}
