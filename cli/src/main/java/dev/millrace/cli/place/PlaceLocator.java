package dev.millrace.cli.place;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Shell;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the place that a command works on: which one the user named, or means. */
public final class PlaceLocator {
  public static final Option OPTION =
      Option.value(
              "workspace",
              "DIR",
              "the workspace, or a server's URL; else a leading\n"
                  + "argument, else MILLRACE_WORKSPACE, else the current\n"
                  + "directory")
          .letter('d');

  /** Another name of the option, for {@code serve}, where it may be a database. */
  public static final Option STORE =
      Option.value(
          "store",
          "STORE",
          "where the jobs are: a workspace's directory, or a\n"
              + "database, which any number of servers share:\n"
              + "postgresql://USER@HOST/DATABASE; the password is in\n"
              + "PGPASSWORD (docs/postgres.md)");

  private static final String VARIABLE = "MILLRACE_WORKSPACE";

  private static final String REMEDY =
      "name one with --workspace DIR, or set MILLRACE_WORKSPACE, or start in its directory";

  private PlaceLocator() {}

  /** The place, and the words that did not name it. */
  public record Found(Place place, List<String> words) {

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

    /** A word as the id of a job here; it may be a part of the id that no other job has. */
    public JobId id(String word) {
      return JobIdLookup.find(place, word);
    }
  }

  /** Finds it by the option, a leading argument, the environment or the current directory. */
  public static Found locate(Shell shell, Arguments arguments) {
    List<String> words = arguments.words();
    String named = arguments.get(OPTION);
    if (named != null) {
      return new Found(PlaceOpener.openExisting(shell, named), words);
    }
    if (!words.isEmpty() && !isId(shell, words.getFirst())) {
      String first = words.getFirst();
      if (!PlaceOpener.isUrl(first) && !Files.exists(shell.path(first))) {
        throw new UsageException(
            "\""
                + first
                + "\" is neither a job ID, which is digits joined by single underscores, or a UUID,"
                + " nor a workspace directory, nor a server's URL");
      }
      return new Found(PlaceOpener.openExisting(shell, first), words.subList(1, words.size()));
    }
    String usual = required(defaultName(shell));
    return new Found(
        PlaceOpener.isDatabase(usual)
            ? PlaceOpener.openExisting(shell, usual)
            : PlaceOpener.openToSubmit(shell, usual),
        words);
  }

  /** The place that a server is to own; it may not exist yet. */
  public static String toServe(Shell shell, Arguments arguments) {
    String named = arguments.get(OPTION);
    String store = arguments.get(STORE);
    String given = store == null ? named : store;
    return required(given == null ? defaultName(shell) : given);
  }

  /** Refuses to stop the servers of a database: there may be many, on other machines. */
  public static void requireStoppable(boolean stops, String named) {
    if (stops && PlaceOpener.isDatabase(named)) {
      throw new UsageException(
          "stopping ends the one server of a workspace; a database has any number of them: send"
              + " SIGTERM to each where it runs");
    }
  }

  private static String required(@Nullable String name) {
    if (name == null) {
      throw new UsageException("no workspace: " + REMEDY);
    }
    return name;
  }

  /** The place if the user names none; null if there is no default. */
  public static @Nullable String defaultName(Shell shell) {
    String variable = shell.variable(VARIABLE);
    if (variable != null) {
      return PlaceOpener.isUrl(variable) ? variable : shell.path(variable).toString();
    }
    return PlaceOpener.isWorkspace(shell.directory()) ? shell.directory().toString() : null;
  }

  private static boolean isId(Shell shell, String word) {
    return JobId.isValid(word)
        || uuid(word).isPresent()
        || JobIdLookup.isPart(word) && !Files.exists(shell.path(word));
  }

  /** The id that the HTTP API uses. */
  private static Optional<EntityId> uuid(String word) {
    return EntityId.parse(word).flatMap(EntityId::of);
  }

  /** The word as a whole id. */
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
