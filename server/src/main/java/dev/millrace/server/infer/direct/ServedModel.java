package dev.millrace.server.infer.direct;

/**
 * A model that requests can name.
 *
 * @param createdSeconds when its file was last changed, in seconds since 1970
 * @param context the most positions of a sequence
 */
public record ServedModel(
    String name, boolean generates, boolean embeds, long createdSeconds, int context) {}
