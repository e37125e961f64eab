package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A server is killed in the middle of a stored response; the next one continues its stream. */
@ResourceLock(LauncherProcess.CORES)
class ResponseCrashIT {
  private static final String REQUEST =
      "{\"input\": \"Once upon a time\", \"stream\": true, \"seed\": 7, \"max_output_tokens\":"
          + " 300}";
  private static final String DELTA = "event: response.output_text.delta";

  @TempDir Path dir;
  private final String port = Integer.toString(ServeProcess.freePort());
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private ServeProcess serve() {
    return ServeProcess.start(dir, "--model", "house", "--port", port);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(60));
  }

  private InputStream begin() throws IOException, InterruptedException {
    return client
        .send(
            request("/v1/responses")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(REQUEST))
                .build(),
            BodyHandlers.ofInputStream())
        .body();
  }

  /** Reads until there are some deltas. */
  private static String readSome(InputStream in) throws IOException {
    StringBuilder read = new StringBuilder();
    while (read.toString().split(DELTA, -1).length <= 5) {
      int next = in.read();
      assertThat(next).as("the stream ended: " + read).isPositive();
      read.append((char) next); // ids and types are ASCII
    }
    return withoutKeepAlives(read.toString());
  }

  /** A stream without the comments that a slow machine gets while it waits for the next token. */
  private static String withoutKeepAlives(String stream) {
    return stream.replace(": keep-alive\n\n", "");
  }

  @Test
  void theStreamOfAKilledServerContinuesWithTheSameBytes() throws Exception {
    String id;
    String before;
    try (ServeProcess first = serve()) {
      first.uri();
      InputStream in = begin();
      before = readSome(in);
      first.kill();
      id = before.substring(before.indexOf("resp_"), before.indexOf("resp_") + 37);
    }
    try (ServeProcess second = serve()) {
      second.uri();
      String path = "/v1/responses/" + id + "?stream=true";
      String whole = get(path);
      assertThat(whole).startsWith(before).endsWith("data: [DONE]\n\n");
      assertThat(whole.split(DELTA, -1).length).as("it went on").isGreaterThan(20);
      int cut = before.lastIndexOf("\n\n") + 2;
      long last = before.substring(0, cut).split("\n\n", -1).length - 2;
      assertThat(whole.substring(0, cut) + get(path + "&starting_after=" + last)).isEqualTo(whole);
      String stream = new String(begin().readAllBytes(), StandardCharsets.UTF_8);
      String undisturbed = withoutKeepAlives(stream);
      assertThat(neutral(whole)).isEqualTo(neutral(undisturbed));
    }
  }

  private String get(String path) throws IOException, InterruptedException {
    return withoutKeepAlives(client.send(request(path).build(), BodyHandlers.ofString()).body());
  }

  /** Without what differs between two responses to the same request. */
  private static String neutral(String stream) {
    return stream
        .replaceAll("_[0-9a-f]{32}", "_ID")
        .replaceAll("\"(created_at|completed_at|cached_tokens)\":\\d+", "\"$1\":0");
  }
}
