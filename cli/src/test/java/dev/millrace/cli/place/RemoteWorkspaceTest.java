package dev.millrace.cli.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.server.Server;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import dev.millrace.server.exec.ExecWorker;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands with a server's URL instead of a directory. */
class RemoteWorkspaceTest {
  private static final String PIPELINE =
      """
      {"name": "two", "stages": [
        {"type": "generate", "tasks": ["a", "b"]},
        {"type": "generate", "gate": true, "each": "{{result}}{{result}}"}]}
      """;

  private static final String END = "\0";

  @TempDir Path dir;
  private final BlockingQueue<String> story = new LinkedBlockingQueue<>();
  private String key;
  private InProcessCli cli;
  private JobStore store;
  private HttpApi api;
  private Server server;
  private String url;

  @BeforeEach
  void open() throws IOException {
    key = ApiKeyFile.add(dir.resolve("keys"), "tester", Set.of(KeyScope.ADMIN));
    store = Workspace.open(dir.resolve("ws")).own().orElseThrow();
    api = HttpApi.over(store, HttpSettings.loopback(0).withKeys(dir.resolve("keys")), null);
    server =
        Server.builder(store)
            .worker(new ExecWorker("generate", "tr a-z A-Z"))
            .worker(Worker.ofOutcome("story", this::tell))
            .build();
    server.start();
    url = api.open(server, Set.of("generate"), null).toString();
    cli = new InProcessCli(dir).env(RemoteWorkspace.KEY, key);
  }

  @AfterEach
  void close() {
    api.close();
    server.close();
    store.close();
  }

  @Test
  void aPromptIsSubmittedAwaitedAndRead() {
    String id = cli.submit(url, "hello", "--tag", "t", "--name", "greeting");
    assertThat(cli.run("flow", url, id, "-w")).isEqualTo(new InProcessCli.Result(0, "HELLO\n", ""));
    assertThat(cli.run("flow", "ws", id).out()).as("in the workspace").isEqualTo("HELLO\n");
    JsonObject job = Json.object(cli.run("flow", url, id, "--json").out());
    assertThat(job.string("result")).isEqualTo("HELLO");
    assertThat(job.string("status")).isEqualTo("done");
    assertThat(job.list("tags")).containsExactly("t");
    assertThat(cli.run("flow", url, "--tag", "t").line()).isEqualTo(id);
    assertThat(cli.run("flow", url).out()).containsPattern("done: +1").contains(id);
    assertThat(cli.run("flow", url, "-W").out()).isEqualTo("idle (1 done, 0 failed)\n");
  }

  @Test
  void followingShowsTheTextWhileItIsGenerated() throws Exception {
    String id = store.submit(JobSpec.prompt("story", "hello")).value();
    Map<String, String> environment = Map.of(RemoteWorkspace.KEY, key);
    try (BackgroundCommand flow =
        BackgroundCommand.start(dir, environment, "flow", url, id, "-f")) {
      story.add("Once upon ");
      flow.awaitOut("Once upon ");
      story.add("a time");
      flow.awaitOut("Once upon a time");
      assertThat(store.state(new JobId(id))).contains(JobState.IN_PROGRESS);
      story.add(END);
      InProcessCli.Result result = flow.result();
      assertThat(result.out()).isEqualTo("Once upon a time\n");
      assertThat(result.err()).contains("  task 1/1 complete");
    }
  }

  /** Puts out what the test gives it, until the end. */
  private TaskOutcome tell(TaskContext task) throws InterruptedException {
    StringBuilder text = new StringBuilder();
    for (String piece = story.take(); !piece.equals(END); piece = story.take()) {
      task.journal(new OutputChunk(List.of(text.length()), List.of(piece)));
      text.append(piece);
    }
    return TaskOutcome.done(text.toString());
  }

  @Test
  void jobsAndTheirLogsAreListed() {
    String id = cli.submit(url, "hello");
    cli.run("flow", url, id, "-w");
    String shortId = id.substring(12, 20);
    assertThat(cli.run("jobs", url).lines().get(1))
        .matches(shortId + " +done +[0-9a-z.]+ +generate +1/1 +hello");
    assertThat(cli.run("flow", url, shortId).out()).isEqualTo("HELLO\n");
    assertThat(cli.run("flow", url, "99999999999").err()).isEqualTo("Job not found: 99999999999\n");
    assertThat(cli.run("jobs", "--workspace", url, "--json").out()).contains("\"done\":1");
    InProcessCli.Result job = cli.run("job", url, id);
    assertThat(job.out())
        .contains("last events (of 7;", "  job submitted", "  job complete")
        .doesNotContain("directory");
    InProcessCli.Result events = cli.run("job", url, id, "--events");
    assertThat(events.lines()).hasSize(7);
    assertThat(Json.object(cli.run("job", url, id, "--json").out()).integer("last_event"))
        .isEqualTo(7);
    assertThat(cli.env("MILLRACE_WORKSPACE", url).run("job", id, "--events")).isEqualTo(events);
  }

  @Test
  void leversWorkOverHttp() {
    String id = cli.stdin(PIPELINE).submit(url, "--job", "-", "--hold");
    assertThat(cli.run("resume", url, id).line()).isEqualTo(id + " resumed");
    await().until(() -> cli.run("job", url, id).out().contains("approve " + url + " " + id));
    assertThat(cli.run("flow", url, id, "--stage", "1").lines())
        .containsExactly(
            "{\"task\":1,\"result\":\"A\",\"state\":\"COMPLETED\"}",
            "{\"task\":2,\"result\":\"B\",\"state\":\"COMPLETED\"}");
    assertThat(cli.run("approve", url, id, "2", "--comment", "fine").line())
        .isEqualTo(id + " stage 2 approved");
    assertThat(cli.run("flow", url, id, "-w").out()).contains("\"AA\"", "\"BB\"");
    InProcessCli.Result late = cli.run("abort", url, id);
    assertThat(late.status()).isEqualTo(1);
    assertThat(late.err()).contains("the job has ended; it is COMPLETED");
    String held = cli.submit(url, "never", "--hold");
    assertThat(cli.run("abort", url, held, "--comment", "a typo").line())
        .isEqualTo(held + " aborted");
    assertThat(cli.run("job", url, held, "--events").out()).contains("a typo");
    assertThat(cli.run("flow", url, held).status()).isEqualTo(1);
    InProcessCli.Result missing = cli.run("pause", url, "1_2_3", "--json");
    assertThat(missing.status()).isEqualTo(1);
    assertThat(missing.err()).contains("\"code\":\"not_found\"");
  }

  @Test
  void whatAServerCannotDoIsSaidOnce() throws IOException {
    Files.writeString(dir.resolve("in.jsonl"), "");
    for (String[] command :
        new String[][] {
          {"serve", "-d", url, "--exec", "a=b"},
          {"serve", "-d", url, "--status"},
          {"batch", "in.jsonl", "-d", url},
          {"doctor", url},
          {"doctor", "-d", url}
        }) {
      assertThat(cli.run(command).err())
          .as(String.join(" ", command))
          .startsWith(
              "Error: DIR must be a directory here, not a URL: the jobs of "
                  + url
                  + " belong to the server there; run this on its machine, with its workspace\n");
    }
  }

  @Test
  void errorsAreOneLine() {
    assertThat(cli.run("flow", url, "1_2_3"))
        .isEqualTo(new InProcessCli.Result(1, "", "Job not found: 1_2_3\n"));
    InProcessCli.Result keyless = new InProcessCli(dir).run("work", url, "hello");
    assertThat(keyless.status()).isEqualTo(1);
    assertThat(keyless.err()).startsWith("Error: 401 UNAUTHORIZED").hasLineCount(1);
    InProcessCli.Result wrong =
        new InProcessCli(dir).env(RemoteWorkspace.KEY, "mr_ no key").run("flow", url);
    assertThat(wrong.err())
        .startsWith("Error: an API key must have printable ASCII characters only");
    assertThat(cli.run("flow", "http://127.0.0.1:1/%%").err()).contains("is not a URL");
    assertThat(cli.run("flow", "http://user@host").err()).contains("address must be http://");
  }

  @Test
  void aJobAtAGateIsFoundAndApproved() throws IOException {
    Files.writeString(
        dir.resolve("gate.json"),
        "{\"stages\": [{\"type\": \"generate\", \"gate\": true, \"tasks\": [\"a\"]}]}");
    String id = cli.submit(url, "--job", "gate.json");
    InProcessCli.Result waiting = cli.run("jobs", url, "--state", "waiting");
    assertThat(waiting.out()).contains("waiting", "waits for approval of stage 1");
    assertThat(waiting.err()).contains("millrace approve " + url + " " + id + " 1");
    assertThat(cli.run("flow", url).out()).contains("waiting:    1 for approval");
    assertThat(cli.run("approve", url, id.substring(12, 20), "1").status()).isZero();
    assertThat(cli.run("flow", url, id, "-w").out()).isEqualTo("A\n");
    assertThat(cli.run("jobs", url, "--state", "waiting").lines()).hasSize(1);
  }

  @Test
  void aJobThatHasNoStagesYetIsShown() {
    String id = store.submit(JobSpec.builder().open(true).build()).value();
    for (String place : List.of("ws", url)) {
      InProcessCli.Result flow = cli.run("flow", place, id);
      assertThat(flow.status()).as(flow.toString()).isEqualTo(2);
      assertThat(flow.err()).contains("waits for more stages");
      assertThat(cli.run("flow", place, id, "--json").out()).contains("\"status\":\"queued\"");
      assertThat(cli.run("job", place, id).status()).isZero();
      assertThat(cli.run("jobs", place).out()).contains(id.substring(12, 20), "0/0");
    }
  }

  @Test
  void tagsKeepTheRestOfTheDocument() throws IOException {
    Files.writeString(
        dir.resolve("job.json"),
        """
        {"open": true, "data": {"a": 1}, "stages": [{"type": "other", "tasks": ["x"]}]}
        """);
    String id = cli.submit(url, "--job", "job.json", "--tag", "t");
    JobSpec spec = store.spec(InProcessCli.id(id)).orElseThrow();
    assertThat(spec.open()).isTrue();
    assertThat(spec.data().integer("a")).isEqualTo(1);
    assertThat(spec.tags()).containsExactly("t");
  }
}
