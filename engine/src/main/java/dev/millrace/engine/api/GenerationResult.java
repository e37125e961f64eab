package dev.millrace.engine.api;

import org.jspecify.annotations.Nullable;

/**
 * What a generation came to.
 *
 * @param reason why it FAILED, or was RELEASED or REVOKED; else empty
 * @param refused whether it FAILED by what was asked for, so that the same request would end so
 *     again
 * @param tokens all generated, those that it went on from included; an end token is not one of them
 * @param text of all these tokens; without the stop string, and of a released one without what
 *     could have become one
 * @param rest the end of the text, that no {@link GenerationListener#token} has had
 * @param stop the stop string that ended it; null where none did
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
