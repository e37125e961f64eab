package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.core.job.JobId;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which workspace a command is about. */
final class Workspaces {
  static final Option OPTION =
      Option.value(
              "workspace",
              "DIR",
              "the workspace; else a leading argument DIR, else\n"
                  + "MILLRACE_WORKSPACE, else the current directory")
          .letter('d');

  private static final String REMEDY =
      "name one with --workspace DIR, or set MILLRACE_WORKSPACE, or start in its directory";

  private Workspaces() {}

  /** A workspace, and the words that did not name it. */
  record Found(Workspace workspace, List<String> words) {

    /** The words as job ids, at least one. */
    List<JobId> ids() {
      if (words.isEmpty()) {
        throw new UsageException("no job: give its id");
      }
      List<JobId> ids = new ArrayList<>();
      for (String word : words) {
        ids.add(id(word));
      }
      return ids;
    }
  }

  /** Finds the workspace by the option, a leading argument, the environment or where we are. */
  static Found locate(Shell shell, Arguments arguments) {
    List<String> words = arguments.words();
    String named = arguments.get(OPTION);
    if (named != null) {
      return new Found(existing(shell, named), words);
    }
    if (!words.isEmpty() && !JobId.isValid(words.getFirst())) {
      if (!Files.exists(path(shell, words.getFirst()))) {
        throw new UsageException(
            "\""
                + words.getFirst()
                + "\" is neither a job ID, which is digits joined by single"
                + " underscores, nor a workspace directory");
      }
      return new Found(existing(shell, words.getFirst()), words.subList(1, words.size()));
    }
    Path implied = implied(shell);
    if (implied == null) {
      throw new UsageException("no workspace: " + REMEDY);
    }
    return new Found(Workspace.open(implied), words);
  }

  /** Where a server is to work, which may make the directory. */
  static Path forServer(Shell shell, Arguments arguments) {
    String named = arguments.get(OPTION);
    Path path = named == null ? implied(shell) : path(shell, named);
    if (path == null) {
      throw new UsageException("no workspace: " + REMEDY);
    }
    return path;
  }

  /** A workspace that this process is to serve, made if it is not there. */
  static Workspace toServe(Shell shell, Path path) {
    Integer recoveries = new Variables(shell).integer(0, 1_000, "MAX_RECOVERY_ATTEMPTS");
    Workspace workspace = Workspace.open(path);
    return recoveries == null ? workspace : workspace.withRecoveryCeiling(recoveries);
  }

  /** What is meant where nothing is said; null if nothing can be. */
  static @Nullable Path implied(Shell shell) {
    String variable = shell.variable("MILLRACE_WORKSPACE");
    if (variable != null) {
      return path(shell, variable);
    }
    return isWorkspace(shell.directory()) ? shell.directory() : null;
  }

  static boolean isWorkspace(Path directory) {
    return Files.isDirectory(directory.resolve("input/ready"));
  }

  /** The workspace in a directory that must hold one. */
  static Workspace existing(Shell shell, String dir) {
    Path path = path(shell, dir);
    if (!isWorkspace(path)) {
      throw new Refusal(
          "no workspace in "
              + dir
              + (Files.exists(path) ? ": it has no input/ready" : ": it is not there")
              + "; \""
              + Called.MILLRACE
              + " work "
              + dir
              + " PROMPT\" makes one");
    }
    return Workspace.open(path);
  }

  private static Path path(Shell shell, String dir) {
    if (dir.contains("://")) {
      throw new UsageException("DIR must be a directory path, not a URL: " + dir);
    }
    return shell.path(dir);
  }

  static JobId id(String word) {
    if (!JobId.isValid(word)) {
      throw new UsageException(
          "Invalid job ID: " + word + "; an id is digits joined by single underscores");
    }
    return new JobId(word);
  }
}
