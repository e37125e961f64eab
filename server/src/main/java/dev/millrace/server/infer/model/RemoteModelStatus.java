package dev.millrace.server.infer.model;

import java.util.Map;

/**
 * The state of a model whose layers are at other nodes.
 *
 * @param ready whether all layers are available now
 * @param waitReason what is missing, in words; empty when the model is ready
 * @param metrics from {@link RemoteModelOpener#metrics}
 */
public record RemoteModelStatus(
    String model, boolean ready, String waitReason, Map<String, Double> metrics) {}
