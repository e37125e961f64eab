package dev.millrace.engine.api;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a generation.
 *
 * @param reason why it FAILED, or was RELEASED or REVOKED; else empty
 * @param refused whether it FAILED because of the request itself, so that the same request would
 *     fail again
 * @param tokens all generated tokens, {@code prior} included, without an end token
 * @param text the text of these tokens, without the stop string; a released generation has no text
 *     that could still become part of a stop string
 * @param rest the end of the text that no {@link GenerationListener#token} has received
 * @param stop the stop string that ended it; null if none did
 */
public record GenerationResult(
    FinishReason finish,
    String reason,
    boolean refused,
    int[] tokens,
    String text,
    String rest,
    @Nullable String stop,
    GenerationUsage usage) {}
