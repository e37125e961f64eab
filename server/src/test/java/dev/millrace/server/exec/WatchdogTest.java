package dev.millrace.server.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.server.InMemoryServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs of a killed server are ended. */
@Timeout(60)
@Tag("slow")
class WatchdogTest {

  /** A server in its own process; prints the process numbers of its programs. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      InMemoryServer inMemory = new InMemoryServer();
      ExecLimits limits = ExecLimits.DEFAULT.withGrace(Duration.ofSeconds(1));
      String command =
          "echo pid $$ >&2; trap '' TERM; sleep 301 & echo pid $! >&2; wait; sleep 302";
      inMemory.start(new ExecWorker("run", command, limits));
      JobId job = inMemory.submit("run", "x", "y");
      inMemory.await(job, () -> inMemory.lines(job).size() == 4);
      inMemory.lines(job).forEach(System.out::println);
      inMemory.await(job);
    }
  }

  @Test
  void programsOfAKilledServerEnd() throws Exception {
    Process victim = startVictim();
    List<ProcessHandle> programs = new ArrayList<>();
    try (BufferedReader out = victim.inputReader()) {
      for (int i = 0; i < 4; i++) {
        String line = out.readLine();
        assertThat(line).startsWith("pid ");
        programs.add(ProcessHandle.of(Long.parseLong(line.substring(4))).orElseThrow());
      }
      assertThat(programs).allMatch(ProcessHandle::isAlive);
      victim.destroyForcibly(); // SIGKILL: no cleanup code runs
      assertThat(victim.waitFor()).isEqualTo(137);
    }
    for (ProcessHandle program : programs) {
      program.onExit().get(20, TimeUnit.SECONDS);
    }
  }

  private static Process startVictim() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Victim.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @Test
  void watchedProcessEndsWhenTheWatchdogCloses() throws Exception {
    Process kept = new ProcessBuilder("setsid", "sleep", "301").start();
    Process left = new ProcessBuilder("setsid", "sleep", "301").start();
    try (Watchdog watchdog = new Watchdog(List.of("setsid"), Duration.ofSeconds(1))) {
      watchdog.watch("-" + left.pid());
      watchdog.watch("-" + kept.pid());
      watchdog.forget("-" + kept.pid());
      watchdog.forget("-12345678");
    }

    assertThat(left.waitFor()).isEqualTo(143);
    assertThat(kept.isAlive()).isTrue();
    kept.destroyForcibly().waitFor();
  }

  private static Optional<ProcessHandle> shell() {
    return ProcessHandle.current()
        .children()
        .filter(
            child ->
                child.info().arguments().stream()
                    .anyMatch(it -> List.of(it).contains("millrace-watchdog")))
        .findFirst();
  }

  @Test
  @Timeout(30)
  void watchdogThatWasKilledIsReplaced() throws Exception {
    Process program = new ProcessBuilder("setsid", "sleep", "301").start();
    try (Watchdog watchdog = new Watchdog(List.of("setsid"), Duration.ofSeconds(1))) {
      watchdog.watch("-" + program.pid());
      Optional<ProcessHandle> found = shell();
      while (found.isEmpty()) { // started, but it may not have its name yet
        Thread.onSpinWait();
        found = shell();
      }
      ProcessHandle shell = found.get();
      shell.destroyForcibly();
      shell.onExit().get(20, TimeUnit.SECONDS);
      watchdog.watch("-12345678"); // notices, and starts another one
    }

    assertThat(program.waitFor()).isEqualTo(143);
  }
}
