package dev.millrace.server.infer.direct;

import dev.millrace.core.json.JsonObject;
import java.time.Instant;

/**
 * A request for one answer.
 *
 * @param data the parameters of a generate task, prompt included
 * @param choice the number of this answer among several to the same prompt, from 0: it is added to
 *     the seed
 * @param createdAt the clock of the chat template
 * @param interactive whether somebody waits for it: it is computed before the tasks of the queue
 */
public record DirectRequest(JsonObject data, int choice, Instant createdAt, boolean interactive) {
  public DirectRequest {
    if (choice < 0) {
      throw new IllegalArgumentException("choice is %d; it must be at least 0".formatted(choice));
    }
  }
}
