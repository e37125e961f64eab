package dev.millrace.cli.place;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.EnvironmentVariables;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Opens a place by its name: the table of the kinds of places, by the scheme of a URL. */
public final class PlaceOpener {
  /** For commands that create a workspace. */
  public static final Option GROUP =
      Option.value(
          "group",
          "NAME",
          "create the workspace for the members of this group: they\n"
              + "may submit, read and use levers (default: only its owner\n"
              + "may)");

  private static final String SEPARATOR = "://";

  private PlaceOpener() {}

  /** What a place is opened for. */
  private enum Purpose {
    /** It must exist. */
    READ,
    /** It is created if it does not exist. */
    SUBMIT,
    /** It must exist, and be of a kind that a process can own. */
    MANAGE,
    /** Like SUBMIT, and this process will own it. */
    SERVE;

    boolean creates() {
      return this == SUBMIT || this == SERVE;
    }

    boolean needsDirectory() {
      return this == MANAGE || this == SERVE;
    }
  }

  /** The jobs of a place that must exist. */
  public static Place openExisting(Shell shell, String named) {
    return open(shell, named, Purpose.READ);
  }

  /** The same for submitting: a directory becomes a workspace. */
  public static Place openToSubmit(Shell shell, String named) {
    return open(shell, named, Purpose.SUBMIT);
  }

  /** The same for a command with {@link #GROUP}. */
  public static Place openToSubmit(Shell shell, String named, Arguments given) {
    share(shell, named, given);
    return openToSubmit(shell, named);
  }

  /** Creates the workspace for a group if the user asks for that. */
  private static void share(Shell shell, String named, Arguments given) {
    String group = given.get(GROUP);
    if (group != null && isUrl(named)) {
      throw new UsageException(
          given.shown(GROUP) + " creates a workspace for a group; it goes with a directory");
    }
    if (group != null) {
      Workspace.openShared(shell.path(named), group);
    }
  }

  /** The place, which must exist, that a process may own. */
  public static OwnablePlace openToManage(Shell shell, String named) {
    return open(shell, named, Purpose.MANAGE).requireOwnable();
  }

  /** The place that this process serves; created if it does not exist. */
  public static OwnablePlace openToServe(Shell shell, String named) {
    return open(shell, named, Purpose.SERVE).requireOwnable();
  }

  /** The same for a command with {@link #GROUP}. */
  public static OwnablePlace openToServe(Shell shell, String named, Arguments given) {
    share(shell, named, given);
    return openToServe(shell, named);
  }

  /** The directory of a place; it need not be a workspace, but a URL is refused. */
  public static Path directory(Shell shell, String named) {
    return isUrl(named) ? Path.of(openToManage(shell, named).location()) : shell.path(named);
  }

  /** Whether there is such a place; a server is assumed to be there. */
  public static boolean exists(Shell shell, String named) {
    if (isDatabase(named)) {
      return DatabasePlace.exists(shell, named);
    }
    return isUrl(named) || isWorkspace(shell.path(named)) || isClosed(shell.path(named));
  }

  /** Whether this user may not look into a directory: it may be the workspace of another. */
  private static boolean isClosed(Path path) {
    return Files.isDirectory(path) && !Files.isExecutable(path);
  }

  /** A row for each scheme; a name without one is a directory. */
  private static Place open(Shell shell, String named, Purpose purpose) {
    String scheme = scheme(named);
    return switch (scheme) {
      case "" -> new LocalWorkspace(named, workspace(shell, named, purpose));
      case "http", "https" -> RemoteWorkspace.at(shell, named);
      case "postgresql", "postgres" -> DatabasePlace.at(shell, named, purpose.creates());
      default ->
          throw new UsageException(
              "\""
                  + named
                  + "\" names no place for jobs: \""
                  + scheme
                  + SEPARATOR
                  + "\" is not supported; give a workspace's directory"
                  + (purpose.needsDirectory()
                      ? " or a database's postgresql:// URL"
                      : ", a database's postgresql:// URL, or a server's http:// or https:// URL"));
    };
  }

  /** Whether the place is a database, whose jobs several servers process. */
  public static boolean isDatabase(String named) {
    return scheme(named).equals("postgresql") || scheme(named).equals("postgres");
  }

  public static boolean isUrl(String named) {
    return !scheme(named).isEmpty();
  }

  /** What comes before the first "://", in lower case; empty for a directory. */
  private static String scheme(String named) {
    int end = named.indexOf(SEPARATOR);
    boolean path = end < 1 || named.charAt(0) == '.' || named.lastIndexOf('/', end - 1) >= 0;
    return path ? "" : named.substring(0, end).toLowerCase(Locale.ROOT);
  }

  private static Workspace workspace(Shell shell, String named, Purpose purpose) {
    Path path = shell.path(named);
    if (purpose == Purpose.READ || purpose == Purpose.MANAGE) {
      requireWorkspace(named, path);
    }
    Workspace workspace = Workspace.open(path);
    return purpose == Purpose.SERVE ? withCeiling(shell, workspace) : workspace;
  }

  private static Workspace withCeiling(Shell shell, Workspace workspace) {
    Integer recoveries = new EnvironmentVariables(shell).integer(0, 1_000, "MAX_RECOVERY_ATTEMPTS");
    return recoveries == null ? workspace : workspace.withRecoveryCeiling(recoveries);
  }

  private static void requireWorkspace(String named, Path path) {
    if (isClosed(path)) {
      throw new CommandException(
          "no permission for "
              + named
              + ": a workspace is private to its owner unless it was created with --group; ask the"
              + " owner, or use the URL of its server");
    }
    if (!isWorkspace(path)) {
      throw CommandException.suggesting(
          ErrorCode.NOT_FOUND,
          "no workspace in "
              + named
              + (Files.exists(path) ? ": it has no input/ready" : ": no such directory"),
          SuggestedCommand.of("work").on(named).with(SuggestedCommand.PROMPT),
          "creates one");
    }
  }

  public static boolean isWorkspace(Path directory) {
    return Files.isDirectory(directory.resolve("input/ready"));
  }
}
