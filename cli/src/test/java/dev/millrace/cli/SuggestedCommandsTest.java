package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every command that a message suggests works as it is printed. Each test provokes messages, takes
 * the commands out of them and runs these. The workspace has a name that a shell would split.
 */
class SuggestedCommandsTest {
  private static final String WS = "my ws";
  private static final String GATED =
      """
      {"stages": [{"type": "generate", "gate": true, "tasks": ["a"]},
                  {"type": "generate", "gate": true, "each": "{{result}}"}]}
      """;

  private static final String ONE_GATE =
      "{\"stages\": [{\"type\": \"generate\", \"gate\": true, \"tasks\": [\"a\"]}]}";

  @TempDir Path dir;
  private Path ws;
  private InProcessCli cli;

  @BeforeEach
  void open() {
    ws = dir.resolve(WS);
    cli = new InProcessCli(dir);
  }

  /** The only command that the message of a refused command suggests, apart from its help. */
  private String[] suggestedBy(String... args) {
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(String.join(" ", args)).isNotZero();
    return suggestedIn(result.err().replaceAll("See: .*", ""));
  }

  private static String[] suggestedIn(String text) {
    List<String[]> commands = SuggestedCommandFinder.in(text);
    assertThat(commands).as(text).hasSize(1);
    return commands.getFirst();
  }

  /** Runs what was suggested, which must succeed, and returns what it prints. */
  private String runs(String... args) {
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(() -> String.join(" ", args) + " -> " + result).isZero();
    return result.out();
  }

  private JobState state(String id) {
    return Workspace.open(ws).reader().state(InProcessCli.id(id)).orElseThrow();
  }

  @Test
  void aMissingWorkspaceIsCreatedByWork() {
    runs(suggestedBy("flow", WS));
    assertThat(ws.resolve("input/ready")).isNotEmptyDirectory();
    runs(suggestedBy("pause", "-d", "it's $HOME", "1_2_3"));
    assertThat(dir.resolve("it's $HOME/input/ready")).isNotEmptyDirectory();
    runs(suggestedBy("flow", "2026"));
    assertThat(dir.resolve("2026/input/ready")).isNotEmptyDirectory();
  }

  @Test
  void anEmptyWorkspaceGetsItsFirstJob() {
    Workspace.open(ws);
    runs(suggestedIn(cli.run("flow", WS).out()));
    assertThat(runs("flow", WS)).contains("queued:     1");
  }

  @Test
  void aMissingJobIsFoundInTheList() {
    String id = cli.submit(WS, "x");
    for (String[] command :
        new String[][] {
          {"job", WS, "1_2_3"},
          {"verify", WS, "1_2_3"},
          {"pause", WS, "1_2_3"},
          {"approve", "-d", WS, "1_2_3", "1"},
          {"work", WS, "y", "--parent", "1_2_3"}
        }) {
      assertThat(runs(suggestedBy(command))).contains(shortened(id));
    }
  }

  @Test
  void aRefusedLeverNamesOneThatWorks() {
    String id = cli.submit(WS, "x");
    assertThat(runs(suggestedBy("approve", WS, id, "1"))).contains(id);
    assertThat(runs(suggestedBy("approve", WS, id))).contains(id);
    String[] wait = suggestedBy("verify", WS, id);
    runs("pause", WS, id);
    runs(suggestedBy("pause", WS, id));
    assertThat(state(id)).isEqualTo(JobState.PENDING);
    InProcessCli.workAll(ws);
    assertThat(runs(wait)).isEqualTo("X\n");
    String again = runs(suggestedBy("pause", WS, id)).strip();
    assertThat(state(again)).isEqualTo(JobState.PENDING);
  }

  @Test
  void aGateIsApprovedByWhatIsPrinted() {
    String one = cli.stdin(GATED).submit(WS, "--job", "-");
    runs(suggestedIn(runs("job", WS, one)));
    assertThat(runs("job", WS, one)).contains("PENDING");
    String two = cli.stdin(GATED).submit(WS, "--job", "-");
    runs(suggestedBy("resume", WS, two));
    assertThat(runs("job", WS, two)).contains("PENDING");
  }

  @Test
  void whoFollowsAJobSeesWhatItWaitsFor() {
    String gated = cli.stdin(ONE_GATE).submit(WS, "--job", "-");
    try (BackgroundCommand follow = BackgroundCommand.start(dir, "flow", WS, gated, "-f")) {
      runs(suggestedIn(follow.awaitErr(gated + " 1\n").err()));
      InProcessCli.workAll(ws);
      assertThat(follow.result().out()).isEqualTo("A\n");
    }
    String held = cli.stdin(GATED).submit(WS, "--job", "-", "--hold");
    try (BackgroundCommand follow = BackgroundCommand.onTerminal(dir, "flow", WS, held, "-f")) {
      follow.awaitErr("paused; resume with: millrace resume 'my ws' " + held);
      String line = follow.err().lines().filter(it -> it.contains("resume with")).findFirst().get();
      runs(suggestedIn(line));
      assertThat(state(held)).isEqualTo(JobState.PENDING);
    }
  }

  @Test
  void failuresOfADrainAreListed() {
    String id = cli.submit(WS, "x");
    InProcessCli.Result drain =
        cli.run("serve", "-d", WS, "--exec", "generate=false", "--drain", "--no-http");
    assertThat(drain.status()).isEqualTo(1);
    assertThat(runs(suggestedIn(drain.out() + drain.err()))).contains(shortened(id));
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  /** The command would stop this very process: it runs once the workspace is free. */
  @Test
  void anOwnerIsStoppedByWhatIsPrinted() throws IOException {
    RandomModelFiles.random(dir.resolve("m.gguf"), 1);
    String[] serve;
    String[] nrvnad;
    try (JobStore _ = Workspace.open(ws).own().orElseThrow()) {
      serve = suggestedBy("serve", "-d", WS, "--exec", "generate=cat", "--no-http", "--no-wait");
      nrvnad = suggestedBy("nrvnad", "m.gguf", WS);
    }
    assertThat(serve).containsExactly("serve", "--workspace", WS, "--stop");
    assertThat(runs(serve)).isEqualTo("not running\n");
    assertThat(nrvnad).containsExactly("nrvnad", "stop", WS);
    runs(nrvnad);
  }

  @Test
  void doctorSaysWhatHelps() throws IOException {
    runs(suggestedIn(cli.run("doctor", WS).out()));
    assertThat(cli.run("doctor", WS).out()).doesNotContain("fail  workspace");
    Files.writeString(ws.resolve(".nrvnad.pid"), "999999999"); // of no process
    Files.writeString(ws.resolve(".nrvnad.info"), "{}");
    String[] status = suggestedIn(cli.run("doctor", WS).out());
    assertThat(cli.run(status).out()).isEqualTo("not running\n");
    assertThat(ws.resolve(".nrvnad.info")).doesNotExist();
  }

  @Test
  void aMissingKeyIsCreated() throws IOException {
    String[] serve = {"serve", "-d", WS, "--exec", "a=b"};
    runs(suggestedBy(with(serve, "--api-key-file", "my keys")));
    assertThat(dir.resolve("my keys")).isNotEmptyFile();
    Files.writeString(dir.resolve("empty"), "");
    runs(suggestedBy(with(serve, "--api-key-file", "empty")));
    runs(suggestedBy(with(serve, "--bind", "0.0.0.0")));
    assertThat(dir.resolve("keys")).isNotEmptyFile();
    runs(suggestedBy("node", "--memory", "1G"));
    assertThat(dir.resolve("net.key")).isNotEmptyFile();
    runs(suggestedBy("nodes", "--join", "127.0.0.1:1", "--key-file", "my key"));
    assertThat(dir.resolve("my key")).isNotEmptyFile();
    String again =
        cli.run("node", "--memory", "1G").err() + cli.run(with(serve, "--bind", "0.0.0.0")).err();
    assertThat(again.replaceAll("See: .*", "")).doesNotContain("millrace"); // both exist by now
  }

  private static String[] with(String[] args, String... more) {
    String[] all = java.util.Arrays.copyOf(args, args.length + more.length);
    System.arraycopy(more, 0, all, args.length, more.length);
    return all;
  }

  @Test
  void modelsAreListed() {
    cli.env("HOME", dir.toString());
    assertThat(cli.run(suggestedBy("run", "hello")).status()).isZero();
    assertThat(cli.run(suggestedBy("run", "--model", "none", "hello")).status()).isZero();
  }

  /** These would start servers: that they are understood is enough here. */
  @Test
  void serversAreStartedByWhatIsPrinted() throws IOException {
    Files.writeString(
        dir.resolve("requests.jsonl"),
        """
        {"custom_id":"1","method":"POST","url":"/v1/completions","body":{"model":"m","prompt":"x"}}
        """);
    cli.run("work", "requests.jsonl.millrace", "x");
    understood(suggestedBy("batch", "requests.jsonl"));
    Path file =
        Files.writeString(
            dir.resolve("my net.toml"),
            "node_id = \"a\"\n"
                + "end_models = [\"house\"]\n"
                + "network_key = \"00112233445566778899aabbccddeeff\"\n");
    understood(suggestedBy("node", "--config", file.getFileName().toString()));
  }

  private static void understood(String[] args) {
    dev.millrace.cli.args.ArgumentParser.parse(CommandRegistry.find(args[0]).syntax(), args, 1);
  }

  @Test
  void theHelpOfEveryCommandIsWhereAnErrorSaysItIs() {
    for (String command : CommandRegistry.names()) {
      InProcessCli.Result wrong = cli.run(command, "--no-such-option");
      String see = wrong.err().lines().filter(it -> it.startsWith("See: ")).findFirst().orElse("");
      assertThat(see).as(command).isNotEmpty();
      assertThat(runs(suggestedIn(see))).startsWith("Usage: millrace " + command);
    }
    assertThat(runs(suggestedIn(cli.run("nosuch").err()))).startsWith("Usage: millrace COMMAND");
  }

  @Test
  void aFailedJobIsRunAgain() {
    String id = cli.submit(WS, "x");
    InProcessCli.work(ws, _ -> Failure.permanent("no"));
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    String again = runs(suggestedBy("resume", WS, id)).strip();
    assertThat(state(again)).isEqualTo(JobState.PENDING);
  }

  /** As {@code jobs} lists it: the last digits of its time. */
  private static String shortened(String id) {
    return id.substring(12, 20);
  }
}
