package dev.millrace.server.infer;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A finished task to repeat and compare.
 *
 * @param type of its stage
 * @param data the parameters of the stage
 * @param createdAt when its job was created: the clock of the chat template
 * @param terms the frozen terms of its first attempt; may be empty for an embedding, which freezes
 *     none
 */
public record VerifyRequest(
    String type,
    @Nullable Object input,
    JsonObject data,
    Instant createdAt,
    JsonObject terms,
    TaskResult result) {}
