package dev.millrace.cli;

import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs typical commands so that the launcher can make its AOT cache (JEP 514): later starts are
 * fast for all code that ran here. The commands run in one JVM, because a cache is made from one
 * run.
 */
final class AotTraining {
  /** Not a command for users, so not in the usage. */
  static final String ARGUMENT = "--aot-training";

  private AotTraining() {}

  static int run(Shell shell) {
    try {
      Path workspace = Files.createTempDirectory("millrace-training-");
      try {
        train(shell, workspace);
      } finally {
        delete(workspace);
      }
      return ExitCode.OK;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void train(Shell shell, Path workspace) throws IOException {
    String dir = workspace.toString();
    Main.run(shell, "--version");
    Main.run(shell, "work", dir, "a prompt", "--tag", "t", "--param", "x=0", "--temp", "0.5");
    Main.run(piped(shell, "a prompt\n"), "work", dir, "--json", "-");
    finish(workspace, names(workspace.resolve("input/ready")).getFirst());
    Main.run(shell, "flow", dir);
    Main.run(shell, "flow", dir, "--json");
    Main.run(shell, "flow", dir, "--tag", "t");
    Main.run(shell, "flow", dir, "--tag", "t", "--json");
    for (String directory : List.of("input/ready", "output")) {
      for (String id : names(workspace.resolve(directory))) {
        Main.run(shell, "flow", dir, id);
        Main.run(shell, "flow", dir, id, "--json");
        Main.run(shell, "job", dir, id);
      }
    }
    for (String id : names(workspace.resolve("output"))) {
      Main.run(piped(shell, id + "\n"), "flow", dir, "-w");
    }
    Main.run(shell, "jobs", dir);
    Main.run(shell, "states");
  }

  private static Shell piped(Shell shell, String text) {
    return new Shell(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
        shell.out(),
        shell.err(),
        shell.environment(),
        shell.directory(),
        shell.terminal());
  }

  /**
   * Finishes a job as another daemon would: a real server would add its own classes to the cache.
   */
  private static void finish(Path workspace, String id) throws IOException {
    Path done = workspace.resolve("output").resolve(id);
    Files.move(workspace.resolve("input/ready").resolve(id), done);
    Files.writeString(done.resolve("result.txt"), "a result");
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> jobs = Files.list(directory)) {
      return jobs.map(job -> job.getFileName().toString()).toList();
    }
  }

  private static void delete(Path workspace) throws IOException {
    try (Stream<Path> all = Files.walk(workspace)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
