package dev.millrace.server.exec;

import dev.millrace.server.exec.ProcessSignals.Signal;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A record of the programs that run, one file for each, so that the next owner of the jobs can end
 * what a server left behind that was killed together with its {@link Watchdog}. The file is written
 * before the program is let go, and renamed when it is whole, without a sync: no program outlives a
 * loss of power. A program that cannot be recorded is not let go. Thread-safe.
 */
public final class RunningPrograms {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration LOOK_AGAIN = Duration.ofMillis(10);
  private static final Duration KILL_TAKES = Duration.ofSeconds(10);

  private final @Nullable Path directory;

  private RunningPrograms(@Nullable Path directory) {
    this.directory = directory;
  }

  /** Keeps no record: only the watchdog ends the programs of a server that was killed. */
  static RunningPrograms unrecorded() {
    return new RunningPrograms(null);
  }

  /** The record in that directory, which is created when the first program starts. */
  public static RunningPrograms in(Path directory) {
    return new RunningPrograms(directory);
  }

  /**
   * Records a program that waits to be let go.
   *
   * @throws IOException if it cannot be recorded: then it must not be let go
   */
  void add(ProcessGroup program, Map<String, String> environment) throws IOException {
    Optional<ProcessIdentity> leader = ProcessIdentity.of(program.leader().pid());
    if (directory == null || leader.isEmpty()) {
      return; // not recorded, or it has just ended
    }
    Path whole = file(directory, program);
    Path temporary = directory.resolve(program.leader().pid() + ".tmp");
    try {
      Files.createDirectories(directory);
      RunningProgram running =
          new RunningProgram(
              leader.get(),
              program.hasGroup(),
              environment.getOrDefault(RunningProgram.JOB, ""),
              environment.getOrDefault(RunningProgram.TOKEN, ""),
              key(directory));
      Files.writeString(temporary, running.write());
      Files.move(temporary, whole, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      delete(temporary);
      throw new IOException(
          "the program was not started, because it cannot be recorded in " + directory + ": " + e,
          e);
    }
  }

  void remove(ProcessGroup program) {
    if (directory != null) {
      delete(file(directory, program));
    }
  }

  private static Path file(Path directory, ProcessGroup program) {
    return directory.resolve(program.leader().pid() + ".json");
  }

  private static String key(Path directory) throws IOException {
    return String.valueOf(Files.readAttributes(directory, BasicFileAttributes.class).fileKey());
  }

  /**
   * Ends the programs that an earlier server left: TERM, and KILL after the grace period. Call this
   * as the owner of the jobs, before the first claim. It ends only what is provably the same
   * program; other records are outdated and deleted.
   */
  public void endLeftOver(Duration grace) {
    Map<Path, RunningProgram> left = leftOver();
    if (left.isEmpty()) {
      return;
    }
    Optional<ProcessSignals> signals = ProcessSignals.open();
    for (RunningProgram program : left.values()) {
      LOG.log(Level.WARNING, "ending " + program + ", which a server that was killed has left");
      program.send(Signal.TERM, signals);
    }
    awaitEnd(left, grace);
    left.values().forEach(program -> program.send(Signal.KILL, signals));
    awaitEnd(left, KILL_TAKES);
    for (RunningProgram program : left.values()) {
      LOG.log(Level.ERROR, program + " cannot be ended; its task may run twice");
    }
  }

  private Map<Path, RunningProgram> leftOver() {
    Map<Path, RunningProgram> left = new LinkedHashMap<>();
    if (directory == null || !Files.isDirectory(directory)) {
      return left;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      String key = key(directory);
      for (Path file : files) {
        read(file)
            .filter(_ -> file.toString().endsWith(".json")) // else its writing was cut off
            .filter(program -> program.directory().equals(key) && program.isRunning())
            .ifPresentOrElse(program -> left.put(file, program), () -> delete(file));
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.log(
          Level.WARNING,
          "the record of running programs in " + directory + " cannot be read: " + e);
    }
    return left;
  }

  private static Optional<RunningProgram> read(Path file) {
    try {
      return RunningProgram.read(Files.readString(file));
    } catch (IOException e) {
      LOG.log(Level.WARNING, "the record of a program cannot be read: " + e);
      return Optional.empty();
    }
  }

  /** Waits, and takes out of {@code left} what has ended, with its record. */
  private static void awaitEnd(Map<Path, RunningProgram> left, Duration atMost) {
    long start = System.nanoTime();
    boolean interrupted = false;
    while (true) {
      for (Path file : List.copyOf(left.keySet())) {
        if (!left.get(file).isRunning()) {
          left.remove(file);
          delete(file);
        }
      }
      if (left.isEmpty() || System.nanoTime() - start >= atMost.toNanos()) {
        break;
      }
      try {
        Thread.sleep(LOOK_AGAIN);
      } catch (InterruptedException e) {
        interrupted = true; // the programs must end all the same
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "an outdated record is left", e); // the next server deletes it
    }
  }
}
