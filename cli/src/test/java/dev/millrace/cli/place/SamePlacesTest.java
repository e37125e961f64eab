package dev.millrace.cli.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.server.Server;
import dev.millrace.server.exec.ExecWorker;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command says the same on a directory as on the URL of the server that owns it. */
class SamePlacesTest {
  private static final String PIPELINE =
      """
      {"name": "two", "tags": ["t"], "stages": [
        {"type": "generate", "maxAttempts": 3, "runTimeout": "5m", "tasks": ["a", "b"]},
        {"type": "generate", "gate": true, "each": "{{result}}{{result}}"}]}
      """;

  @TempDir Path dir;
  private InProcessCli cli;
  private JobStore store;
  private HttpApi api;
  private Server server;
  private String url;

  @BeforeEach
  void open() throws IOException {
    String key = ApiKeyFile.add(dir.resolve("keys"), "tester", Set.of(KeyScope.ADMIN));
    cli = new InProcessCli(dir).env(RemoteWorkspace.KEY, key);
    serve();
  }

  private void serve() {
    store = Workspace.open(dir.resolve("ws")).own().orElseThrow();
    server = Server.builder(store).worker(new ExecWorker("generate", "tr a-z A-Z")).build();
    server.start();
    listen();
  }

  private void listen() {
    api = HttpApi.over(store, HttpSettings.loopback(0).withKeys(dir.resolve("keys")), null);
    url = api.open(server, Set.of("generate"), null).toString();
  }

  @AfterEach
  void close() {
    api.close();
    server.close();
    store.close();
  }

  /** Runs a command on both places and returns what both have said. */
  private InProcessCli.Result same(String... command) {
    InProcessCli.Result directory = cli.run(on("ws", command));
    InProcessCli.Result there = cli.run(on(url, command));
    InProcessCli.Result remote =
        new InProcessCli.Result(there.status(), there.out(), there.err().replace(url, "ws"));
    assertThat(remote).as(String.join(" ", command)).isEqualTo(directory);
    return directory;
  }

  private static String[] on(String place, String... command) {
    String[] all = new String[command.length + 1];
    all[0] = command[0];
    all[1] = place;
    System.arraycopy(command, 1, all, 2, command.length - 1);
    return all;
  }

  private String done(String prompt) {
    String id = cli.submit("ws", prompt);
    assertThat(cli.run("flow", "ws", id, "-w").status()).isZero();
    return id;
  }

  @Test
  void leversAreReportedAlike() {
    for (String place : List.of("ws", url)) {
      String held = cli.submit(place, "x", "--hold");
      assertThat(cli.run("resume", place, held))
          .isEqualTo(new InProcessCli.Result(0, held + " resumed\n", ""));
      String other = cli.submit(place, "y", "--hold");
      assertThat(cli.run("abort", place, other, "--json"))
          .isEqualTo(
              new InProcessCli.Result(
                  0, "{\"id\":\"" + other + "\",\"answer\":\"aborted\"}\n", ""));
      InProcessCli.Result missing = cli.run("abort", place, "1_2_3", "--json");
      assertThat(missing.status()).isEqualTo(1);
      assertThat(missing.out()).isEmpty();
      assertThat(missing.err()).startsWith("{\"error\":{\"code\":\"not_found\",");
    }
  }

  @Test
  void aStageIsApprovedAlike() {
    for (String place : List.of("ws", url)) {
      String id = cli.stdin(PIPELINE).submit(place, "--job", "-");
      await().until(() -> cli.run("job", place, id).out().contains("approve "));
      assertThat(cli.run("pause", place, id).line()).isEqualTo(id + " paused");
      assertThat(cli.run("resume", place, id).line()).isEqualTo(id + " resumed");
      assertThat(cli.run("approve", place, id, "2").line()).isEqualTo(id + " stage 2 approved");
      assertThat(cli.run("flow", place, id, "-w").status()).isZero();
    }
    String id = done("z");
    for (String lever : List.of("pause", "resume", "abort")) {
      assertThat(same(lever, id).err()).contains("the job has ended; it is COMPLETED");
    }
    assertThat(same("approve", id, "1").err()).contains("stage 1 is not at a gate");
    assertThat(same("approve", id, "9").err()).contains("no stage 9; the job has 1 stage");
    String held = cli.submit("ws", "h", "--hold");
    assertThat(same("pause", held).err()).contains("the job is paused already");
    assertThat(same("approve", held, "1").err()).contains("it is PENDING");
    same("approve");
    same("approve", "1_2_3");
    same("approve", "1_2_3", "x");
    same("pause");
    same("pause", "../x");
  }

  @Test
  void jobsAreRunAgainAlike() {
    String old = cli.stdin(PIPELINE).submit("ws", "--job", "-", "--hold");
    assertThat(same("retry", old).err()).contains("only a finished job can be run again");
    assertThat(same("retry", "1_2_3").err()).contains("1_2_3: no such job");
    same("retry");
    cli.run("abort", "ws", old);
    String here = cli.run("retry", "ws", old).line();
    String there = cli.run("retry", url, old).line();
    JobSpec spec = store.spec(InProcessCli.id(here)).orElseThrow();
    assertThat(spec.submittedBy()).isNull();
    assertThat(store.spec(InProcessCli.id(there))).contains(spec.withSubmittedBy("tester"));
    assertThat(spec.retryOf()).isEqualTo(InProcessCli.id(old));
    assertThat(spec.stages().getFirst().policy().maxAttempts()).isEqualTo(3);
    assertThat(cli.run("retry", url, old, "--json").out())
        .matches("\\{\"id\":\"[0-9_]+\",\"retry_of\":\"" + old + "\",\"adopted\":0,\"tasks\":2}\n");
    String prompt = done("again");
    String twice = cli.run("retry", url, prompt).line();
    assertThat(cli.run("flow", url, twice, "-w").out()).isEqualTo("AGAIN\n");
  }

  @Test
  void whatWasCompletedIsAdoptedAlike() {
    String job =
        """
        {"stages": [{"type": "generate", "tasks": ["a", "b"]},
         {"type": "other", "tasks": ["c", "d"]}]}
        """;
    String old = cli.stdin(job).submit("ws", "--job", "-");
    ClaimRequest others = new ClaimRequest(Set.of("other"), 2, "w", null);
    List<Claim> claims = await().until(() -> store.claim(others), found -> !found.isEmpty());
    store.complete(claims.getFirst(), TaskResult.of("C"));
    store.fail(claims.getLast(), Failure.permanent("broken"));
    InProcessCli.Result here = cli.run("retry", "ws", old);
    InProcessCli.Result there = cli.run("retry", url, old);
    assertThat(here.err()).isEqualTo("adopted 3 of 4 tasks from job " + old + "\n");
    assertThat(there.err()).isEqualTo(here.err());
    assertThat(cli.run("retry", url, old, "--json").out()).contains("\"adopted\":3,\"tasks\":4}");
    assertThat(cli.run("retry", url, old, "--from-start").err()).isEmpty();
    cli.run("abort", "ws", there.line());
    same("flow", there.line(), "--tasks", "--json");
    assertThat(cli.run("job", url, there.line()).out()).contains(" (3 tasks adopted)\n");
  }

  @Test
  void oldJobsArePrunedAlike() {
    String done = done("one");
    String aborted = cli.submit("ws", "two", "--hold");
    cli.run("abort", "ws", aborted);
    String held = cli.submit("ws", "three", "--hold");
    assertThat(same("prune", "--older-than", "1h").out()).isEqualTo("pruned 0 jobs\n");
    assertThat(same("prune", "--older-than", "1h", "--json").out()).isEqualTo("{\"pruned\":0}\n");
    InProcessCli.Result dry = same("prune", "--older-than", "0s", "--dry-run");
    assertThat(dry.lines()).containsExactlyInAnyOrder(done, aborted);
    assertThat(dry.err()).isEqualTo("would prune 2 jobs\n");
    same("prune", "--older-than", "0s", "--dry-run", "--json");
    same("prune", "--older-than", "0s", "--dry-run", "--state", "failed");
    same("prune");
    same("prune", "1_2_3", "--older-than", "1h");
    assertThat(store.counts()).as("nothing is deleted").containsEntry(JobState.COMPLETED, 1);
    assertThat(cli.run("prune", url, "--older-than", "0s", "--state", "done"))
        .isEqualTo(new InProcessCli.Result(0, "pruned 1 job\n", ""));
    assertThat(store.state(InProcessCli.id(done))).isEmpty();
    assertThat(store.state(InProcessCli.id(aborted))).contains(JobState.ABORTED);
    assertThat(cli.run("prune", url, "--older-than", "0s", "--json").out())
        .isEqualTo("{\"pruned\":1}\n");
    assertThat(store.state(InProcessCli.id(held))).contains(JobState.PAUSED);
  }

  @Test
  void damagedJobsAreNamedAlike() throws IOException {
    String good = done("one");
    String damaged = done("two");
    close();
    Path events = dir.resolve("ws/output/" + damaged + "/events.jsonl");
    List<String> lines = new ArrayList<>(Files.readAllLines(events));
    lines.set(1, "{broken");
    Files.write(events, lines);
    serve();
    InProcessCli.Result dry = same("prune", "--older-than", "0s", "--dry-run");
    assertThat(dry.lines()).containsExactly(good);
    assertThat(dry.err())
        .startsWith("skipped " + damaged + ": ")
        .endsWith("\nwould prune 1 job\n")
        .hasLineCount(2);
  }

  @Test
  void pruneNeedsTheScopeAdminAndTheOthersDoNot() throws IOException {
    String id = done("x");
    cli.env(
        RemoteWorkspace.KEY,
        ApiKeyFile.add(dir.resolve("keys"), "user", Set.of(KeyScope.READ, KeyScope.SUBMIT)));
    api.close();
    listen();
    for (String flag : List.of("--dry-run", "--json")) {
      InProcessCli.Result refused = cli.run("prune", url, "--older-than", "0s", flag);
      assertThat(refused.status()).isEqualTo(1);
      assertThat(refused.err()).contains("403 FORBIDDEN").contains("admin").hasLineCount(1);
    }
    assertThat(store.state(InProcessCli.id(id))).contains(JobState.COMPLETED);
    assertThat(cli.run("retry", url, id).status()).isZero();
  }

  @Test
  void resultsAreVerifiedAlike() throws Exception {
    Path model = RandomModelFiles.random(dir.resolve("random.gguf"), 1);
    Files.writeString(
        dir.resolve("job.json"),
        """
        {"stages": [
          {"type": "generate", "data": {"raw": true, "max_tokens": 8, "temperature": 1},
           "tasks": ["one", {"input": {"prompt": "two", "seed": 7}}, "three"]},
          {"type": "embed", "tasks": ["a text"]}]}
        """);
    close();
    String id = cli.submit("ws", "--job", "job.json");
    String plain = cli.submit("ws", "once", "--raw", "--seed", "7", "-n", "12");
    RandomModelFiles.drain(dir.resolve("ws"), "random", model);
    serve();
    InProcessCli.Result all = same("verify", id, "--model", "random.gguf");
    assertThat(all.status()).as(all.toString()).isZero();
    assertThat(all.lines()).hasSize(5).last().isEqualTo("4 the same, 0 not");
    same("verify", id, "--model", "random.gguf", "--json");
    assertThat(same("verify", plain, "--model", "random.gguf").status()).isZero();
    same("verify", id, "--stage", "1", "--task", "2", "--model", "random.gguf");
    assertThat(same("verify", id, "--stage", "3").err()).contains("no stage 3");
    assertThat(same("verify", "1_2_3").err()).contains("no job 1_2_3");
    same("verify", id, plain);
    assertThat(same("verify", id).out()).contains("was not found");
    Path result = dir.resolve("ws/output/" + plain + "/result.txt");
    Files.writeString(result, Files.readString(result) + "!");
    assertThat(same("verify", plain, "--model", "random.gguf").status()).isEqualTo(1);
    String upper = done("x");
    assertThat(same("verify", upper).err()).contains("nothing to verify; 1 skipped");
  }
}
