package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.documents.DocumentExample;
import dev.millrace.cli.documents.MarkdownDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The backup script of docs/operations.md copies a workspace whose jobs move: every job that was
 * acknowledged before it began is in the copy once, and a server finishes the copy.
 */
class BackupIT extends LauncherFixture {
  private static final boolean PROOF = Boolean.getBoolean("millrace.proof");
  private static final int ROUNDS = PROOF ? 40 : 3;
  private static final String[] STATES = {
    "input/ready", "processing", "paused", "output", "failed", "cancelled"
  };
  private static final String SHOUT = "shout=tr a-z A-Z";

  private static final String STAGES =
      """
      {"stages": [{"type": "shout", "tasks": ["one", "two", "three"]},
                  {"type": "shout", "each": "and {{result}}"}]}
      """;

  private final long seed = PROOF ? System.nanoTime() : 5;
  private final Random random = new Random(seed);
  private final List<String> prompts = new ArrayList<>();

  @BeforeEach
  void writeScript() throws IOException {
    Path root = Path.of("..").toAbsolutePath().normalize();
    String block =
        DocumentExample.of(MarkdownDocument.read(root, Path.of("docs/operations.md"))).stream()
            .map(DocumentExample::commands)
            .filter(commands -> commands.startsWith("cat > backup.sh <<'SH'\n"))
            .findFirst()
            .orElseThrow();
    String script = block.substring(block.indexOf('\n') + 1, block.indexOf("\nSH\n") + 1);
    Files.writeString(dir.resolve("backup.sh"), script);
    Files.writeString(dir.resolve("stages.json"), STAGES);
  }

  private InProcessCli.Result backUp(String workspace, String copy) {
    String line = "sh backup.sh " + workspace + " " + copy;
    return endWithTest(LauncherProcess.shell(dir, line)).result();
  }

  /** Submits some jobs and pauses, resumes and aborts some. */
  private void load() {
    for (int i = 0; i < 8; i++) {
      prompts.add(cli.submit("ws", "a prompt", "--type", "shout"));
      if (random.nextInt(4) == 0) {
        prompts.add(cli.submit("ws", "--job", "stages.json"));
      }
      lever("pause", 3);
      lever("resume", 3);
      lever("abort", 8);
    }
  }

  /** Pulls a lever of a random job, one time in {@code odds}; it may be too late for that job. */
  private void lever(String name, int odds) {
    if (random.nextInt(odds) == 0) {
      cli.run(name, "--workspace", "ws", prompts.get(random.nextInt(prompts.size())));
    }
  }

  @Test
  void everyAcknowledgedJobIsInTheCopyOnceAndTheCopyCanBeServed() throws Exception {
    LauncherProcess server = launchServer("ws", List.of("--exec", SHOUT));
    awaitReady(server);
    for (int round = 1; round <= ROUNDS; round++) {
      load();
      List<String> acknowledged = List.copyOf(prompts);
      List<String> done = names("ws", "output");
      AtomicBoolean copied = new AtomicBoolean();
      CompletableFuture<Void> more =
          CompletableFuture.runAsync(
              () -> {
                while (!copied.get()) {
                  load();
                }
              });
      InProcessCli.Result backup = backUp("ws", "copy" + round);
      copied.set(true);
      more.join();
      assertThat(backup.status()).as("seed %d, round %d: %s", seed, round, backup).isZero();
      for (String id : acknowledged) {
        assertThat(statesOf("copy" + round, id)).as("%s, seed %d", id, seed).hasSize(1);
      }
      assertThat(names("copy" + round, "output")).as("seed %d", seed).containsAll(done);
    }
    assertThat(server.isAlive()).isTrue();
    server.signal("TERM");
    assertThat(server.result().status()).as("it was thawed").isZero();
    for (int round = 1; round <= ROUNDS; round++) {
      finish("copy" + round);
    }
  }

  private List<String> statesOf(String workspace, String id) {
    return Stream.of(STATES)
        .filter(state -> Files.isDirectory(dir.resolve(workspace).resolve(state).resolve(id)))
        .toList();
  }

  /** Serves a copy, after what the page says about restoring, until nothing is left to do. */
  private void finish(String copy) throws IOException {
    Path epoch = dir.resolve(copy).resolve(".millrace/epoch");
    Files.writeString(epoch, Long.parseLong(Files.readString(epoch).strip()) + 1_000_000 + "\n");
    InProcessCli.Result doctor = cli.run("doctor", copy);
    assertThat(doctor.status()).as(doctor.out()).isZero();
    drain(copy, "--exec", SHOUT);
    assertThat(names(copy, "input/ready")).isEmpty();
    assertThat(names(copy, "processing")).isEmpty();
    assertThat(names(copy, "failed")).isEmpty();
    for (String id : names(copy, "output")) {
      assertThat(cli.run("flow", copy, id).out())
          .as("%s in %s, seed %d", id, copy, seed)
          .contains("A");
    }
    assertThat(cli.run("doctor", copy).status()).isZero();
  }

  private List<String> names(String workspace, String state) throws IOException {
    try (Stream<Path> jobs = Files.list(dir.resolve(workspace).resolve(state))) {
      return jobs.map(job -> job.getFileName().toString()).toList();
    }
  }

  @Test
  void withoutAServerTheScriptHoldsTheLock() throws IOException {
    String id = cli.submit("ws", "a prompt", "--type", "shout");
    InProcessCli.Result backup = backUp("ws", "copy");
    assertThat(backup.status()).as(backup.toString()).isZero();
    assertThat(statesOf("copy", id)).containsExactly("input/ready");
    drain("copy", "--exec", SHOUT);
    assertThat(cli.run("flow", "copy", id).out()).isEqualTo("A PROMPT\n");
    drain("ws", "--exec", SHOUT);
    assertThat(cli.run("flow", "ws", id).status()).isZero();
    assertThat(backUp("ws", "copy").status()).as("a copy is never mixed with another").isEqualTo(1);
    assertThat(backUp("nothing", "other").err()).contains("nothing is not a workspace");
  }
}
