package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.UsageException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Drained;
import dev.millrace.server.Server;
import dev.millrace.server.ServerBuilder;
import dev.millrace.server.exec.ExecWorker;
import dev.millrace.store.fs.Workspace;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A server from taking over the workspace to letting go of it. */
final class ServeRun {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");

  /** What a user asks of a server. */
  record Settings(
      Path workspace, Map<String, String> commands, int slots, boolean drain, boolean patient) {}

  private final Settings settings;
  private final Stopping stopping = new Stopping(Thread.currentThread());

  private ServeRun(Settings settings) {
    this.settings = settings;
  }

  static ServeRun of(Shell shell, Arguments given) {
    if (!given.has(ServeCommand.EXEC)) {
      throw new UsageException(
          "nothing to work with: pass --exec TYPE=COMMAND, for example --exec generate='tr a-z"
              + " A-Z'");
    }
    return new ServeRun(
        new Settings(
            Workspaces.forServer(shell, given),
            commands(given.all(ServeCommand.EXEC)),
            slots(shell, given),
            given.has(ServeCommand.DRAIN),
            !given.has(ServeCommand.NO_WAIT)));
  }

  private static Map<String, String> commands(List<String> given) {
    Map<String, String> commands = new LinkedHashMap<>();
    for (String each : given) {
      int equals = each.indexOf('=');
      if (equals < 1 || each.substring(equals + 1).isBlank()) {
        throw new UsageException("--exec must be TYPE=COMMAND, not \"" + each + "\"");
      }
      try {
        String type = StageSpec.requireType(each.substring(0, equals));
        if (commands.put(type, each.substring(equals + 1)) != null) {
          throw new UsageException("--exec names type \"" + type + "\" twice");
        }
      } catch (IllegalArgumentException e) {
        throw new UsageException("--exec: " + e.getMessage());
      }
    }
    return commands;
  }

  private static int slots(Shell shell, Arguments given) {
    for (String variable : new String[] {"MILLRACE_SLOTS", "NRVNA_WORKERS"}) {
      String value = shell.variable(variable);
      if (value != null && !given.has(ServeCommand.SLOTS)) {
        return Arguments.integer(variable, value, 1, 1_000);
      }
    }
    return given.integer(ServeCommand.SLOTS, 1, 1_000, 4);
  }

  int run() throws InterruptedException {
    Workspace workspace = Workspace.open(settings.workspace());
    Takeover takeover = new Takeover(workspace, settings);
    Signals.install(stopping::signal);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, problem) -> LOG.log(Level.ERROR, "thread " + thread.getName() + " died", problem));
    JobStore store; // null: there is nothing to do for us
    try {
      store = takeover.await();
    } catch (InterruptedException e) {
      LOG.log(Level.INFO, "stopped before it owned " + workspace.root());
      return settings.drain() ? ExitCode.FAILED : ExitCode.OK;
    }
    stopping.owning();
    if (store == null) {
      return takeover.status();
    }
    try {
      int status = serve(workspace, store);
      return stopping.forced() ? ExitCode.INTERRUPTED : worst(status, takeover.status());
    } finally {
      store.close();
    }
  }

  private static int worst(int one, int other) {
    return Math.max(one, other);
  }

  private int serve(Workspace workspace, JobStore store) throws InterruptedException {
    workspace.withdraw(); // what a server that died may have left
    ServerBuilder builder = Server.builder(store).slots(settings.slots());
    settings.commands().forEach((type, command) -> builder.worker(new ExecWorker(type, command)));
    Server server = builder.build();
    try {
      server.start();
      stopping.running(server);
      workspace.announce(info());
      LOG.log(
          Level.INFO,
          "ready: workspace "
              + workspace.root()
              + ", types "
              + String.join(", ", settings.commands().keySet())
              + ", slots "
              + settings.slots());
      return settings.drain() ? drain(server) : await(server);
    } finally {
      server.close();
      workspace.withdraw();
      LOG.log(Level.INFO, "stopped");
    }
  }

  private static int await(Server server) throws InterruptedException {
    server.await();
    return ExitCode.OK;
  }

  private static int drain(Server server) throws InterruptedException {
    Drained drained = server.drain();
    return switch (drained) {
      case CLEAN -> {
        LOG.log(Level.INFO, "drained: nothing is left to do");
        yield ExitCode.OK;
      }
      case WITH_FAILURES -> {
        LOG.log(
            Level.WARNING, "drained, but jobs failed; \"millrace jobs --state failed\" lists them");
        yield ExitCode.FAILED;
      }
      case INTERRUPTED -> {
        LOG.log(Level.WARNING, "interrupted while there was work left");
        yield ExitCode.FAILED;
      }
    };
  }

  private JsonObject info() {
    return JsonObject.create()
        .put("pid", ProcessHandle.current().pid())
        .put("types", List.copyOf(settings.commands().keySet()))
        .put("workers", settings.slots())
        .put("started_at", Times.micros(Instant.now()));
  }
}
