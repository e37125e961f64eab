package dev.millrace.http.live;

import dev.millrace.server.RunningTask;
import dev.millrace.server.Server;
import dev.millrace.server.infer.InferenceStats;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server and its models, which may come after the routes. Thread-safe.
 *
 * @param server gives null while there is none
 * @param models gives null while there are none
 */
public record ServerAccess(
    Supplier<@Nullable Server> server, Supplier<@Nullable InferenceStats> models) {

  /** No server: all work is done elsewhere. */
  public static final ServerAccess NONE = new ServerAccess(() -> null, () -> null);

  List<RunningTask> runningTasks() {
    Server present = server.get();
    return present == null ? List.of() : present.runningTasks();
  }

  long journaledTokens() {
    Server present = server.get();
    return present == null ? 0 : present.journaledTokens();
  }
}
