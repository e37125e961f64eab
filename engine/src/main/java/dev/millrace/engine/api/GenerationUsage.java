package dev.millrace.engine.api;

/**
 * What a generation took.
 *
 * @param promptTokens as given
 * @param cachedTokens of them and of those generated before, how many had not to be computed when
 *     it was admitted first
 * @param generatedTokens all that the result has, those that it went on from included
 * @param preemptions how often it had to give its pages up
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
