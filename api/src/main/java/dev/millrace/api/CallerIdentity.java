package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Who the caller is, according to the server. */
public record CallerIdentity(String userId, String orgId, @Nullable String email) {
  public static CallerIdentity fromJson(JsonObject in) {
    return new CallerIdentity(in.string("userId"), in.string("orgId"), in.string("email", null));
  }

  /** An email that is not known is written as null, as in so1. */
  public JsonObject toJson() {
    return JsonObject.create().put("userId", userId).put("orgId", orgId).put("email", email);
  }
}
