package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Who the server says the caller is. */
public record CallerIdentity(String userId, String orgId, @Nullable String email) {
  public static CallerIdentity fromJson(JsonObject in) {
    return new CallerIdentity(in.string("userId"), in.string("orgId"), in.string("email", null));
  }
}
