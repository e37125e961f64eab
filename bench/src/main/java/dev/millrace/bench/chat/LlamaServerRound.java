package dev.millrace.bench.chat;

import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.model.Workload;
import dev.millrace.bench.model.WorkloadResult;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A workload on {@code llama-server}: all requests at once, until the last answer. */
public final class LlamaServerRound {
  private static final String PROGRAM = "llama-server";

  private LlamaServerRound() {}

  /** The program, if it is on the PATH. */
  public static @Nullable Path program() {
    for (String directory : System.getenv("PATH").split(":")) {
      Path file = Path.of(directory, PROGRAM);
      if (Files.isExecutable(file)) {
        return file;
      }
    }
    return null;
  }

  /** Starts a server, warms it up with the same requests but one token each, and measures. */
  public static WorkloadResult measure(
      Path program, Path model, Workload load, int slots, int context) throws Exception {
    Path directory = ScratchDirectories.fresh("llama");
    try (ModelServer server = ModelServer.startLlama(program, directory, model, slots, context)) {
      generate(server, load.prompts().subList(0, Math.min(slots, load.prompts().size())), 8);
      long start = System.nanoTime();
      long tokens = generate(server, load.prompts(), load.output());
      return new WorkloadResult(tokens, System.nanoTime() - start, 0);
    }
  }

  private static long generate(ModelServer server, List<String> prompts, int output) {
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (String prompt : prompts) {
      JsonObject body =
          JsonObject.create()
              .put("prompt", prompt)
              .put("n_predict", output)
              .put("temperature", 0)
              .put("ignore_eos", true)
              .put("cache_prompt", false);
      HttpRequest request =
          HttpRequest.newBuilder(server.at("/completion"))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
              .build();
      answers.add(server.client().sendAsync(request, HttpResponse.BodyHandlers.ofString()));
    }
    long tokens = 0;
    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      HttpResponse<String> response = answer.join();
      if (response.statusCode() != 200) {
        throw new IllegalStateException(PROGRAM + " answered " + response.body());
      }
      tokens += Json.object(response.body()).integer("tokens_predicted");
    }
    return tokens;
  }
}
