package dev.millrace.cli.serve;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.EnvironmentVariables;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.cluster.NodeSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What {@code millrace serve} was asked to do.
 *
 * @param drain whether to stop when nothing is left to do
 * @param warmUp whether to warm up a model before the server is ready
 * @param waitForOwner whether to wait for a workspace that another server owns
 * @param retain how long ended jobs are kept; null: for ever
 * @param stopTimeout how long a stop may take
 * @param http how it answers over HTTP; null: it does not
 * @param layers layers that it holds for the network beside its end model; null: none
 */
record ServeSettings(
    OwnablePlace place,
    ServeWorkerSettings workers,
    boolean drain,
    boolean warmUp,
    boolean waitForOwner,
    @Nullable Duration retain,
    Duration stopTimeout,
    @Nullable ServeHttpSettings http,
    @Nullable NodeSettings layers) {

  /** The HTTP API gives a meaning of its own to this type. */
  private static final String PIPELINE = "pipeline";

  private static final int DEFAULT_STOP_SECONDS = 30;

  static ServeSettings of(Shell shell, Arguments given, @Nullable NodeSettings layers) {
    ServeWorkerSettings workers = ServeWorkerSettings.of(shell, given);
    ServeHttpSettings http = ServeHttpSettings.of(shell, given);
    if (http != null && workers.commands().containsKey(PIPELINE)) {
      throw new UsageException(
          "--exec pipeline=…: \"pipeline\" is how the HTTP API names a whole job; name another"
              + " type, or pass --no-http");
    }
    return new ServeSettings(
        PlaceOpener.openToServe(shell, PlaceLocator.toServe(shell, given), given),
        workers,
        given.has(ServeCommand.DRAIN),
        !given.has(ServeCommand.DRAIN) && warmsUp(shell, given),
        !given.has(ServeCommand.NO_WAIT),
        given.duration(ServeCommand.RETAIN),
        Duration.ofSeconds(
            given.integer(ServeCommand.STOP_TIMEOUT, 1, 86_400, DEFAULT_STOP_SECONDS)),
        http,
        layers);
  }

  /** A drain does not warm up: its work is what is asked for, and warms the model up as well. */
  private static boolean warmsUp(Shell shell, Arguments given) {
    Boolean variable = new EnvironmentVariables(shell).flag("WARMUP");
    return !given.has(ServeCommand.NO_WARMUP) && (variable == null || variable);
  }
}
