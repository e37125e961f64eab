package dev.millrace.server.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a server left that was killed with its watchdog is ended by the next owner. */
@Timeout(60)
@Tag("slow")
class RunningProgramsTest {
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Map<String, String> CLAIM =
      Map.of(RunningProgram.JOB, "1_2_3", RunningProgram.TOKEN, "4.5");

  /**
   * Holds a lock while it runs, and reports if another has it. The first one runs until it is ended.
   */
  private static final String COMMAND =
      """
      cd '%s' || exit 2
      mkdir held || { echo clash > clash; exit 1; }
      if [ -e leader ]; then rmdir held; echo second; exit; fi
      exec > /dev/null 2>&1 # the pipes break with the server
      trap 'rmdir held; exit 1' TERM
      echo $$ > leader.new && mv leader.new leader
      while :; do sleep 0.05; done
      """;

  /** A server in its own process. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      Workspace workspace = Workspace.open(Path.of(args[0]));
      serve(workspace, workspace.own().orElseThrow(), args[1]).await();
    }
  }

  @TempDir Path directory;
  private RunningPrograms programs;
  private ProcessGroupLauncher launcher;

  @BeforeEach
  void open() {
    programs = RunningPrograms.in(directory.resolve("programs"));
    launcher = ProcessGroupLauncher.open(System.getenv("PATH"), GRACE, programs);
  }

  @AfterEach
  void close() throws IOException {
    launcher.close();
    if (Files.exists(leaderFile())) { // it would run for ever if the test has failed
      ProcessHandle.of(leader()).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  private Path leaderFile() {
    return directory.resolve("leader");
  }

  private long leader() throws IOException {
    return Long.parseLong(Files.readString(leaderFile()).strip());
  }

  private static Server serve(Workspace workspace, JobStore store, String command) {
    ExecLimits limits = ExecLimits.DEFAULT.withGrace(GRACE);
    ExecWorker worker =
        new ExecWorker(
            "run",
            command,
            limits,
            RunningPrograms.in(workspace.programs()),
            ExecEnvironment.of(System.getenv()));
    return Server.builder(store).worker(worker).build().start();
  }

  private static List<Path> files(Path of) throws IOException {
    try (Stream<Path> all = Files.list(of)) {
      return all.toList();
    }
  }

  @Test
  void aProgramNeverMeetsTheOneThatAKilledServerLeft() throws Exception {
    Workspace workspace = Workspace.open(directory.resolve("ws"));
    String command = COMMAND.formatted(directory);
    JobId job =
        workspace
            .submitter()
            .submit(JobSpec.of(List.of(StageSpec.of("run", List.of(TaskSpec.of("x"))))));
    ProcessHandle leader = killServerAndWatchdog(workspace, command);
    assertThat(leader.isAlive()).as("nothing has ended it").isTrue();
    assertThat(files(workspace.programs())).hasSize(1);

    try (JobStore store = workspace.own().orElseThrow()) {
      RunningPrograms.in(workspace.programs()).endLeftOver(GRACE);
      leader.onExit().get(20, TimeUnit.SECONDS);
      try (Server _ = serve(workspace, store, command)) {
        new Flow(store).await(job, InMemoryServer.TIMEOUT);
      }
      assertThat(store.task(job, 1, 1).orElseThrow().error()).isNull();
      assertThat(store.task(job, 1, 1).orElseThrow().result())
          .satisfies(result -> assertThat(result.text()).isEqualTo("second\n"));
    }
    assertThat(directory.resolve("clash")).doesNotExist();
    assertThat(files(workspace.programs())).isEmpty();
  }

  private ProcessHandle killServerAndWatchdog(Workspace workspace, String command)
      throws Exception {
    Process victim =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName(),
                workspace.root().toString(),
                command)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> Files.exists(leaderFile()));
    ProcessHandle watchdog =
        victim
            .toHandle()
            .children()
            .filter(child -> arguments(child).contains("millrace-watchdog"))
            .findFirst()
            .orElseThrow();
    watchdog.destroyForcibly();
    watchdog.onExit().get(20, TimeUnit.SECONDS);
    victim.destroyForcibly();
    assertThat(victim.waitFor()).isEqualTo(137);
    return ProcessHandle.of(leader()).orElseThrow();
  }

  private static List<String> arguments(ProcessHandle process) {
    return process.info().arguments().map(List::of).orElse(List.of());
  }

  /** Starts a command and lets it go. */
  private ProcessGroup start(String command) throws IOException {
    ProcessGroup group = launcher.start(command, CLAIM);
    group.leader().getOutputStream().write(ProcessGroupLauncher.GO.getBytes());
    group.leader().getOutputStream().flush();
    return group;
  }

  private Path record(ProcessGroup of) {
    return directory.resolve("programs").resolve(of.leader().pid() + ".json");
  }

  private void rewrite(ProcessGroup of, String text, String by) throws IOException {
    String before = Files.readString(record(of));
    assertThat(before).contains(text);
    Files.writeString(record(of), before.replace(text, by));
  }

  @Test
  void aProgramIsRecordedUntilItEnds() throws Exception {
    ProcessGroup group = start("sleep 301");
    assertThat(record(group)).exists();
    launcher.end(group);
    assertThat(files(directory.resolve("programs"))).isEmpty();
    programs.endLeftOver(GRACE);
  }

  @Test
  void aProgramThatCannotBeRecordedIsNotStarted() throws Exception {
    Path none = Files.createFile(directory.resolve("programs"));
    Path started = directory.resolve("started");
    ExecWorker worker =
        new ExecWorker(
            "run",
            "touch '" + started + "'",
            ExecLimits.DEFAULT,
            programs,
            ExecEnvironment.of(System.getenv()));
    try (InMemoryServer server = new InMemoryServer()) {
      server.start(worker);
      JobId job = server.submit("run", "x");
      assertThat(server.flow.await(job, InMemoryServer.TIMEOUT)).isEqualTo(Flow.Status.FAILED);
      assertThat(server.store.task(job, 1, 1).orElseThrow().error())
          .startsWith("the program was not started, because it cannot be recorded in " + none);
    }
    assertThat(started).doesNotExist();
  }

  @Test
  void aRecordWhoseWritingWasCutOffIsDeleted() throws Exception {
    Path cutOff = Files.createDirectory(directory.resolve("programs")).resolve("1.tmp");
    Files.createFile(cutOff);
    programs.endLeftOver(GRACE);
    assertThat(cutOff).doesNotExist();
  }

  @Test
  void aStubbornProgramIsKilledWithItsChildren() throws Exception {
    ProcessGroup group = start("trap '' TERM; sleep 301 & echo up; while :; do sleep 1; done");
    assertThat(group.leader().inputReader().readLine()).isEqualTo("up");
    programs.endLeftOver(Duration.ofMillis(100));
    assertThat(group.leader().waitFor()).isEqualTo(137);
    assertThat(ProcessGroupMembers.anyAlive(group.leader().pid())).isFalse();
    assertThat(record(group)).doesNotExist();
  }

  @Test
  void whatIsLeftOfAGroupIsKnownByItsToken() throws Exception {
    ProcessGroup group = start("sleep 301 > /dev/null 2>&1 & echo up");
    assertThat(group.leader().inputReader().readLine()).isEqualTo("up");
    assertThat(group.leader().waitFor()).isZero();
    assertThat(ProcessGroupMembers.anyAlive(group.leader().pid())).isTrue();
    String kept = Files.readString(record(group));
    rewrite(group, "4.5", "4.6");
    programs.endLeftOver(GRACE);
    assertThat(ProcessGroupMembers.anyAlive(group.leader().pid())).as("not proven").isTrue();
    assertThat(record(group)).doesNotExist();

    Files.writeString(record(group), kept);
    programs.endLeftOver(GRACE);
    assertThat(ProcessGroupMembers.anyAlive(group.leader().pid())).isFalse();
    assertThat(record(group)).doesNotExist();
  }

  @Test
  void anotherProcessWithTheSameNumberIsLeftAlone() throws Exception {
    ProcessGroup group = start("sleep 301");
    ProcessIdentity own = ProcessIdentity.of(group.leader().pid()).orElseThrow();
    String key = "\"directory\":\"";
    String kept = Files.readString(record(group));
    for (String[] change :
        new String[][] {
          {"\"start\":\"" + own.start(), "\"start\":\"1" + own.start()},
          {"\"boot\":\"" + own.boot(), "\"boot\":\"another"},
          {key, key + "a copy of "},
          {kept, kept.substring(0, kept.length() / 2)},
        }) {
      Files.writeString(record(group), kept.replace("4.5", "7.8")); // the leader alone proves it
      rewrite(group, change[0].replace("4.5", "7.8"), change[1]);
      programs.endLeftOver(GRACE);
      assertThat(group.leader().isAlive()).as(change[1]).isTrue();
      assertThat(record(group)).as(change[1]).doesNotExist();
    }
    launcher.end(group);
  }

  @Test
  void aDirectoryThatIsMissingHoldsNothing() {
    RunningPrograms.in(directory.resolve("none")).endLeftOver(GRACE);
    assertThat(directory.resolve("none")).doesNotExist();
  }
}
