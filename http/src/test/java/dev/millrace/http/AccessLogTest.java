package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.http.route.CompletedRequest;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines of the access log contain neither secrets nor control codes. */
final class AccessLogTest {

  @ParameterizedTest
  @CsvSource({
    "/v1/jobs?limit=5, /v1/jobs?limit=5",
    "/v1/jobs?token=abc&limit=5, /v1/jobs?token=[redacted]&limit=5",
    "/x?ApiKey=abc, /x?ApiKey=[redacted]",
    "/x?q=mr_0123456789abcdefghij, /x?q=[redacted]",
    "/x?q=sk-12345678, /x?q=[redacted]",
    "/x?q=Bearer%20abcdef, /x?q=[redacted]",
    "/x?q=eyJhbGciOi.eyJzdWIi.abc, /x?q=[redacted]",
    "/x/mr_0123456789abcdefghij/y, /x/[redacted]/y",
    "/v1/jobs/00000006-1234-8abc-8000-000000000001, /v1/jobs/00000006-1234-8abc-8000-000000000001",
    "/x?password, /x?password",
    "/x?q=ghp_16C7e42F292c6912E7710c838347, /x?q=[redacted]",
    "/x?to=https://me:pw@host/, /x?to=https://me:[redacted]@host/",
  })
  void possibleSecretsAreRedacted(String target, String written) {
    assertThat(AccessLog.redact(target)).isEqualTo(written);
  }

  @Test
  void onlyPrintableCharactersAreWritten() {
    assertThat(AccessLog.redact("/a\u001b[31m\r\nb\u009bé\u2028 c")).isEqualTo("/a?[31m??b????c");
    assertThat(AccessLog.redact("/" + "x/".repeat(5000))).hasSizeLessThan(2100).endsWith("...");
  }

  @Test
  void lineIsOneJsonObject() {
    List<String> lines = new ArrayList<>();
    Clock clock = Clock.fixed(Instant.parse("2026-01-02T03:04:05.006Z"), ZoneOffset.UTC);
    new AccessLog(lines::add, clock)
        .write(
            new AccessLog.Line(
                new AccessLog.Request("id", null, "GET", "/\""),
                new AccessLog.Caller("me", "::1", null),
                new CompletedRequest.Response(404, 1_234_567, 12),
                "NOT_FOUND"));
    assertThat(lines)
        .containsExactly(
            "{\"timestamp\":\"2026-01-02T03:04:05.006Z\",\"requestId\":\"id\",\"method\":\"GET\","
                + "\"path\":\"/\\\"\",\"status\":404,\"duration_ms\":1.23,\"userId\":\"me\","
                + "\"orgId\":\"default\",\"remote\":\"::1\",\"bytes\":12,\"error\":\"NOT_FOUND\"}");
  }

  @Test
  void failingSinkDoesNotAffectRequests() {
    AccessLog log =
        new AccessLog(
            line -> {
              throw new IllegalStateException("disk full");
            },
            Clock.systemUTC());
    log.write(
        new AccessLog.Line(
            new AccessLog.Request("id", null, "GET", "/"),
            AccessLog.Caller.UNKNOWN,
            new CompletedRequest.Response(200, 1, 0),
            null));
  }
}
