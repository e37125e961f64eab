package dev.millrace.cli.doctor;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.log.DatabaseLogging;
import dev.millrace.cli.model.MachineMemory;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.cli.place.UnfinishedMoves;
import dev.millrace.cli.serve.HttpOptions;
import dev.millrace.cli.terminal.Colour;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.Workspace;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code millrace doctor}: checks this machine and a workspace, and says how to fix problems. */
public final class DoctorCommand implements Command {
  private static final Option PORT =
      Option.wholeNumber(
          "port", "N", "check this port for HTTP (default " + HttpOptions.USUAL_PORT + ")");

  /** Unlike other commands, it looks at files: a server's URL is refused. */
  private static final Option WORKSPACE =
      Option.value(
              PlaceLocator.OPTION.name(),
              "DIR",
              "the workspace, or the address of a database; else a\n"
                  + "leading argument, else MILLRACE_WORKSPACE, else the\n"
                  + "current directory")
          .letter('d');

  @Override
  public Syntax syntax() {
    return new Syntax(
        "doctor",
        List.of("[DIR] [options]"),
        "Checks this machine and the workspace DIR, and says what to do. Leaves nothing behind.",
        List.of(WORKSPACE, PORT),
        "Checks Java, models, memory, the width of vectors, the port, the file system and the\n"
            + "workspace. Each line is ok, warn or fail. Exit status: 0, or 1 if anything failed.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    String place = place(shell, given);
    boolean database = place != null && PlaceOpener.isDatabase(place);
    Path workspace = place == null || database ? null : PlaceOpener.directory(shell, place);
    Findings findings = new Findings();
    ClockCheck clock = ClockCheck.begin();
    new JvmCheck().run(findings);
    new WatchLimitsCheck().run(findings);
    machine(shell, given, workspace, findings);
    if (database) {
      PostgresSettings settings = settings(shell, place);
      DatabaseLogging.silence();
      findings.guardAdvised("database", () -> new DatabaseCheck(settings).run(findings));
    } else if (workspace == null) {
      findings.ok("workspace", "none named, none in this directory: only the machine was checked");
    } else if (!Files.isDirectory(workspace)) {
      findings.fail(
          "workspace",
          workspace + " is not a directory",
          SuggestedCommand.of("work")
              .on(workspace.toString())
              .with(SuggestedCommand.PROMPT)
              .to("creates a workspace there"));
    } else {
      findings.guard("places", () -> new DirectoriesCheck(workspace).run(findings));
      findings.guard("access", () -> new AccessCheck(workspace).run(findings));
      findings.guard("disk", () -> new DiskCheck(workspace).run(findings));
      findings.guard("sync", () -> new FsyncCheck(workspace).run(findings));
      findings.guard("owner", () -> new OwnerCheck(workspace).run(findings));
      findings.guard("entries", () -> new StrayEntriesCheck(workspace).run(findings));
      findings.guard("moves", () -> moves(workspace, findings));
      boolean all = given.has(Option.JSON);
      findings.guard("jobs", () -> new UnreadableJobsCheck(workspace, all).run(findings));
      findings.guard("logs", () -> new JobLogsCheck(workspace).run(findings));
    }
    findings.guard("clock", () -> clock.end(workspace, findings));
    print(shell, findings, given.has(Option.JSON));
    return findings.failed() ? ExitCode.FAILED : ExitCode.OK;
  }

  private static void moves(Path workspace, Findings findings) {
    if (!Files.isDirectory(workspace.resolve("moved"))) {
      findings.ok("moves", "no job was ever moved to another store");
      return;
    }
    Workspace.existing(workspace)
        .map(it -> UnfinishedMoves.of(workspace.toString(), it::forEachTakenOut))
        .ifPresent(found -> new UnfinishedMovesCheck(found).run(findings));
  }

  private static void machine(
      Shell shell, Arguments given, @Nullable Path workspace, Findings findings) {
    MachineMemory memory = MachineMemory.read();
    new VectorCheck().run(findings);
    findings.guard("kernels", () -> new KernelCheck().run(findings));
    new MemoryCheck(memory).run(findings);
    new ModelsCheck(shell, memory).run(findings);
    int port = given.integer(PORT, 1, 65_535, HttpOptions.USUAL_PORT);
    findings.guard(
        "port",
        () ->
            new PortCheck(port, given.has(PORT), OwnerCheck.httpAddress(workspace)).run(findings));
  }

  private static PostgresSettings settings(Shell shell, String url) {
    try {
      return PostgresSettings.parse(url, shell.environment());
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static @Nullable String place(Shell shell, Arguments given) {
    String named = given.get(WORKSPACE);
    given.requireAtMost(named == null ? 1 : 0);
    if (named == null && !given.words().isEmpty()) {
      named = given.words().getFirst();
    }
    return named == null ? PlaceLocator.defaultName(shell) : named;
  }

  private static void print(Shell shell, Findings findings, boolean json) {
    for (Finding finding : findings.all()) {
      String level = finding.level().name().toLowerCase(Locale.ROOT);
      if (json) {
        shell
            .out()
            .println(
                Json.write(
                    JsonObject.create()
                        .put("check", finding.subject())
                        .put("level", level)
                        .put("text", finding.text())
                        .putIfPresent("remedy", finding.remedy())));
        continue;
      }
      Colour colour =
          switch (finding.level()) {
            case OK -> Colour.GREEN;
            case WARN -> Colour.YELLOW;
            case FAIL -> Colour.RED;
          };
      String shown = shell.colourful() ? colour.of(level) : level;
      shell
          .out()
          .println(
              shown + " ".repeat(6 - level.length()) + finding.subject() + ": " + finding.text());
      if (finding.remedy() != null) {
        shell.out().println("      -> " + finding.remedy());
      }
    }
  }
}
