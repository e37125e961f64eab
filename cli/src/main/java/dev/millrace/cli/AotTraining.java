package dev.millrace.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The run from which the launcher makes its AOT cache (JEP 514): a later start is fast in so far as
 * what it does was done here. All commands run in one JVM, because a cache is made of one run.
 */
final class AotTraining {
  /** Not a command for users, so not in the usage. */
  static final String ARGUMENT = "--aot-training";

  private AotTraining() {}

  static int run(Shell shell) {
    try {
      Path workspace = Files.createTempDirectory("millrace-training-");
      try {
        String dir = workspace.toString();
        Main.run(shell, "--version");
        Main.run(shell, "work", dir, "a prompt", "--tag", "t", "--param", "temp=0");
        Main.run(shell, "work", dir, "--json", "-");
        Main.run(shell, "flow", dir);
        Main.run(shell, "flow", dir, "--json");
        Main.run(shell, "flow", dir, "--tag", "t");
        Main.run(shell, "flow", dir, "--tag", "t", "--json");
        for (String id : ids(workspace)) {
          Main.run(shell, "flow", dir, id);
          Main.run(shell, "job", dir, id);
        }
        Main.run(shell, "jobs", dir);
        Main.run(shell, "states");
      } finally {
        delete(workspace);
      }
      return ExitCode.OK;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> ids(Path workspace) throws IOException {
    try (Stream<Path> jobs = Files.list(workspace.resolve("input/ready"))) {
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
