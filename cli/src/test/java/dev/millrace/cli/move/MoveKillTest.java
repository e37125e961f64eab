package dev.millrace.cli.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.Main;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command is killed in the middle, several times. */
@Tag("slow")
class MoveKillTest {
  private static final int JOBS = 60;
  private static final int KILLS = 3;
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());

  @TempDir Path dir;

  @Test
  void anotherRunIntoADatabaseContinuesWhereOneWasKilled() throws Exception {
    moveAndKill(
        MoveSide.workspace(dir.resolve("ws")), MoveSide.database(MoveDatabase.newUrl()), () -> {});
  }

  @Test
  void anotherRunOutOfADatabaseContinuesWhereOneWasKilled() throws Exception {
    String url = MoveDatabase.newUrl();
    moveAndKill(
        MoveSide.database(url),
        MoveSide.workspace(dir.resolve("ws")),
        () -> MoveDatabase.endLeases(url));
  }

  /**
   * @param killed called when the process that moves is dead
   */
  private static void moveAndKill(MoveSide from, MoveSide to, Runnable killed) throws Exception {
    System.out.println("MoveKillTest: from a " + from + " to a " + to + ", seed " + SEED);
    Random random = new Random(SEED);
    try (JobStore store = from.serve()) {
      for (int i = 0; i < JOBS; i++) {
        store.submit(JobSpec.prompt("generate", "job " + i));
      }
    }
    to.serve().close(); // it makes partitions, which locks out readers
    Map<JobId, ReadJob> before = ReadJob.all(from.reader());
    for (int kill = 0; kill < KILLS; kill++) {
      int wanted = to.reader().list(Query.all()).size() + 1 + random.nextInt(JOBS / KILLS);
      Process mover = start(from.name(), to.name());
      try {
        Awaitility.await()
            .pollInterval(Duration.ofMillis(2))
            .atMost(Duration.ofSeconds(30))
            .until(() -> !mover.isAlive() || to.reader().list(Query.all()).size() >= wanted);
      } finally {
        mover.destroyForcibly().waitFor();
        killed.run();
      }
      Set<JobId> both = new HashSet<>(from.reader().list(Query.all()));
      both.retainAll(to.reader().list(Query.all()));
      assertThat(both).isEmpty();
    }
    Process last = start(from.name(), to.name());
    assertThat(last.waitFor()).isZero();
    JobReader there = to.reader();
    assertThat(ReadJob.all(there)).isEqualTo(before);
    assertThat(from.reader().list(Query.all())).isEmpty();
    from.close();
    to.close();
  }

  private static Process start(String from, String to) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "move",
            from,
            to);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
