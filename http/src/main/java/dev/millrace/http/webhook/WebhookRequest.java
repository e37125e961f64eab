package dev.millrace.http.webhook;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.http.job.JobDisplayName;
import dev.millrace.http.route.TruncatedText;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** A request to a receiver: the event as JSON, and fields that identify and sign it. */
record WebhookRequest(Map<String, String> fields, byte[] body) {
  private static final int MAX_ERROR = 2_000;

  /**
   * @param secret empty: not signed
   * @param now the time of this request; part of the signature
   */
  static WebhookRequest of(WebhookEvent event, JobView view, String secret, Instant now) {
    JobId job = view.header().id();
    JsonObject json =
        JsonObject.create()
            .put("id", event.id(job))
            .put("type", event.type())
            .put("at", event.at().toString())
            .put("job", job(view));
    if (event.stage() > 0) {
      json.put("stage", stage(job, view.stages().get(event.stage() - 1)));
    }
    byte[] body = Json.write(json).getBytes(StandardCharsets.UTF_8);
    String timestamp = Long.toString(now.getEpochSecond());
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("User-Agent", "Millrace-Webhooks");
    fields.put("Content-Type", "application/json");
    fields.put("Millrace-Event-Id", event.id(job));
    fields.put("Millrace-Timestamp", timestamp);
    if (!secret.isEmpty()) {
      fields.put("Millrace-Signature", "v1=" + signature(secret, timestamp, body));
    }
    return new WebhookRequest(fields, body);
  }

  private static JsonObject job(JobView view) {
    JobHeader header = view.header();
    String error = view.error();
    JsonObject json =
        JsonObject.create()
            .put("id", EntityId.of(header.id()).toString())
            .put("name", JobDisplayName.of(view))
            .put("status", view.state().name())
            .put("priority", header.priority().name())
            .put("creationTime", view.createdAt().toString())
            .putIfPresent("startTime", iso(view.startedAt()))
            .putIfPresent("endTime", iso(view.completedAt()))
            .putIfPresent("error", error == null ? null : TruncatedText.of(error, MAX_ERROR));
    return header.tags().isEmpty() ? json : json.put("tags", header.tags());
  }

  private static @Nullable String iso(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  private static JsonObject stage(JobId job, StageView stage) {
    return JsonObject.create()
        .put("id", EntityId.of(job, stage.number()).toString())
        .put("order", stage.number())
        .put("type", stage.type())
        .put("status", stage.state().name());
  }

  /** HMAC-SHA256 of the timestamp, a dot and the body, in hex. */
  static String signature(String secret, String timestamp, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      mac.update((timestamp + ".").getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java platform has it
    }
  }
}
