package dev.millrace.cli.demo;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SignalHandlers;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.cli.serve.LocalWorkers;
import dev.millrace.cli.terminal.LiveLines;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** {@code millrace demo}: runs a job with two stages in a new workspace and explains it. */
public final class DemoCommand implements Command {
  static final Option MODEL =
      Option.value("model", "MODEL", "another model than the bundled one, named as for \"serve\"")
          .letter('m');
  static final Option SLOTS =
      Option.value("slots", "N", "stories that are generated at once (default 8)");

  static final Option OPEN =
      Option.flag("open", "serve the page that shows it, in a browser, until Ctrl-C");

  private final Duration gatePause;
  private final Consumer<IntConsumer> signals;

  public DemoCommand() {
    this(DemoGatePause.LENGTH, SignalHandlers::install);
  }

  /**
   * For tests.
   *
   * @param gatePause how long the gate stays closed
   * @param signals receives the handler to call with the number of each signal
   */
  DemoCommand(Duration gatePause, Consumer<IntConsumer> signals) {
    this.gatePause = gatePause;
    this.signals = signals;
  }

  @Override
  public Syntax syntax() {
    return new Syntax(
        "demo",
        List.of("[options]"),
        "Generates eight stories at once and then, behind a gate, names their characters.",
        List.of(MODEL, SLOTS, OPEN),
        """
        Starts a server in a new workspace in the directory for temporary files (TMPDIR), shows the
        progress of the job, and stops. The workspace remains; the demo prints where it is. The same
        model gives the same stories every time.
        --open prints the address of a page on this machine, opens a browser if there is a screen,
        and keeps the server until Ctrl-C.
        --json prints one object at the end: workspace, id, model, stories (prompt, story,
        characters, receipts), tokens, seconds, tokens_per_second.
        Exit status: 0, 1 if something failed, 2 wrong options, 130 if it was stopped by a signal;
        the job can then be resumed later.\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) throws IOException, InterruptedException {
    given.requireAtMost(0);
    int slots = given.integer(SLOTS, 1, 64, DemoJob.WORDS.size());
    DemoModel model = DemoModel.of(shell, given.get(MODEL));
    EngineSettings engine = EngineOptions.settings(shell, given).withSlots(slots);
    DemoStopRequest stop = new DemoStopRequest();
    signals.accept(stop::signal);
    NamedModel named = new NamedModel(model.choice().name(), model.choice().file());
    try (LocalWorkers workers =
        LocalWorkers.of(InferenceSettings.of(List.of(named)).withEngine(engine))) {
      Manner manner = new Manner(given.has(Option.JSON), given.has(OPEN));
      return run(shell, manner, model, workers, stop);
    }
  }

  /**
   * How the demo is presented.
   *
   * @param json whether it prints one object instead of its narration
   * @param open whether it serves its page
   */
  record Manner(boolean json, boolean open) {}

  /** Runs the demo with these workers. */
  int run(Shell shell, Manner manner, DemoModel model, LocalWorkers workers, DemoStopRequest stop)
      throws IOException, InterruptedException {
    if (stop.isRequested()) {
      shell.err().println("Stopped before there was a job.");
      return ExitCode.INTERRUPTED;
    }
    OwnablePlace place = PlaceOpener.openToServe(shell, DemoDirectory.create(shell).toString());
    Path directory = Path.of(place.location());
    boolean json = manner.json();
    DemoNarration narration =
        json ? DemoNarration.silent(model, directory) : DemoNarration.to(shell, model, directory);
    DemoNarration beside =
        json ? DemoNarration.onStandardError(shell, model, directory) : narration;
    narration.begin();
    try {
      DemoRun.Presentation stage =
          new DemoRun.Presentation(
              shell,
              narration,
              screen(shell, json),
              new DemoGatePause(gatePause),
              manner.open() ? new DemoPage(shell, beside, stop) : null);
      DemoReport report = new DemoRun(place, workers, model.context(), stage, stop).run();
      narration.end(report.id());
      if (json) {
        shell.printLine(Json.write(report.json(model.choice().name())));
      }
      return ExitCode.OK;
    } catch (DemoStopRequest.Stopped e) {
      stopped(place, beside);
      return ExitCode.INTERRUPTED;
    } catch (IOException | RuntimeException e) {
      shell.err().println("The demo's workspace stays in " + directory + ".");
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

  private static void stopped(OwnablePlace place, DemoNarration narration) {
    JobReader reader = place.reader();
    for (JobId id : reader.list(JobReader.Query.all())) {
      boolean passed = reader.find(id).map(DemoCommand::passed).orElse(false);
      narration.stopped(id, DemoDirectory.of(place, id), passed);
    }
  }

  /** Whether the second stage has passed its gate. */
  private static boolean passed(JobView job) {
    StageState state = job.stages().get(DemoJob.CHARACTERS - 1).state();
    return state != StageState.CREATED && state != StageState.WAITING;
  }
}
