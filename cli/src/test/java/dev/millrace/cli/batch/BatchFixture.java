package dev.millrace.cli.batch;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.args.ArgumentParser;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.serve.LocalWorkers;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.InferenceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code batch} in this JVM, with a worker of the test instead of a model. */
@Timeout(60)
abstract class BatchFixture {
  @TempDir Path dir;
  final ConcurrentLinkedQueue<String> worked = new ConcurrentLinkedQueue<>();
  final AtomicInteger opened = new AtomicInteger();
  final Map<String, String> environment = new HashMap<>();
  @Nullable InferenceSettings asked;
  Worker.OutcomeFunction worker = task -> new TaskOutcome.Done(answer(content(task.input())));

  @BeforeEach
  void open() throws IOException {
    Files.writeString(dir.resolve("m.gguf"), "");
  }

  /** A file with a request for each content, whose custom_id is {@code id-CONTENT}. */
  final void requests(String... contents) throws IOException {
    file(Arrays.stream(contents).map(content -> line("id-" + content, content)).toList());
  }

  final void file(List<String> lines) throws IOException {
    Files.write(dir.resolve("in.jsonl"), lines);
  }

  static String line(String id, String content) {
    return """
    {"custom_id":"%s","method":"POST","url":"/v1/chat/completions","body":{"model":"gpt",\
    "messages":[{"role":"user","content":"%s"}],"max_tokens":5}}\
    """
        .formatted(id, content);
  }

  static String content(Object input) {
    JsonObject parameters = JsonObject.of(input, "input");
    return JsonObject.of(parameters.list("messages").getFirst(), "message").string("content");
  }

  final TaskResult answer(String content) {
    worked.add(content);
    return TaskResult.of("re: " + content)
        .withReceipt(
            JsonObject.create()
                .put("model", "m")
                .put("prompt_tokens", 3)
                .put("completion_tokens", content.length())
                .put("finish_reason", content.length() > 3 ? "length" : "stop"));
  }

  final int run(Shell shell, String... args) {
    BatchCommand command = new BatchCommand(this::open);
    try {
      return command.run(shell, ArgumentParser.parse(command.syntax(), args, 0));
    } catch (CommandException e) {
      shell.err().println("Error: " + e.getMessage());
      return 1;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private LocalWorkers open(InferenceSettings settings) {
    opened.incrementAndGet();
    asked = settings;
    return new LocalWorkers(
        List.of(Worker.ofOutcome("generate", task -> worker.work(task))),
        2,
        JsonObject.create()
            .put("types", List.of("generate"))
            .put("models", List.of(Map.of("name", settings.models().getFirst().name()))),
        () -> {});
  }

  final BackgroundCommand start(String... args) {
    return BackgroundCommand.start(
        dir,
        shell ->
            run(
                new Shell(shell.in(), shell.out(), shell.err(), environment, dir, shell.terminal()),
                args));
  }

  final InProcessCli.Result batch(String... args) {
    return start(args).result();
  }

  final List<JsonObject> output() throws IOException {
    return Files.readAllLines(dir.resolve("in.out.jsonl")).stream().map(Json::object).toList();
  }

  /** What the answers say, in the order of the output; the message of those that failed. */
  final List<String> answers() throws IOException {
    return output().stream().map(BatchFixture::said).toList();
  }

  private static String said(JsonObject line) {
    if (line.get("response") == null) {
      return line.object("error").string("message");
    }
    List<?> choices = line.object("response").object("body").list("choices");
    return JsonObject.of(choices.getFirst(), "choice").object("message").string("content");
  }
}
