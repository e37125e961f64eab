package dev.millrace.cli.move;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.place.MoveStores;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.JobMover;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.MoveReport;
import dev.millrace.core.move.OtherDestinationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code millrace move}: moves all jobs from one store to another. */
public final class MoveCommand implements Command {
  private static final Option DELETE =
      Option.flag(
          "delete",
          "delete the jobs in FROM that have moved to TO (else they\nstay in its \"moved\")");
  private static final Option DRY =
      Option.flag("dry-run", "change nothing, print what would move and what would stay");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "move",
        List.of("FROM TO [options]"),
        "Moves all jobs to another store: a workspace's directory or a postgresql:// address.",
        List.of(DELETE, DRY),
        "FROM must not be served. If the command is interrupted, run it again: it continues, and no"
            + " job\nruns twice. Jobs that cannot move stay in FROM, with the reason.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    if (given.words().size() != 2) {
      throw new UsageException("give two stores: FROM and TO");
    }
    String from = given.words().getFirst();
    String to = given.words().getLast();
    requireStore(from);
    requireStore(to);
    requireDifferent(shell, from, to);
    boolean json = given.has(Option.JSON);
    if (given.has(DRY)) {
      return new MoveDryRun(shell, json).run(from, to);
    }
    MoveProgress progress = new MoveProgress(shell);
    try (MoveStores stores = new MoveStores()) {
      MovableStore source = stores.from(shell, from);
      MovableStore target = stores.to(shell, to, source);
      MoveReport report = new JobMover(source, target, progress).run(given.has(DELETE));
      progress.end();
      print(shell, report, json);
      return report.left().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    } catch (OtherDestinationException e) {
      throw new CommandException(
          e.getMessage()
              + "; "
              + SuggestedCommand.of("move").with(e.from(), e.to()).to("finishes it")
              + ", "
              + SuggestedCommand.of("move").with(e.to(), e.from()).to("takes them back"));
    } finally {
      progress.end();
    }
  }

  private static void requireStore(String named) {
    if (PlaceOpener.isUrl(named) && !PlaceOpener.isDatabase(named)) {
      throw new UsageException(
          named
              + " is a server's URL; a move needs the store itself: give the directory of the"
              + " workspace, or the postgresql:// address of the database");
    }
  }

  /** Two names of one directory would wait for each other's lock. */
  private static void requireDifferent(Shell shell, String from, String to) {
    if (PlaceOpener.isUrl(from) || PlaceOpener.isUrl(to)) {
      return;
    }
    Path one = shell.path(from);
    Path other = shell.path(to);
    try {
      if (one.equals(other)
          || Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other)) {
        throw new CommandException(from + " and " + to + " are the same directory");
      }
    } catch (IOException e) {
      throw new CommandException("cannot look at " + from + " and " + to + ": " + e.getMessage());
    }
  }

  private static void print(Shell shell, MoveReport report, boolean json) {
    if (json) {
      JsonObject left = JsonObject.create();
      report.left().forEach((id, why) -> left.put(id.value(), why));
      shell.printLine(
          Json.write(
              JsonObject.create()
                  .put("moved", report.moved())
                  .put("alreadyThere", report.alreadyThere())
                  .put("takenBack", report.takenBack())
                  .put("deleted", report.deleted())
                  .put("left", left)));
      return;
    }
    report.left().forEach((id, why) -> shell.err().println("stays: " + id + ": " + why));
    shell.err().flush();
    shell.printLine(
        "moved "
            + jobs(report.moved())
            + also(report.alreadyThere(), "were there from an earlier move")
            + also(report.takenBack(), "were taken back on their way")
            + also(report.deleted(), "deleted")
            + also(report.left().size(), "stay"));
  }

  private static String also(long count, String what) {
    return count == 0 ? "" : ", " + count + " " + what;
  }

  private static String jobs(long count) {
    return count + (count == 1 ? " job" : " jobs");
  }
}
