package dev.millrace.client.wire;

import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Who the server says the caller is. */
public record Session(String userId, String orgId, @Nullable String email) {
  public static Session read(JsonObject in) {
    return new Session(in.string("userId"), in.string("orgId"), in.string("email", null));
  }
}
