package dev.millrace.http.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.openapi.DocumentedResponseCheck;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** OpenAI's API over the house model, on a free port of loopback; answers are checked. */
final class HouseModelServer implements AutoCloseable {
  /** A name with a slash, as many models have. */
  static final String MODEL = "millrace/house";

  private static final Map<String, String> OPERATIONS =
      Map.of(
          "/v1/models", "listModels",
          "/v1/chat/completions", "createChatCompletion",
          "/v1/completions", "createCompletion",
          "/v1/embeddings", "createEmbedding",
          "/tokenize", "tokenize",
          "/detokenize", "detokenize",
          "/apply-template", "applyTemplate");

  final Inference inference;
  final HttpService service;
  private final DocumentedResponseCheck document = new DocumentedResponseCheck();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  HouseModelServer() {
    Path house = Path.of("models/house/house.gguf");
    Path file = Files.exists(house) ? house : Path.of("..").resolve(house);
    inference =
        Inference.open(
            InferenceSettings.of(List.of(new NamedModel(MODEL, file)))
                .withEngine(
                    EngineSettings.usual().withContext(1024).withSlots(4).withTokens(4096)));
    InferenceAccess access = new InferenceAccess();
    access.attach(inference.direct());
    service = HttpService.open(HttpSettings.loopback(0), List.of(new OpenAiRouteGroup(access)));
  }

  HttpResponse<String> get(String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(service.uri().resolve(path)).build(), BodyHandlers.ofString());
  }

  private HttpRequest request(String path, String body) {
    return HttpRequest.newBuilder(service.uri().resolve(path))
        .header("Content-Type", "application/json")
        .timeout(Duration.ofSeconds(60))
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  HttpResponse<String> post(String path, String body) throws Exception {
    HttpResponse<String> response = client.send(request(path, body), BodyHandlers.ofString());
    document.check(
        OPERATIONS.get(path),
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse(null),
        response.body());
    return response;
  }

  /** The answer to a request that succeeds. */
  JsonObject ask(String path, String body) throws Exception {
    HttpResponse<String> response = post(path, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return Json.object(response.body());
  }

  /** The error of a request that fails. */
  JsonObject refuse(int status, String path, String body) throws Exception {
    HttpResponse<String> response = post(path, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    return Json.object(response.body()).object("error");
  }

  /** The data of all events of a stream, which begins with one. */
  List<String> stream(String path, String body) throws Exception {
    HttpResponse<String> response = post(path, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(response.body()).startsWith("data: ");
    List<String> data = new ArrayList<>();
    for (String line : response.body().split("\n")) {
      if (line.startsWith("data: ")) {
        data.add(line.substring(6));
      }
    }
    return data;
  }

  HttpResponse<InputStream> open(String path, String body) throws Exception {
    return client.send(request(path, body), BodyHandlers.ofInputStream());
  }

  static JsonObject choice(JsonObject answer, int index) {
    return JsonObject.of(answer.list("choices").get(index), "choice");
  }

  @Override
  public void close() {
    service.close();
    inference.close();
    client.close();
  }
}
