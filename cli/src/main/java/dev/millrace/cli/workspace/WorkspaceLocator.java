package dev.millrace.cli.workspace;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.EnvironmentVariables;
import dev.millrace.cli.command.LauncherName;
import dev.millrace.cli.command.Shell;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the workspace or server that a command works on. */
public final class WorkspaceLocator {
  public static final Option OPTION =
      Option.value(
              "workspace",
              "DIR",
              "the workspace, or a server's URL; else a leading\n"
                  + "argument, else MILLRACE_WORKSPACE, else the current\n"
                  + "directory")
          .letter('d');

  private static final String VARIABLE = "MILLRACE_WORKSPACE";

  private static final String REMEDY =
      "name one with --workspace DIR, or set MILLRACE_WORKSPACE, or start in its directory";

  private WorkspaceLocator() {}

  /** The workspace, and the words that did not name it. */
  public record Found(WorkspaceAccess access, List<String> words) {

    /** The words as job ids, at least one. */
    public List<JobId> ids() {
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

  /** Finds it by the option, a leading argument, the environment or the current directory. */
  public static Found locate(Shell shell, Arguments arguments) {
    List<String> words = arguments.words();
    String named = arguments.get(OPTION);
    if (named != null) {
      return new Found(openExisting(shell, named), words);
    }
    if (!words.isEmpty() && !isId(words.getFirst())) {
      if (!isUrl(words.getFirst()) && !Files.exists(path(shell, words.getFirst()))) {
        throw new UsageException(
            "\""
                + words.getFirst()
                + "\" is neither a job ID, which is digits joined by single underscores, or a UUID,"
                + " nor a workspace directory, nor a server's URL");
      }
      return new Found(openExisting(shell, words.getFirst()), words.subList(1, words.size()));
    }
    String variable = shell.variable(VARIABLE);
    if (variable != null && isUrl(variable)) {
      return new Found(RemoteWorkspace.at(shell, variable), words);
    }
    Path implied = defaultDirectory(shell);
    if (implied == null) {
      throw new UsageException("no workspace: " + REMEDY);
    }
    return new Found(new LocalWorkspace(implied.toString(), Workspace.open(implied)), words);
  }

  /** The jobs of a directory that must hold a workspace, or of a server. */
  public static WorkspaceAccess openExisting(Shell shell, String named) {
    return isUrl(named)
        ? RemoteWorkspace.at(shell, named)
        : new LocalWorkspace(named, existingWorkspace(shell, named));
  }

  /** The same for submitting: a directory becomes a workspace. */
  public static WorkspaceAccess openToSubmit(Shell shell, String named) {
    return isUrl(named)
        ? RemoteWorkspace.at(shell, named)
        : new LocalWorkspace(named, Workspace.open(shell.path(named)));
  }

  private static boolean isUrl(String named) {
    return named.contains("://");
  }

  /** The directory that a server is to own; it may not exist yet. */
  public static Path serverDirectory(Shell shell, Arguments arguments) {
    String named = arguments.get(OPTION);
    Path path = named == null ? defaultDirectory(shell) : path(shell, named);
    if (path == null) {
      throw new UsageException("no workspace: " + REMEDY);
    }
    return path;
  }

  /** The workspace that this process serves; created if it does not exist. */
  public static Workspace openToServe(Shell shell, Path path) {
    Integer recoveries = new EnvironmentVariables(shell).integer(0, 1_000, "MAX_RECOVERY_ATTEMPTS");
    Workspace workspace = Workspace.open(path);
    return recoveries == null ? workspace : workspace.withRecoveryCeiling(recoveries);
  }

  /** The workspace if the user names none; null if there is no default. */
  public static @Nullable Path defaultDirectory(Shell shell) {
    String variable = shell.variable(VARIABLE);
    if (variable != null) {
      return path(shell, variable);
    }
    return isWorkspace(shell.directory()) ? shell.directory() : null;
  }

  public static boolean isWorkspace(Path directory) {
    return Files.isDirectory(directory.resolve("input/ready"));
  }

  /** The workspace in a directory that must hold one. */
  static Workspace existingWorkspace(Shell shell, String dir) {
    Path path = path(shell, dir);
    if (!isWorkspace(path)) {
      throw new CommandException(
          "no workspace in "
              + dir
              + (Files.exists(path) ? ": it has no input/ready" : ": no such directory")
              + "; \""
              + LauncherName.MILLRACE
              + " work "
              + dir
              + " PROMPT\" creates one");
    }
    return Workspace.open(path);
  }

  private static Path path(Shell shell, String dir) {
    if (isUrl(dir)) {
      throw new UsageException("DIR must be a directory here, not a URL: " + dir);
    }
    return shell.path(dir);
  }

  private static boolean isId(String word) {
    return JobId.isValid(word) || uuid(word).isPresent();
  }

  /** The id that the HTTP API uses. */
  private static Optional<EntityId> uuid(String word) {
    return EntityId.parse(word).flatMap(EntityId::of);
  }

  public static JobId id(String word) {
    if (JobId.isValid(word)) {
      return new JobId(word);
    }
    EntityId id =
        uuid(word)
            .orElseThrow(
                () ->
                    new UsageException(
                        "Invalid job ID: "
                            + word
                            + "; an id is digits joined by single underscores, or a UUID"));
    if (id.stage() > 0) {
      throw new UsageException(
          word + " names stage " + id.stage() + " of a job; the job's id is " + id.job());
    }
    return id.job();
  }
}
