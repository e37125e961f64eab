package dev.millrace.bench.page;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Jobs as people might have them, for a server with the house model and the program {@link #fetch}. */
final class SampleWork implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("Ben", "Lily", "Tom", "Mia", "Sam", "Anna", "Max", "Zoe");
  private static final List<String> THINGS =
      List.of("river", "mill", "boat", "kite", "dog", "garden", "train", "lantern");

  private final URI server;
  private final HttpClient client = HttpClient.newHttpClient();

  SampleWork(URI server) {
    this.server = server;
  }

  /** A program for tasks of the type "fetch": the first attempt fails; of what is gone, each does. */
  static String fetch(Path directory) {
    return """
    fetch=read -r page
    count=%s/$(printf %%s "$page" | cksum | cut -d' ' -f1)
    sleep 0.6
    case $page in *gone*) echo "$page: 404 Not Found" >&2; exit 1 ;; esac
    [ -e "$count" ] || { : >"$count"; echo "$page: connection reset by peer" >&2; exit 1; }
    sleep 0.9; echo "read $page"
    """
        .formatted(directory);
  }

  /** A picture book: stories, their characters, and a gate before the covers. Returns its id. */
  String book(String name, int stories) throws IOException, InterruptedException {
    return submit(
        name,
        "\"tags\": [\"books\", \"night\"],",
        stage("generate", "\"data\": {\"max_tokens\": 160},", stories(stories)),
        """
        {"type": "generate", "data": {"temperature": 0, "max_tokens": 40},
         "each": "Name the characters of this story as JSON.\\n\\n{{result}}"}\
        """,
        """
        {"type": "generate", "gate": true, "data": {"max_tokens": 60},
         "tasks": [{"input": "Write a short story."}]}\
        """);
  }

  /** Tasks that are tried again. Returns its id. */
  String feeds(String name, String... pages) throws IOException, InterruptedException {
    return submit(
        name,
        "\"tags\": [\"feeds\"],",
        stage("fetch", "\"maxAttempts\": 3, \"backoff\": {\"base\": \"1s\"},", List.of(pages)),
        """
        {"type": "generate", "data": {"max_tokens": 80}, "each": "Write a story about {{result}}."}\
        """);
  }

  /** One prompt. Returns its id. */
  String prompt(String name, String tag, int tokens, String more)
      throws IOException, InterruptedException {
    return submit(
        name,
        more + "\"tags\": [\"" + tag + "\"],",
        stage("generate", "\"data\": {\"max_tokens\": " + tokens + "},", stories(1)));
  }

  /** Many stories at once. Returns its id. */
  String batch(String name, int stories, int tokens) throws IOException, InterruptedException {
    return submit(
        name,
        "\"tags\": [\"corpus\"],",
        stage("generate", "\"data\": {\"max_tokens\": " + tokens + "},", stories(stories)));
  }

  /** Stories by a model other than the default, before what waits for that. */
  void split(String name, String model, int stories) throws IOException, InterruptedException {
    String data = "\"data\": {\"model\": \"" + model + "\", \"max_tokens\": 400},";
    submit(
        name,
        "\"priority\": \"HIGH\", \"tags\": [\"letters\"],",
        stage("generate", data, stories(stories)));
  }

  void setStatus(String job, String status) throws IOException, InterruptedException {
    send("PUT", "/v1/jobs/" + job + "/status", "{\"status\": \"" + status + "\"}");
  }

  String status(String job) throws IOException, InterruptedException {
    return job(job).string("status");
  }

  /** Whether a stage of the job waits for an approval. */
  boolean waits(String job) throws IOException, InterruptedException {
    return job(job).get("waitsForApproval") != null;
  }

  private JsonObject job(String job) throws IOException, InterruptedException {
    return send("GET", "/v1/jobs/" + job, "");
  }

  private static List<String> stories(int count) {
    List<String> prompts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      prompts.add(
          "Write a story about "
              + NAMES.get(i % NAMES.size())
              + " and a "
              + THINGS.get((i * 3 + i / NAMES.size()) % THINGS.size())
              + ".");
    }
    return prompts;
  }

  private static String stage(String type, String fields, List<String> inputs) {
    return "{\"type\": \"" + type + "\", " + fields + " \"tasks\": " + Json.write(inputs) + "}";
  }

  private String submit(String name, String fields, String... stages)
      throws IOException, InterruptedException {
    String document =
        "{\"name\": \""
            + name
            + "\", "
            + fields
            + " \"stages\": ["
            + String.join(",", stages)
            + "]}";
    return send("POST", "/v1/pipelines", document).string("id");
  }

  private JsonObject send(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve(path))
            .header("Content-Type", "application/json")
            .header("Millrace-Extensions", "true")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    if (response.statusCode() >= 300) {
      throw new IOException(
          method + " " + path + ": " + response.statusCode() + " " + response.body());
    }
    return Json.object(response.body());
  }

  @Override
  public void close() {
    client.close();
  }
}
