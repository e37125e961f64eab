package dev.millrace.engine.api;

/**
 * What a generation cost.
 *
 * @param promptTokens the length of the prompt
 * @param cachedTokens how many of the prompt's and prior tokens were in the cache at the first
 *     admission
 * @param generatedTokens all tokens of the result, prior ones included
 * @param preemptions how often it was preempted
 * @param waitNanos from its submission to its first admission
 * @param prefillNanos from then to the first token chosen here
 * @param decodeNanos from then to the end
 */
public record GenerationUsage(
    int promptTokens,
    int cachedTokens,
    int generatedTokens,
    int preemptions,
    long waitNanos,
    long prefillNanos,
    long decodeNanos) {}
