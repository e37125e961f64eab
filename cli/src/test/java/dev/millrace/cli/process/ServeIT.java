package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Servers in processes of their own: signals, takeover, drain, status and stop. */
class ServeIT extends LauncherFixture {
  private static final String UPPER = "generate=tr a-z A-Z";

  /** Creates the file "started", and runs until the file "go" exists. */
  private static final String SLOW =
      "generate=: >started; while [ ! -e go ]; do sleep 0.02; done; tr a-z A-Z";

  /** Its first run never ends by itself; the second one does its work. */
  private static final String LEFT_BEHIND =
      "generate=echo run >>runs; [ ! -e leader ] || exec tr a-z A-Z;"
          + " exec >/dev/null 2>&1; echo $$ >new && mv new leader && exec sleep 301";

  private LauncherProcess serve(String... options) {
    return launchServer("ws", List.of(options));
  }

  private void awaitStarted() {
    soon().until(() -> Files.exists(dir.resolve("started")));
  }

  private void go() throws IOException {
    Files.writeString(dir.resolve("go"), "");
  }

  @Test
  void aSubmittedJobIsProcessedAtOnce() {
    LauncherProcess server = serve("--exec", UPPER, "--slots", "2");
    awaitReady(server);
    String id = cli.submit("ws", "hello");
    assertThat(cli.run("flow", "ws", id, "-w"))
        .isEqualTo(new InProcessCli.Result(0, "HELLO\n", ""));
    assertThat(Json.object(cli.run("serve", "-d", "ws", "--status", "--json").out()).values())
        .containsEntry("pid", server.pid())
        .containsEntry("workers", 2L)
        .containsEntry("types", List.of("generate"))
        .containsKey("started_at");
    InProcessCli.Result stop = LauncherProcess.start(dir, "serve", "-d", "ws", "--stop").result();
    assertThat(stop)
        .isEqualTo(new InProcessCli.Result(0, "stopped (pid " + server.pid() + ")\n", ""));
    assertThat(server.result().status()).isZero();
    assertThat(status()).isEqualTo("not running\n");
    assertThat(dir.resolve("ws/.nrvnad.ready")).doesNotExist();
  }

  @Test
  void logLinesHaveTheFormOfTheContract() {
    String id = cli.submit("ws", "x", "--name", "n");
    InProcessCli.Result drained = serve("--exec", UPPER, "--drain").result();
    assertThat(drained.err()).isEmpty();
    assertThat(drained.lines())
        .isNotEmpty()
        .allMatch(line -> line.matches("\\[[-0-9]{10} [:.0-9]{12}] \\[[A-Z]+] \\[[^]]+] .+"));
    assertThat(drained.out())
        .contains("job " + id + " begins: name \"n\", type generate, 1 task\n")
        .containsPattern("job " + id + " done: name \"n\", took [0-9.]+ s\n");
  }

  @Test
  void aDrainEndsWhenAllJobsAreProcessed() throws IOException {
    String one = cli.submit("ws", "one");
    String two = cli.submit("ws", "two");
    cli.submit("ws", "of another type", "--type", "other");
    Files.writeString(
        dir.resolve("gate.json"),
        "{\"stages\": [{\"type\": \"generate\", \"gate\": true, \"tasks\": [\"a\"]}]}");
    String gated = cli.submit("ws", "--job", "gate.json");
    InProcessCli.Result drained = serve("--exec", UPPER, "--drain").result();
    assertThat(drained.status()).isZero();
    assertThat(drained.out())
        .contains("1 job waits for approval: " + gated + " (stage 1)")
        .contains("millrace approve ws " + gated + " 1");
    assertThat(cli.run("flow", "ws", one).out()).isEqualTo("ONE\n");
    assertThat(cli.run("flow", "ws", two).out()).isEqualTo("TWO\n");
    assertThat(serve("--exec", UPPER, "--drain").result().status()).isZero();
  }

  @Test
  void aDrainReportsNewFailures() {
    String id = cli.submit("ws", "x");
    InProcessCli.Result drained =
        serve("--exec", "generate=echo no luck >&2; exit 3", "--drain").result();
    assertThat(drained.status()).isEqualTo(1);
    assertThat(drained.out())
        .containsPattern("\\[WARN] .* job " + id + " failed: took [0-9.]+ s: .*no luck");
    assertThat(cli.run("flow", "ws", id).err()).contains("Job failed", "no luck");
    assertThat(serve("--exec", UPPER, "--drain").result().status()).isZero();
  }

  @Test
  void aDrainReportsJobsThatFailedAtTakeover() throws IOException {
    String id = cli.submit("ws", "x");
    Path meta = dir.resolve("ws/input/ready").resolve(id).resolve("meta.json");
    JsonObject given = Json.object(Files.readString(meta));
    given.put("limits", JsonObject.create().put("recoveryCeiling", 0));
    Files.writeString(meta, Json.write(given));
    try (JobStore store = Workspace.open(dir.resolve("ws")).own().orElseThrow()) {
      assertThat(store.claim(new ClaimRequest(Set.of("generate"), 1, "dies", null))).hasSize(1);
    }
    InProcessCli.Result drained = serve("--exec", UPPER, "--drain").result();
    assertThat(drained.status()).as(drained.toString()).isEqualTo(1);
    assertThat(drained.out()).contains("[WARN", id + ": task 1/1 failed: Job exceeded recovery");
    assertThat(serve("--exec", UPPER, "--drain").result().status()).isZero();
  }

  @Test
  void theFirstSignalLetsTasksFinish() throws IOException {
    LauncherProcess server = serve("--exec", SLOW, "--slots", "1");
    awaitReady(server);
    String running = cli.submit("ws", "running");
    awaitStarted();
    String waiting = cli.submit("ws", "waiting");
    server.signal("TERM");
    soon().until(() -> server.out().contains("stopping: 1 running"));
    assertThat(server.isAlive()).isTrue();
    go();
    assertThat(server.result().status()).isZero();
    assertThat(cli.run("flow", "ws", running).out()).isEqualTo("RUNNING\n");
    assertThat(cli.run("flow", "ws", waiting).status()).isEqualTo(2);
  }

  @Test
  void theSecondSignalEndsTasksWithoutCountingAnAttempt() throws IOException {
    LauncherProcess server = serve("--exec", SLOW);
    awaitReady(server);
    String id = cli.submit("ws", "hello");
    awaitStarted();
    server.signal("TERM");
    soon().until(() -> server.out().contains("stopping: 1 running"));
    server.signal("TERM");
    assertThat(server.result().status()).isEqualTo(130);
    assertThat(cli.run("job", "ws", id, "--events").out())
        .contains("\"event\":\"release\"")
        .contains("\"crash\":false");
    go();
    assertThat(serve("--exec", SLOW, "--drain").result().status()).isZero();
    assertThat(cli.run("flow", "ws", id).out()).isEqualTo("HELLO\n");
  }

  @Test
  void aStopIsBoundedWhateverProgramsDoAndSaysWhatItLeft() throws IOException {
    LauncherProcess server = serve("--exec", SLOW, "--stop-timeout", "2", "--log-format", "json");
    awaitReady(server);
    if (LauncherProcess.hangupsArrive()) {
      server.signal("HUP");
      soon().until(() -> server.out().contains("SIGHUP: there is no file to reopen"));
    }
    cli.submit("ws", "hello");
    awaitStarted();
    assertThat(server.signal("TERM").result().status()).isZero();
    assertThat(server.out().lines().map(line -> Json.object(line).string("message")))
        .contains("stopped; 1 task given back, to run again");
  }

  @Test
  void aStopOnAFullDiskIsBoundedToo() throws Exception {
    Files.createDirectory(ws);
    assumeTrue(
        command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", ws.toString()), "needs root");
    try {
      LauncherProcess server = serve("--exec", SLOW, "--stop-timeout", "2");
      awaitReady(server);
      String id = cli.submit("ws", "hello");
      awaitStarted();
      soon().until(() -> Files.exists(ws.resolve(".millrace/reserve/15")));
      fill(ws.resolve("filling"));
      go();
      soon().until(() -> server.out().contains("the store fails ("));
      assertThat(server.signal("TERM").result().status()).isZero();
      assertThat(server.out())
          .contains("stopped; outcomes of 1 task could not be stored: they run again")
          .containsOnlyOnce("the store fails (");
      assertThat(cli.run("prune", "ws", "--older-than", "1d").out()).isEqualTo("pruned 0 jobs\n");
      Files.delete(ws.resolve("filling"));
      drain("ws", "--exec", SLOW);
      assertThat(cli.run("flow", "ws", id).out()).isEqualTo("HELLO\n");
    } finally {
      command("umount", "--lazy", ws.toString());
    }
  }

  private static boolean command(String... words) throws Exception {
    return new ProcessBuilder(words).start().waitFor() == 0;
  }

  private static void fill(Path file) {
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(new byte[4096]);
      }
    } catch (IOException e) {
      // full
    }
  }

  @Test
  void anInterruptIsASignalToo() throws IOException {
    assumeTrue(LauncherProcess.interruptsArrive());
    LauncherProcess server = serve("--exec", UPPER);
    awaitReady(server);
    assertThat(server.signal("INT").result().status()).isZero();
  }

  @Test
  void stopSignalsAgainAfterItsTimeout() {
    LauncherProcess server = serve("--exec", SLOW);
    awaitReady(server);
    cli.submit("ws", "hello");
    awaitStarted();
    InProcessCli.Result stop =
        LauncherProcess.start(dir, "serve", "-d", "ws", "--stop", "--timeout", "1").result();
    assertThat(stop.status()).isZero();
    assertThat(stop.out()).isEqualTo("stopped (pid " + server.pid() + ")\n");
    assertThat(stop.err()).contains("still running after 1 s");
    assertThat(server.result().status()).isEqualTo(130);
  }

  @Test
  void anInterruptedDrainFails() throws IOException {
    cli.submit("ws", "one");
    cli.submit("ws", "two");
    LauncherProcess server = serve("--exec", SLOW, "--slots", "1", "--drain");
    awaitStarted();
    server.signal("TERM");
    soon().until(() -> server.out().contains("stopping"));
    go();
    assertThat(server.result().status()).isEqualTo(1);
  }

  @Test
  void aSecondServerWaitsAndTakesOver() {
    LauncherProcess first = serve("--exec", UPPER);
    awaitReady(first);
    LauncherProcess second = serve("--exec", UPPER);
    soon()
        .until(
            () ->
                second.out().contains("is owned by pid " + first.pid() + "; waiting to take over"));
    first.signal("KILL");
    awaitReady(second);
    String id = cli.submit("ws", "hello");
    assertThat(cli.run("flow", "ws", id, "-w").out()).isEqualTo("HELLO\n");
    assertThat(second.signal("TERM").result().status()).isZero();
  }

  @Test
  void aWaitingServerCanBeStopped() {
    LauncherProcess first = serve("--exec", UPPER);
    awaitReady(first);
    LauncherProcess second = serve("--exec", UPPER);
    soon().until(() -> second.out().contains("waiting to take over"));
    assertThat(second.signal("TERM").result().status()).isZero();
    assertThat(first.isAlive()).isTrue();
    assertThat(serve("--exec", UPPER, "--no-wait").result().status()).isEqualTo(1);
  }

  @Test
  void aDrainWatchesARunningServer() throws IOException {
    LauncherProcess first = serve("--exec", SLOW);
    awaitReady(first);
    cli.submit("ws", "hello");
    awaitStarted();
    LauncherProcess drain = serve("--exec", SLOW, "--drain");
    soon().until(() -> drain.out().contains("watching it"));
    go();
    assertThat(drain.result().status()).isZero();
    assertThat(first.isAlive()).isTrue();
  }

  @Test
  void aDrainTakesOverFromAServerThatDies() throws IOException {
    LauncherProcess first = serve("--exec", SLOW);
    awaitReady(first);
    String id = cli.submit("ws", "hello");
    awaitStarted();
    LauncherProcess drain = serve("--exec", SLOW, "--drain");
    soon().until(() -> drain.out().contains("watching it"));
    first.signal("KILL");
    awaitReady(drain);
    go();
    assertThat(drain.result().status()).isZero();
    assertThat(cli.run("flow", "ws", id).out()).isEqualTo("HELLO\n");
  }

  @Test
  void aProgramIsEndedThatAServerLeftWhichWasKilledWithItsWatchdog() throws Exception {
    String id = cli.submit("ws", "hello");
    LauncherProcess killed = serve("--exec", LEFT_BEHIND);
    soon().until(() -> Files.exists(dir.resolve("leader")));
    ProcessHandle leader =
        ProcessHandle.of(Long.parseLong(Files.readString(dir.resolve("leader")).strip()))
            .orElseThrow();
    ProcessHandle watchdog =
        ProcessHandle.of(killed.pid())
            .orElseThrow()
            .children()
            .filter(child -> child.info().commandLine().orElse("").contains("millrace-watchdog"))
            .findFirst()
            .orElseThrow();
    watchdog.destroyForcibly();
    watchdog.onExit().get(20, TimeUnit.SECONDS);
    killed.signal("KILL").result();
    assertThat(leader.isAlive()).as("nothing has ended it").isTrue();

    InProcessCli.Result drained = serve("--exec", LEFT_BEHIND, "--drain").result();
    assertThat(drained.out())
        .contains("ending process group " + leader.pid() + " of job " + id + ", which a server");
    assertThat(drained.status()).isZero();
    leader.onExit().get(20, TimeUnit.SECONDS);
    assertThat(cli.run("flow", "ws", id).out()).isEqualTo("HELLO\n");
    assertThat(dir.resolve("runs")).hasContent("run\nrun\n");
  }
}
