package dev.millrace.cli.serve;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SignalHandlers;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.ApprovalText;
import dev.millrace.cli.log.JGroupsLogging;
import dev.millrace.cli.log.Log;
import dev.millrace.cli.model.InferenceOpener;
import dev.millrace.cli.model.PipeModel;
import dev.millrace.cli.options.GenerationDefaults;
import dev.millrace.cli.options.InferenceOptions;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.UnfinishedMoves;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.NodeSettings;
import dev.millrace.cluster.node.LayerNode;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.DrainResult;
import dev.millrace.server.Server;
import dev.millrace.server.ServerBuilder;
import dev.millrace.server.exec.ExecLimits;
import dev.millrace.server.exec.RunningPrograms;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.server.joblog.JobLog;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs a server: takes over the workspace, loads models, serves, and releases the workspace. */
final class ServeRun {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");

  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  /** A large model is compiled within its first tokens, which may take as long. */
  private static final Duration WARM_UP_TIME = Duration.ofSeconds(20);

  private final ServeSettings settings;
  private final String ifOwned;
  private final StartupPhase phase = new StartupPhase();
  private final GracefulShutdown stopping;
  private volatile @Nullable ServeFrontend present;

  private ServeRun(ServeSettings settings, String ifOwned) {
    this.settings = settings;
    this.ifOwned = ifOwned;
    this.stopping = new GracefulShutdown(Thread.currentThread(), settings.stopTimeout());
  }

  /**
   * A server with these options of {@code serve}.
   *
   * @param ifOwned what to do about another owner, by the names of the command that was typed
   */
  static ServeRun of(Shell shell, Arguments given, @Nullable NodeSettings layers, String ifOwned) {
    if ("json".equals(given.get(ServeCommand.LOG_FORMAT))) {
      Log.useJson();
    }
    ServeRun run = new ServeRun(ServeSettings.of(shell, given, layers), ifOwned);
    if (!shell.terminal().isTerminal(Shell.Terminal.OUT)) { // else it ends with its terminal
      SignalHandlers.onHangup(run::reopenLogs);
    }
    GenerationDefaults.unused(shell).forEach(line -> LOG.log(Level.WARNING, line));
    return run;
  }

  int run() throws InterruptedException {
    OwnablePlace place = settings.place();
    InferenceSettings inference = settings.workers().inference();
    if (inference != null) {
      InferenceOptions.requireReadable(inference.models());
    }
    WorkspaceTakeover takeover = new WorkspaceTakeover(place, settings, ifOwned);
    SignalHandlers.install(stopping::signal);
    Thread.setDefaultUncaughtExceptionHandler(MonitoredThreads::workDied); // of libraries
    JobStore store; // null: nothing to do
    try {
      store = takeover.await();
    } catch (InterruptedException e) {
      LOG.log(Level.INFO, "stopped while waiting for workspace " + place.location());
      return settings.drain() ? ExitCode.FAILED : ExitCode.OK;
    }
    stopping.workspaceOwned();
    if (store == null) {
      return takeover.status();
    }
    try {
      int status = serve(place, store);
      return stopping.isForced() ? ExitCode.INTERRUPTED : worst(status, takeover.status());
    } finally {
      store.close();
    }
  }

  private void reopenLogs() {
    ServeFrontend frontend = present;
    boolean reopened = frontend != null && frontend.reopenLog();
    LOG.log(
        Level.INFO,
        reopened ? "SIGHUP: the access log is opened again" : "SIGHUP: there is no file to reopen");
  }

  private static int worst(int one, int other) {
    return Math.max(one, other);
  }

  /** The parts of a server that are there before its models are. */
  private record Context(
      OwnablePlace place, JobStore store, JobLog log, ServeFrontend frontend, JsonObject info) {}

  private int serve(OwnablePlace place, JobStore store) throws InterruptedException {
    place.withdraw(); // a server that died may have left an announcement
    UnfinishedMoves.of(place.location(), place::forEachTakenOut)
        .lines()
        .forEach(line -> LOG.log(Level.WARNING, line));
    programs(place).endLeftOver(ExecLimits.DEFAULT.grace());
    JsonObject info = settings.workers().info();
    place.announceStart(info);
    try (ServeFrontend frontend = ServeFrontend.of(settings, store);
        JobLog log = JobLog.of(store);
        JobRetention _ = JobRetention.start(store, settings.retain())) {
      present = frontend;
      stopping.listening(frontend::running);
      String at = frontend.open(phase); // before anything is loaded or claimed: it may fail
      if (at != null) {
        place.announceStart(info.put("http", at));
        LOG.log(Level.INFO, "the page to look at it: " + at + "/");
      }
      return load(new Context(place, store, log, frontend, info));
    } finally {
      ServerAnnouncement.withdraw(place);
    }
  }

  private static RunningPrograms programs(OwnablePlace place) {
    return RunningPrograms.in(place.programs());
  }

  private int load(Context context) throws InterruptedException {
    InferenceSettings models = settings.workers().inference();
    if (models == null) {
      return serve(context, null);
    }
    NamedModel first = models.models().getFirst();
    Object at = context.info.get("http");
    LOG.log(
        Level.INFO,
        "loading "
            + first.name()
            + " from "
            + first.file()
            + (at == null ? "" : "; " + at + " takes jobs"));
    phase.loading(first.name());
    stopping.loadingStarted(
        settings.drain() ? ExitCode.FAILED : ExitCode.OK,
        () -> {
          context.frontend.close();
          ServerAnnouncement.withdraw(context.place);
        });
    try (LayerNode node = startLayers();
        PipeModel pipe = settings.workers().pipe();
        Inference inference = InferenceOpener.open(models)) {
      stopping.loadingFinished();
      if (node != null) {
        LOG.log(Level.INFO, "layers: node {0} at {1}", node.name(), node.address());
      }
      if (pipe != null) {
        pipe.logWhenReady();
      }
      return serve(context, inference);
    }
  }

  /** Joins the network with the layers first: the model's end joins them. */
  private @Nullable LayerNode startLayers() {
    NodeSettings layers = settings.layers();
    if (layers == null) {
      return null;
    }
    JGroupsLogging.silence();
    try {
      return LayerNode.start(layers);
    } catch (ClusterException e) {
      throw new CommandException(SanitizedText.line(e.getMessage(), 1000));
    }
  }

  private int serve(Context context, @Nullable Inference inference) throws InterruptedException {
    Server server = server(context, inference);
    OwnablePlace place = context.place;
    try (ServerAnnouncement announcement = new ServerAnnouncement(place);
        ServeFrontend frontend = context.frontend) {
      frontend.attach(server, inference);
      server.start();
      stopping.serverStarted(server);
      if (inference != null && settings.warmUp()) {
        warmUp(inference);
      }
      PipeModel pipe = settings.workers().pipe();
      if (stopping.isStopping()) {
        return settings.drain() ? drain(context, server, pipe) : await(server);
      }
      phase.ready();
      announcement.begin(context.info, pipe == null ? null : () -> waitReasons(pipe));
      Object at = context.info.get("http");
      LOG.log(
          Level.INFO,
          "ready: workspace "
              + place.location()
              + ", "
              + settings.workers().text()
              + (at == null ? "" : ", " + at));
      return settings.drain() ? drain(context, server, pipe) : await(server);
    } finally {
      server.close();
      context.log.close();
      stopping.logStopped(server, context.frontend.unanswered());
    }
  }

  private Server server(Context context, @Nullable Inference inference) {
    ServerBuilder builder = Server.builder(context.store).slots(settings.workers().slots());
    settings.workers().programs(programs(context.place)).forEach(builder::worker);
    if (inference != null) {
      builder.group(inference.slots(), inference.workers());
    }
    return builder
        .listener(context.frontend.listener())
        .listener(context.log.taskListener())
        .build();
  }

  /** Jobs are processed meanwhile, and warm the model up in place of made-up tokens. */
  private void warmUp(Inference inference) throws InterruptedException {
    phase.warmingUp(settings.workers().modelNames().iterator().next());
    long start = System.nanoTime();
    inference.warmUp(WARM_UP_TIME, stopping::isStopping);
    LOG.log(
        Level.DEBUG,
        () -> "warm-up ended after " + (System.nanoTime() - start) / 1_000_000 + " ms");
  }

  private static Map<String, String> waitReasons(PipeModel pipe) {
    String why = pipe.ready() ? "" : pipe.waitReason();
    return why.isEmpty() ? Map.of() : Map.of(pipe.name(), why);
  }

  private static int await(Server server) throws InterruptedException {
    server.await();
    return ExitCode.OK;
  }

  private int drain(Context context, Server server, @Nullable PipeModel pipe)
      throws InterruptedException {
    while (pipe != null && !pipe.ready() && !stopping.isStopping()) {
      // Without a pipe nothing is claimed, and the drain would end at once.
      Thread.sleep(POLL_INTERVAL);
    }
    DrainResult drained = server.drain();
    context.log.close(); // its last lines come first
    if (drained != DrainResult.INTERRUPTED) {
      logWaiting(context);
    }
    return switch (drained) {
      case CLEAN -> {
        LOG.log(Level.INFO, "drained: nothing is left to do");
        yield ExitCode.OK;
      }
      case WITH_FAILURES -> {
        LOG.log(
            Level.WARNING,
            "drained, but jobs failed; "
                + SuggestedCommand.of("jobs")
                    .on(settings.place().name())
                    .with("--state", "failed")
                    .to("lists them"));
        yield ExitCode.FAILED;
      }
      case INTERRUPTED -> {
        LOG.log(Level.WARNING, "interrupted before all jobs were processed");
        yield ExitCode.FAILED;
      }
    };
  }

  private static void logWaiting(Context context) {
    List<JobId> waiting = ApprovalText.waiting(context.store);
    if (!waiting.isEmpty()) {
      String place = context.place.name();
      LOG.log(Level.INFO, ApprovalText.summary(place, context.store, waiting));
    }
  }
}
