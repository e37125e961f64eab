package dev.millrace.bench.chat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Iterator;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One streamed completion of a prompt of random tokens.
 *
 * @param firstNanos from the request to the first text
 * @param tokens that were generated
 */
public record CompletionStream(long firstNanos, int tokens) {

  /** Random ids that every vocabulary has, and that are no control tokens. */
  private static final int LEAST = 1_000;

  private static final int MOST = 4_000;

  /** Sends a request and reads its stream to the end. */
  public static CompletionStream run(
      ModelServer server, RandomGenerator random, int prompt, int output)
      throws IOException, InterruptedException {
    String ids =
        IntStream.generate(() -> random.nextInt(LEAST, MOST))
            .limit(prompt)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(","));
    String body =
        """
        {"model":"bench","prompt":[%s],"max_tokens":%d,"temperature":0,"ignore_eos":true,\
        "stream":true,"stream_options":{"include_usage":true}}\
        """
            .formatted(ids, output);
    HttpRequest request =
        HttpRequest.newBuilder(server.at("/v1/completions"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    long start = System.nanoTime();
    HttpResponse<Stream<String>> response =
        server.client().send(request, HttpResponse.BodyHandlers.ofLines());
    try (Stream<String> lines = response.body()) {
      return read(start, response.statusCode(), lines.iterator(), output);
    }
  }

  private static CompletionStream read(long start, int status, Iterator<String> lines, int output) {
    long first = 0;
    String last = "";
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.startsWith("data: {")) {
        first = first == 0 ? System.nanoTime() - start : first;
        last = line;
      }
    }
    int at = last.indexOf("\"completion_tokens\":");
    if (status != 200 || at < 0) {
      throw new IllegalStateException("status " + status + ", the stream ends with " + last);
    }
    String rest = last.substring(at).replaceFirst("\\D+", "");
    int tokens = Integer.parseInt(rest.replaceFirst("\\D.*", ""));
    if (tokens != output) {
      throw new IllegalStateException(tokens + " tokens instead of " + output);
    }
    return new CompletionStream(first, tokens);
  }
}
