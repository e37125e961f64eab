package dev.millrace.cluster.internal.transfer;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Reports the progress of a fetch, to the log and to a listener. One thread at a time. */
final class FetchProgress {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final ModelFetch.WantedModel wanted;
  private final String model; // without control characters
  private final LongSupplier clock;
  private final Consumer<String> listener;
  private final long began;
  private long last; // when the last report was
  private String peer = "";

  /**
   * @param listener gets the progress as text
   */
  FetchProgress(ModelFetch.WantedModel wanted, LongSupplier clock, Consumer<String> listener) {
    this.wanted = wanted;
    this.model = wanted.model().replaceAll("\\p{Cntrl}", "?");
    this.clock = clock;
    this.listener = listener;
    this.began = clock.getAsLong();
    this.last = began;
  }

  /** Another process on this machine is fetching the model. */
  void waitingForOtherProcess() {
    log("%s is being fetched by another process with this cache; waiting for it", model);
    listener.accept("another process with this cache is fetching it");
  }

  /** A peer is asked; so many bytes are here. */
  void askingPeer(String name, long done) {
    if (!name.equals(peer)) {
      peer = name;
      String here = done == 0 ? "" : "; %s are here already".formatted(humanBytes(done));
      log("fetching %s, %s, from %s%s", model, humanBytes(wanted.bytes()), name, here);
      listener.accept(percent(done));
    }
  }

  /** So many bytes are here now. */
  void received(long done) {
    long now = clock.getAsLong();
    if (now - last >= PAUSE.toNanos()) {
      last = now;
      log("fetching %s from %s: %s", model, peer, percent(done));
      listener.accept(percent(done));
    }
  }

  void finished() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(clock.getAsLong() - began);
    log("fetched %s, %s, in %d s", model, humanBytes(wanted.bytes()), seconds);
  }

  private String percent(long done) {
    return "%d %% of %s are here"
        .formatted(100 * done / wanted.bytes(), humanBytes(wanted.bytes()));
  }

  private static String humanBytes(long bytes) {
    return bytes >= 1 << 20 ? (bytes >> 20) + " MiB" : Math.ceilDiv(bytes, 1024) + " KiB";
  }

  private static void log(String format, Object... values) {
    LOG.log(Level.INFO, () -> format.formatted(values));
  }
}
