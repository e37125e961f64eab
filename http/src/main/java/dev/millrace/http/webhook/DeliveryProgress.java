package dev.millrace.http.webhook;

import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far the events of a job are delivered to one webhook.
 *
 * @param after the number of the last log entry that was delivered
 * @param failures failed attempts to deliver the next event
 * @param firstFailure the time of the first of them
 * @param notBefore when to try again
 * @param done whether nothing more is to be delivered
 */
record DeliveryProgress(
    long after,
    int failures,
    @Nullable Instant firstFailure,
    @Nullable Instant notBefore,
    boolean done) {

  static DeliveryProgress at(long after) {
    return new DeliveryProgress(after, 0, null, null, false);
  }

  static DeliveryProgress finished(long after) {
    return new DeliveryProgress(after, 0, null, null, true);
  }

  static DeliveryProgress read(JsonObject json, long otherwise) {
    return new DeliveryProgress(
        json.integer("after", otherwise),
        Math.toIntExact(json.integer("tries", 0)),
        instant(json.string("since", null)),
        instant(json.string("next", null)),
        json.flag("done", false));
  }

  private static @Nullable Instant instant(@Nullable String text) {
    return text == null ? null : Instant.parse(text);
  }

  JsonObject write() {
    JsonObject json = JsonObject.create().put("after", after);
    if (failures > 0) {
      json.put("tries", failures);
    }
    json.putIfPresent("since", firstFailure == null ? null : firstFailure.toString());
    json.putIfPresent("next", notBefore == null ? null : notBefore.toString());
    return done ? json.put("done", true) : json;
  }
}
