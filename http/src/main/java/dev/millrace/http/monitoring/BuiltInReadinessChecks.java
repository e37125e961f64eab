package dev.millrace.http.monitoring;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.http.auth.ApiKeys;
import dev.millrace.server.Server;
import dev.millrace.server.ServerState;
import dev.millrace.server.ServerStatus;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The readiness checks of every server: its store works, it accepts tasks, its threads live, its
 * keys can be read. They only read what is known: anyone may ask, as often as they like.
 */
public final class BuiltInReadinessChecks {
  private BuiltInReadinessChecks() {}

  /** The store can keep what it is given, as it found out by itself. */
  public static ReadinessCheck store(JobStore store) {
    return ReadinessCheck.of(
        "store", () -> Optional.ofNullable(store.health().trouble()).map(Trouble::text));
  }

  /** No thread of this process has died that the server needs. */
  public static ReadinessCheck threads() {
    return ReadinessCheck.of(
        "threads",
        () -> {
          int dead = MonitoredThreads.dead().size();
          return dead == 0
              ? Optional.empty()
              : Optional.of(
                  dead
                      + (dead == 1 ? " thread has" : " threads have")
                      + " died; the server's log says which and why; restart the server");
        });
  }

  /**
   * The file of API keys can be relied on.
   *
   * @param keys null: there are none
   */
  public static ReadinessCheck keys(@Nullable ApiKeys keys) {
    return ReadinessCheck.of("keys", () -> keys == null ? Optional.empty() : keys.trouble());
  }

  /**
   * The server has started, is ready, and takes new tasks.
   *
   * @param servers the server; null before there is one
   * @param starting what it still does before it is ready; empty: nothing
   */
  public static ReadinessCheck server(
      Supplier<@Nullable Server> servers, Supplier<Optional<String>> starting) {
    return ReadinessCheck.of(
        "server",
        () -> {
          Optional<String> present = starting.get();
          Server server = servers.get();
          if (present.isPresent() || server == null) {
            return present.or(() -> Optional.of("it is starting"));
          }
          ServerStatus status = server.status();
          if (status.problem() != null) {
            return Optional.of("the store is broken and the server stops; restart it");
          }
          return status.state() == ServerState.RUNNING
              ? Optional.empty()
              : Optional.of("it is " + status.state());
        });
  }
}
