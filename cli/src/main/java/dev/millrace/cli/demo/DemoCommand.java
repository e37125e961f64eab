package dev.millrace.cli.demo;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SignalHandlers;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.serve.LocalWorkers;
import dev.millrace.cli.terminal.LiveLines;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.ModelFile;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** {@code millrace demo}: the whole of it in one command, in a workspace of its own. */
public final class DemoCommand implements Command {
  static final Option MODEL =
      Option.value("model", "MODEL", "another model than the one that ships: a GGUF file")
          .letter('m');
  static final Option SLOTS =
      Option.value("slots", "N", "stories that are written at once (default 8)");

  private final Duration moment;
  private final Consumer<IntConsumer> signals;

  public DemoCommand() {
    this(DemoGatePause.LENGTH, SignalHandlers::install);
  }

  /**
   * For tests.
   *
   * @param moment how long the gate stays closed
   * @param signals is given what to call with the number of each signal
   */
  DemoCommand(Duration moment, Consumer<IntConsumer> signals) {
    this.moment = moment;
    this.signals = signals;
  }

  @Override
  public Syntax syntax() {
    return new Syntax(
        "demo",
        List.of("[options]"),
        "Writes eight stories at once and then, behind a gate, names who is in them.",
        List.of(MODEL, SLOTS),
        """
        Starts a server in a new workspace in the directory for temporary files (TMPDIR), shows how
        the job gets on, and stops. The workspace stays; the demo says where it is. The same model
        gives the same stories every time.
        --json prints one object at the end: workspace, id, model, stories (prompt, story,
        characters, receipts), tokens, seconds, tokens_per_second.
        Exit status: 0, 1 if something failed, 2 wrong options, 130 if it was stopped by a signal;
        its job then can go on later.\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) throws IOException, InterruptedException {
    given.requireAtMost(0);
    DemoModel model = DemoModel.of(shell, given.get(MODEL));
    int slots = given.integer(SLOTS, 1, 64, DemoJob.WORDS.size());
    EngineSettings engine = EngineOptions.settings(shell, given).withSlots(slots);
    DemoStopRequest stop = new DemoStopRequest();
    signals.accept(stop::signal);
    ModelFile file = new ModelFile(model.choice().name(), model.choice().file());
    try (LocalWorkers mill =
        LocalWorkers.of(InferenceSettings.of(List.of(file)).withEngine(engine))) {
      return run(shell, given.has(Option.JSON), model, mill, stop);
    }
  }

  /** The demo with any workers. */
  int run(Shell shell, boolean json, DemoModel model, LocalWorkers mill, DemoStopRequest stop)
      throws IOException, InterruptedException {
    if (stop.isRequested()) {
      shell.err().println("Stopped before there was a job.");
      return ExitCode.INTERRUPTED;
    }
    Workspace workspace = Workspace.open(DemoDirectory.create(shell));
    DemoNarration tale =
        json
            ? DemoNarration.silent(model, workspace.root())
            : DemoNarration.to(shell, model, workspace.root());
    tale.begin();
    try {
      DemoRun.Presentation stage =
          new DemoRun.Presentation(shell, tale, screen(shell, json), new DemoGatePause(moment));
      DemoReport report = new DemoRun(workspace, mill, model.context(), stage, stop).run();
      tale.results(report);
      tale.end(report.id());
      if (json) {
        shell.printLine(Json.write(report.json(model.choice().name())));
      }
      return ExitCode.OK;
    } catch (DemoStopRequest.Stopped e) {
      stopped(
          workspace, json ? DemoNarration.onStandardError(shell, model, workspace.root()) : tale);
      return ExitCode.INTERRUPTED;
    } catch (IOException | RuntimeException e) {
      shell.err().println("The demo's workspace stays in " + workspace.root() + ".");
      throw e;
    }
  }

  private static DemoScreen screen(Shell shell, boolean json) {
    if (json) {
      return DemoScreen.NONE;
    }
    LiveLines lines = new LiveLines(shell);
    return lines.isSupported() ? new DemoLiveScreen(shell, lines) : new DemoPlainScreen(shell);
  }

  private static void stopped(Workspace workspace, DemoNarration tale) {
    JobReader reading = workspace.reader();
    for (JobId id : reading.list(JobReader.Query.all())) {
      boolean passed = reading.find(id).map(DemoCommand::passed).orElse(false);
      tale.stopped(id, workspace.directory(id).orElse(workspace.root()), passed);
    }
  }

  /** Whether the second stage has left its gate behind. */
  private static boolean passed(JobView job) {
    StageState state = job.stages().get(DemoJob.CHARACTERS - 1).state();
    return state != StageState.CREATED && state != StageState.WAITING;
  }
}
