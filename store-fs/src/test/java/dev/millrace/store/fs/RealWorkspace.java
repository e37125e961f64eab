package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Reading;
import dev.millrace.core.task.TaskResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests on a real directory start from: a workspace, hands to meddle with it, its log. */
abstract class RealWorkspace {
  private static final Set<String> TYPES = Set.of("generate", "embed", "a", "b");

  @TempDir Path dir;

  Path root;
  Places places;
  Workspace workspace;
  LogTap log;
  private final List<JobStore> opened = new ArrayList<>();

  @BeforeEach
  final void openWorkspace() {
    log = LogTap.open();
    root = dir.resolve("ws");
    places = new Places(root);
    workspace = Workspace.open(root);
  }

  @AfterEach
  final void letGo() {
    opened.forEach(JobStore::close);
    log.close();
  }

  /** Takes the workspace over until the test ends or closes it. */
  final JobStore own() {
    JobStore store = workspace.own().orElseThrow();
    opened.add(store);
    return store;
  }

  final void close(JobStore store) {
    opened.remove(store);
    store.close();
  }

  final Path place(JobState state, JobId id) {
    return places.of(state, id);
  }

  /** A job's directory, made by hand. */
  final Path plant(JobState state, JobId id, String... filesAndTexts) throws IOException {
    Path job = Files.createDirectory(place(state, id));
    for (int i = 0; i < filesAndTexts.length; i += 2) {
      Path file = job.resolve(filesAndTexts[i]);
      Files.createDirectories(file.getParent());
      Files.writeString(file, filesAndTexts[i + 1]);
    }
    return job;
  }

  static void fifo(Path path) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
  }

  static List<Claim> claim(JobStore store, int limit) {
    return store.claim(new Demand(TYPES, limit, "worker", null));
  }

  static Answer complete(JobStore store, Claim claim) {
    return store.complete(claim, TaskResult.of("<" + claim.inputText() + ">"));
  }

  /** Works off whatever can be claimed. */
  static void workOff(JobStore store) {
    do {
      for (List<Claim> some = claim(store, 10); !some.isEmpty(); some = claim(store, 10)) {
        some.forEach(claim -> assertThat(complete(store, claim)).isEqualTo(Answer.DONE));
      }
    } while (!store.idle(TYPES));
  }

  static String result(Reading store, JobId id) {
    return store.tasks(id, 1, 1, 1).getFirst().result().text();
  }

  static String error(Reading store, JobId id) {
    return store.tasks(id, 1, 1, 1).getFirst().error();
  }

  /** Waits for what another thread will bring about. */
  static void await(String what, java.util.function.BooleanSupplier until) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!until.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waiting for %s", what).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }

  static List<String> lines(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.toList();
    }
  }
}
