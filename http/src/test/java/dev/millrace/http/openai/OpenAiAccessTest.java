package dev.millrace.http.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.limits.HttpLimits;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys, rate limits and the access log hold for OpenAI's paths, in OpenAI's form. */
class OpenAiAccessTest {
  @TempDir private Path directory;
  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
  private final HttpClient client = HttpClient.newHttpClient(); // it offers HTTP/2, as clients do
  private String reader;
  private HttpService service;

  @BeforeEach
  void open() throws Exception {
    Path keys = directory.resolve("keys");
    reader = ApiKeyFile.add(keys, "reader", Set.of(KeyScope.READ));
    InferenceAccess none = new InferenceAccess();
    none.attach(null);
    HttpLimits limits = HttpLimits.DEFAULT.withRate(0.001, 3);
    service =
        HttpService.open(
            HttpSettings.loopback(0).withKeys(keys).withLimits(limits).withAccessLog(log::add),
            List.of(new OpenAiRouteGroup(none)));
  }

  @AfterEach
  void close() {
    service.close();
    client.close();
  }

  private HttpResponse<String> send(String path, String key, String body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(service.uri().resolve(path))
            .header("Authorization", "Bearer " + key);
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static JsonObject error(HttpResponse<String> response, int status) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    JsonObject error = Json.object(response.body()).object("error");
    assertThat(error.values()).containsOnlyKeys("message", "type", "param", "code");
    return error;
  }

  @Test
  void keysScopesAndRatesHold() throws Exception {
    String chat = "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";
    assertThat(error(send("/v1/models", "wrong", ""), 401).string("code"))
        .isEqualTo("invalid_api_key");
    HttpResponse<String> first = send("/v1/models", reader, "");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.headers().firstValue("x-ratelimit-limit-requests")).hasValue("3");
    assertThat(first.headers().firstValue("x-ratelimit-remaining-requests")).hasValue("2");
    assertThat(first.headers().firstValue("x-ratelimit-reset-requests").orElse(""))
        .matches("1[56]m\\d{1,2}s");
    assertThat(error(send("/v1/chat/completions", reader, chat), 403).string("message"))
        .contains("\"submit\"");
    assertThat(send("/v1/models", reader, "").statusCode()).isEqualTo(200);
    assertThat(send("/v1/models", reader, "").statusCode()).isEqualTo(200);
    HttpResponse<String> tooMany = send("/v1/models", reader, "");
    assertThat(error(tooMany, 429).string("code")).isEqualTo("rate_limit_exceeded");
    assertThat(tooMany.headers().firstValue("Retry-After")).isPresent();
    assertThat(tooMany.headers().firstValue("x-ratelimit-remaining-requests")).hasValue("0");
    assertThat(tooMany.headers().firstValue("X-Request-Id")).isPresent();
    String line = log.poll(20, TimeUnit.SECONDS);
    assertThat(line).contains("\"/v1/models\"").contains("401");
  }
}
