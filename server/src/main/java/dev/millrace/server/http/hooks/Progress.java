package dev.millrace.server.http.hooks;

import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far a webhook has been told.
 *
 * @param after the number of the last entry that it knows of
 * @param tries failures at what comes next
 * @param since the first of them
 * @param next not to be tried before
 * @param done whether nothing is to be told any more
 */
record Progress(
    long after, int tries, @Nullable Instant since, @Nullable Instant next, boolean done) {

  static Progress at(long after) {
    return new Progress(after, 0, null, null, false);
  }

  static Progress over(long after) {
    return new Progress(after, 0, null, null, true);
  }

  static Progress read(JsonObject json, long otherwise) {
    return new Progress(
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
    if (tries > 0) {
      json.put("tries", tries);
    }
    json.putIfPresent("since", since == null ? null : since.toString());
    json.putIfPresent("next", next == null ? null : next.toString());
    return done ? json.put("done", true) : json;
  }
}
