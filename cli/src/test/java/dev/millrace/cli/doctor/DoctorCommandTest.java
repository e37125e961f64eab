package dev.millrace.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DoctorCommandTest extends CommandFixture {
  @BeforeEach
  void open() {
    cli.submit("ws", "x");
  }

  /** What the check {@code subject} found, by level. */
  private List<JsonObject> found(String subject) {
    return cli.run("doctor", "ws", "--json").lines().stream()
        .map(Json::object)
        .filter(line -> subject.equals(line.get("check")))
        .toList();
  }

  private void finds(String subject, String level, String text) {
    assertThat(found(subject))
        .anySatisfy(
            line -> {
              assertThat(line.get("level")).isEqualTo(level);
              assertThat(line.string("text")).contains(text);
              assertThat(line.has("remedy")).isEqualTo(!level.equals("ok"));
            });
  }

  private TreeMap<Path, FileTime> tree() throws IOException {
    TreeMap<Path, FileTime> tree = new TreeMap<>();
    try (Stream<Path> all = Files.walk(ws)) {
      for (Path each : all.toList()) {
        // checks use this directory, which changes its time
        boolean own = each.equals(ws.resolve(".millrace"));
        tree.put(each, own ? FileTime.fromMillis(0) : Files.getLastModifiedTime(each));
      }
    }
    return tree;
  }

  @Test
  void aGoodWorkspaceIsOkAndStaysUnchanged() throws IOException {
    TreeMap<Path, FileTime> before = tree();
    InProcessCli.Result result = cli.run("doctor", "ws");
    assertThat(result.status()).as(result.out()).isZero();
    assertThat(result.out())
        .contains("ok    java: Java ", "ok    rename: atomic", "fsync: median ")
        .contains("ok    queue: 1 jobs wait, no foreign entries", "ok    server: none runs");
    assertThat(tree()).isEqualTo(before);
  }

  private static void mount(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("mount"));
    command.addAll(List.of(arguments));
    assumeTrue(new ProcessBuilder(command).start().waitFor() == 0, "needs root: mount");
  }

  @Test
  void aFullAndAReadOnlyDiskAreNamedWithTheirRemedy() throws Exception {
    Path disk = Files.createDirectory(dir.resolve("disk"));
    mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.toString());
    try {
      cli.run("work", "disk/ws", "x"); // refused, as there is too little space; but it makes it
      try (OutputStream filling = Files.newOutputStream(disk.resolve("filling"))) {
        while (true) {
          filling.write(new byte[4096]);
        }
      } catch (IOException e) {
        // full
      }
      String full = cli.run("doctor", "disk/ws").out();
      assertThat(full)
          .contains("fail  space: 0.0 GB free\n", "millrace prune", "No space left on device")
          .contains("-> free some space, for example by pruning old jobs")
          .doesNotContain("check the permissions");
      mount("-o", "remount,ro", disk.toString());
      String readOnly = cli.run("doctor", "disk/ws").out();
      assertThat(readOnly)
          .contains("is mounted read-only: jobs can only be read", "-> remount it writable")
          .doesNotContain("chown", "errno", "check the permissions");
      assertThat(cli.run("flow", "disk/ws").status()).isZero();
    } finally {
      new ProcessBuilder("umount", "--lazy", disk.toString()).start().waitFor();
    }
  }

  @Test
  void whoElseCanReadOrChangeJobsIsNamedWithTheCommandThatEndsIt() throws Exception {
    String owner = Files.getOwner(ws).getName();
    String group = Files.getAttribute(ws, "posix:group").toString();
    finds("access", "ok", "private to " + owner);

    run("chmod", "-R", "g+rwX,o+rX", ws.toString());
    finds("access", "warn", "group " + group + " may change jobs: " + ws + " is rwxrwxr-x");
    finds("access", "warn", "every user may read jobs: " + ws.resolve("input"));
    String remedy = found("access").getFirst().string("remedy");
    run("sh", "-c", remedy.substring(0, remedy.indexOf(" makes")));
    finds("access", "ok", "private to " + owner);

    run("chmod", "755", ws.toString()); // what is in it stays closed
    finds("access", "ok", "private to " + owner);
  }

  @Test
  void aWorkspaceOfAGroupIsNamedAsSuch() throws Exception {
    String group = Files.getAttribute(dir, "posix:group").toString();
    assertThat(cli.run("work", "shared", "x", "--group", group).status()).isZero();

    assertThat(cli.run("doctor", "shared").out())
        .contains("ok    access: members of group " + group + " may submit, read and change jobs");
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
  }

  @Test
  void missingDirectoriesAreNotCreated() throws IOException {
    Files.delete(ws.resolve("paused"));
    finds("places", "warn", "missing: paused");
    assertThat(ws.resolve("paused")).doesNotExist();
  }

  @Test
  void aDirectoryThatIsNoWorkspaceFails() {
    assertThat(cli.run("doctor", "none").status()).isEqualTo(1);
    assertThat(cli.run("doctor", "none").out()).contains("fail  workspace");
    assertThat(dir.resolve("none")).doesNotExist();
    InProcessCli.Result result = cli.run("doctor", ".");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out()).contains("is not a workspace: no input/ready");
    assertThat(dir).isDirectoryNotContaining(path -> path.getFileName().toString().startsWith("."));
  }

  @Test
  void withoutAWorkspaceTheMachineIsChecked() {
    InProcessCli.Result result = cli.run("doctor");
    assertThat(result.status()).isZero();
    assertThat(result.out()).contains("only the machine was checked");
    assertThat(cli.run("doctor", "ws", "more").status()).isEqualTo(2);
  }

  @Test
  void foreignEntriesAreNamed() throws IOException {
    Path ready = ws.resolve("input/ready");
    Files.createDirectory(ready.resolve("notes"));
    Files.createDirectory(ready.resolve("1736700000_1_0"));
    Files.writeString(ready.resolve("1736700000_1_1"), "");
    Files.createSymbolicLink(ready.resolve("1736700000_1_2"), dir);
    Files.createDirectories(ready.resolve("1736700000_1_3/prompt.txt"));
    finds("queue", "warn", "5 entries are not jobs");
    String text = found("queue").getFirst().string("text");
    assertThat(text)
        .contains(
            "notes (not a job id)", "1736700000_1_0 (neither", "1736700000_1_1 (not a directory)")
        .contains("1736700000_1_2 (a link)", "1736700000_1_3 (prompt.txt is not a file)");
  }

  @Test
  void unfinishedSubmissionsAreNamed() throws IOException {
    Path old = Files.createDirectory(ws.resolve("input/writing/1736700000_1_0"));
    finds("writing", "ok", "no submission");
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
    finds(
        "writing", "warn", "1 submissions older than an hour were never finished: 1736700000_1_0");
  }

  @Test
  void jobsOfTheFutureAreNamed() throws IOException {
    Files.createDirectories(ws.resolve("paused/00009000000000000000_1_000000"));
    finds("ids", "warn", "1 jobs come from the future");
  }

  @Test
  void leftoversOfADeadServerAreNamed() throws IOException {
    Files.writeString(ws.resolve(".nrvnad.pid"), "1\n");
    finds("server", "warn", ".nrvnad.pid are left");
    assertThat(ws.resolve(".nrvnad.pid")).exists();
  }

  @Test
  void aRunningServerIsReported() {
    try (var store = dev.millrace.store.fs.Workspace.open(ws).own().orElseThrow()) {
      finds("server", "ok", "is starting");
      assertThat(store).isNotNull();
    }
  }

  @Test
  void damagedLogsAreReported() throws IOException {
    String line =
        "{\"n\":1,\"at\":\"2026-01-01T00:00:00Z\",\"on\":\"job\",\"event\":\"submit\",\"v\":1}\n";
    Path job = Files.createDirectories(ws.resolve("processing/1736700000_1_0"));
    Files.writeString(job.resolve("events.jsonl"), line);
    finds("logs", "ok", "1 logs of running jobs are intact");
    String shared =
        "{\"n\":2,\"at\":\"2026-01-01T00:00:00Z\",\"on\":\"task\",\"stage\":1,\"task\":1,"
            + "\"event\":\"freeze_shared\",\"terms\":{\"stop\":null},\"shared\":{\"stop\":1}}\n";
    Files.writeString(job.resolve("events.jsonl"), line + shared);
    finds("logs", "ok", "1 logs of running jobs are intact");
    Files.writeString(job.resolve("events.jsonl"), line + "{\"n\":2,");
    finds("logs", "warn", "torn line");
    Files.writeString(
        job.resolve("events.jsonl"), line + line.replace("1,", "2,").replace("submit", "future"));
    finds("logs", "fail", "line 2 is not a known entry");
    Files.writeString(job.resolve("events.jsonl"), "nonsense\n" + line);
    finds("logs", "fail", "line 1 is not an entry");
    assertThat(cli.run("doctor", "ws").status()).isEqualTo(1);
  }

  @Test
  void aJobThatCannotBeReadIsNamed() throws IOException {
    String bad = cli.submit("ws", "bad");
    Files.createDirectory(ws.resolve("input/ready/" + bad + "/events.jsonl"));
    finds("jobs", "fail", "job " + bad + ": cannot read job " + bad);
    assertThat(cli.run("doctor", "ws").status()).isEqualTo(1);
  }

  @Test
  void aJobInTwoPlacesIsNamed() throws IOException {
    String twice = cli.submit("ws", "twice");
    Files.createDirectory(ws.resolve("output/" + twice));
    finds("copies", "fail", "job " + twice + " is in input/ready and in output");
  }

  @Test
  void allUnreadableJobsAreNamedInJsonAndTwentyToPeople() throws IOException {
    for (int job = 1; job <= 25; job++) {
      Path dir = Files.createDirectory(ws.resolve("paused").resolve("2026_1_" + job));
      Files.writeString(dir.resolve("prompt.txt"), "x");
      Files.createDirectory(dir.resolve("events.jsonl"));
    }
    assertThat(found("jobs")).hasSize(25);
    assertThat(cli.run("doctor", "ws").out()).contains("25 jobs in all cannot be read");
  }
}
