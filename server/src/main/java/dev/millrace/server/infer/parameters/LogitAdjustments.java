package dev.millrace.server.infer.parameters;

import java.util.Map;

/**
 * What a task adds to or subtracts from the logits of tokens before one is sampled.
 *
 * @param presencePenalty subtracted once from each token that is in the text already; 0: none
 * @param frequencyPenalty subtracted for each time that a token is in the text; 0: none
 * @param logitBias added, by token id
 */
public record LogitAdjustments(
    double presencePenalty, double frequencyPenalty, Map<Integer, Float> logitBias) {}
