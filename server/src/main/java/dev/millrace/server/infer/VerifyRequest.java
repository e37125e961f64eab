package dev.millrace.server.infer;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A finished task that is to be repeated.
 *
 * @param type of its stage
 * @param data the stage's parameters
 * @param createdAt when its job was, which is the chat template's clock
 * @param terms what its first attempt settled; of an embedding, which settles none, may be empty
 */
public record VerifyRequest(
    String type,
    @Nullable Object input,
    JsonObject data,
    Instant createdAt,
    JsonObject terms,
    TaskResult result) {}
