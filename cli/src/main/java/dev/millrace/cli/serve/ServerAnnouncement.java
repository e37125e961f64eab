package dev.millrace.cli.serve;

import dev.millrace.cli.format.PipeWaitText;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Announces a server to other processes: its settings, and which of its models wait for a pipe. The
 * announcement is kept current until it is closed.
 */
final class ServerAnnouncement implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  private final OwnablePlace place;
  private @Nullable Thread looking;

  ServerAnnouncement(OwnablePlace place) {
    this.place = place;
  }

  /**
   * @param waiting why a model cannot be used now, by its name; null if none ever waits
   */
  void begin(JsonObject info, @Nullable Supplier<Map<String, String>> waiting) {
    Map<String, String> first = waiting == null ? Map.of() : waiting.get();
    announce(info, first);
    if (waiting != null) {
      looking =
          MonitoredThreads.virtualWork()
              .name("announcement")
              .start(() -> watch(info, waiting, first));
    }
  }

  private void watch(
      JsonObject info, Supplier<Map<String, String>> waiting, Map<String, String> first) {
    Map<String, String> last = first;
    try {
      while (true) {
        Thread.sleep(POLL_INTERVAL);
        Map<String, String> now = waiting.get();
        if (!now.equals(last) && announced(info, now)) {
          last = now;
        }
      }
    } catch (InterruptedException e) {
      LOG.log(Level.TRACE, "announcements ended", e);
    }
  }

  private boolean announced(JsonObject info, Map<String, String> waiting) {
    try {
      announce(info, waiting);
      return true;
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "cannot announce the waiting models; trying again", e);
      return false;
    }
  }

  private void announce(JsonObject info, Map<String, String> waiting) {
    JsonObject all = JsonObject.create();
    info.values().forEach(all::put);
    place.announce(all.putIfPresent(PipeWaitText.FIELD, waiting.isEmpty() ? null : waiting));
  }

  /** Withdraws it at the end of a server, where a disk that takes no writes is no reason to fail. */
  static void withdraw(OwnablePlace place) {
    try {
      place.withdraw();
    } catch (StoreException e) {
      LOG.log(
          Level.WARNING,
          "what this server said of itself stays there, which is harmless: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    Thread thread = looking;
    boolean interrupted = false;
    while (thread != null && thread.isAlive()) {
      try {
        thread.interrupt();
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    withdraw(place);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
