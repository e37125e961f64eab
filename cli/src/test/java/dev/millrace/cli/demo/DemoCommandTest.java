package dev.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.server.Server;
import dev.millrace.server.ServerBuilder;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demo with random weights: the text has no meaning, but the form is checked. */
@Timeout(120)
@Tag("slow")
class DemoCommandTest {
  @TempDir static Path models;
  private static Path model;

  @TempDir Path dir;

  @BeforeAll
  static void makeModel() throws IOException {
    ModelShape shape =
        new ModelShape("llama", 2, 256, 4, 2, 64, 512, 320, 400, false, false, Map.of());
    model = RandomModels.write(models.resolve("random.gguf"), shape, TensorType.Q8_0, 1);
  }

  private JsonObject demo(String... more) throws Exception {
    String[] args = new String[more.length + 3];
    System.arraycopy(new String[] {"--model", model.toString(), "--json"}, 0, args, 0, 3);
    System.arraycopy(more, 0, args, 3, more.length);
    InProcessCli.Result result = new InProcessDemo(dir).run(args);
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.lines()).hasSize(1);
    return Json.object(result.line());
  }

  private static List<JsonObject> stories(JsonObject report) {
    return report.list("stories").stream().map(each -> JsonObject.of(each, "story")).toList();
  }

  @Test
  void eightStoriesHaveTheirCharactersAndReceipts() throws Exception {
    JsonObject report = demo();
    assertThat(stories(report)).hasSize(8);
    long tokens = 0;
    for (JsonObject story : stories(report)) {
      assertThat(story.string("prompt")).startsWith("Write a story about ");
      assertThat(story.string("story")).isNotEmpty();
      assertThat(story.list("characters"))
          .hasSizeLessThanOrEqualTo(6)
          .allSatisfy(name -> assertThat((String) name).matches("[A-Z][a-z]{1,11}"));
      for (String each : new String[] {"story_receipt", "characters_receipt"}) {
        JsonObject receipt = story.object(each);
        assertThat(receipt.string("model")).isEqualTo("random");
        assertThat(receipt.string("model_sha256")).hasSize(64);
        tokens += receipt.integer("completion_tokens");
      }
    }
    assertThat(report.integer("tokens")).isEqualTo(tokens).isPositive();
    Workspace workspace = Workspace.open(Path.of(report.string("workspace")));
    assertThat(workspace.reader().counts()).containsEntry(JobState.COMPLETED, 1);
    assertThat(workspace.root().resolve("output").resolve(report.string("id"))).isDirectory();
  }

  @Test
  void twoDemosGiveTheSameText() throws Exception {
    List<String> first = texts(stories(demo()));
    assertThat(first).doesNotHaveDuplicates();
    assertThat(texts(stories(demo("--slots", "3")))).isEqualTo(first);
    assertThat(InProcessDemo.workspaces(dir)).hasSize(2);
  }

  private static List<String> texts(List<JsonObject> stories) {
    return stories.stream()
        .map(story -> story.string("story") + "\n" + Json.write(story.list("characters")))
        .toList();
  }

  @Test
  void noThreadIsLeft() throws Exception {
    Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());
    demo();
    await().pollInSameThread().untilAsserted(() -> assertThat(ours(before)).isEmpty());
  }

  private static List<String> ours(Set<Thread> before) {
    Set<Thread> now = new HashSet<>(Thread.getAllStackTraces().keySet());
    now.removeAll(before);
    return now.stream()
        .filter(thread -> !thread.isDaemon() || thread.getName().startsWith("millrace"))
        .map(Thread::getName)
        .toList();
  }

  /** What the demo promises to a user who stops it. */
  @Test
  void aStoppedDemoResumesToTheSameTexts() throws Exception {
    List<String> undisturbed = texts(stories(demo()));
    Path apart = Files.createDirectory(dir.resolve("stopped"));
    InProcessCli.Result stopped =
        new InProcessDemo(apart)
            .onTerminal(InputStream.nullInputStream())
            .stopAt("[1-9][0-9]* tokens,|waits at its gate")
            .run("--model", model.toString());
    assertThat(stopped.status()).as(stopped.err()).isEqualTo(ExitCode.INTERRUPTED);
    Workspace workspace = Workspace.open(InProcessDemo.workspaces(apart).getFirst());
    assertThat(resumed(workspace)).isEqualTo(undisturbed);
  }

  private static List<String> resumed(Workspace workspace) throws Exception {
    JobId id = workspace.reader().list(JobReader.Query.all()).getFirst();
    drain(workspace);
    workspace.controls().approve(id, DemoJob.CHARACTERS, Cause.user("test", null));
    drain(workspace);
    try (JobStore store = workspace.own().orElseThrow()) {
      DemoReport report =
          DemoReport.of(store, store.find(id).orElseThrow(), workspace.root().toString());
      return texts(stories(Json.object(Json.write(report.json("random")))));
    }
  }

  private static void drain(Workspace workspace) throws Exception {
    InferenceSettings settings =
        InferenceSettings.of(List.of(NamedModel.of(model)))
            .withEngine(EngineSettings.usual().withSlots(8));
    try (Inference inference = Inference.open(settings);
        JobStore store = workspace.own().orElseThrow()) {
      ServerBuilder builder = Server.builder(store).slots(inference.slots());
      inference.workers().forEach(builder::worker);
      try (Server server = builder.build()) {
        server.drain();
      }
    }
  }

  @Test
  void aFileThatIsNoModelIsRejectedAndLeavesNothing() throws IOException {
    Path text = Files.writeString(dir.resolve("text.gguf"), "not a model");
    InProcessCli cli = new InProcessCli(dir).env("TMPDIR", dir.toString());
    InProcessCli.Result broken = cli.run("demo", "--model", text.toString());
    assertThat(broken.status()).isEqualTo(1);
    assertThat(broken.err()).startsWith("Error: ").contains("text.gguf");
    InProcessCli.Result missing = cli.run("demo", "--model", "none/such.gguf");
    assertThat(missing.status()).isEqualTo(1);
    assertThat(missing.err()).startsWith("Error: ").contains("no such file");
    assertThat(InProcessDemo.workspaces(dir)).isEmpty();
  }

  @Test
  void wrongArgumentsAndSlotsAreRejected() {
    InProcessCli.Result word = new InProcessCli(dir).run("demo", "now");
    assertThat(word.status()).isEqualTo(2);
    assertThat(word.err()).contains("unexpected argument: now");
    InProcessCli.Result slots =
        new InProcessCli(dir).run("demo", "--model", model.toString(), "--slots", "0");
    assertThat(slots.status()).isEqualTo(2);
    assertThat(slots.err()).contains("--slots must be a whole number from 1 to 64");
  }
}
