package dev.millrace.engine.internal.config;

/**
 * The shape of the feed-forward network.
 *
 * @param width of the inner layer; with experts, of each expert
 * @param experts how many there are; 0: one dense network
 * @param expertsUsed how many of them a row goes through
 * @param normalised whether the weights of a row's experts are divided by their sum
 * @param expertScale a factor on those weights
 */
public record FeedForwardConfig(
    int width, int experts, int expertsUsed, boolean normalised, float expertScale) {}
