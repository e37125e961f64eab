package dev.millrace.cluster.internal.transfer;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Says how a fetch goes on: in the log, and to the one who wants it. One thread at a time. */
final class FetchProgress {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final ModelFetch.WantedModel wanted;
  private final String model; // as it may stand in a line
  private final LongSupplier clock;
  private final Consumer<String> told;
  private final long began;
  private long last; // when something was said
  private String peer = "";

  /**
   * @param told where percentages go
   */
  FetchProgress(ModelFetch.WantedModel wanted, LongSupplier clock, Consumer<String> told) {
    this.wanted = wanted;
    this.model = wanted.model().replaceAll("\\p{Cntrl}", "?");
    this.clock = clock;
    this.told = told;
    this.began = clock.getAsLong();
    this.last = began;
  }

  /** Somebody else on this machine is fetching it. */
  void waitingForOtherProcess() {
    say("%s is being fetched by another node with this cache; waiting for it", model);
    told.accept("another node with this cache is fetching it");
  }

  /** A peer is asked; so many bytes are here. */
  void askingPeer(String name, long done) {
    if (!name.equals(peer)) {
      peer = name;
      String here = done == 0 ? "" : "; %s are here already".formatted(text(done));
      say("fetching %s, %s, from %s%s", model, text(wanted.bytes()), name, here);
      told.accept(percent(done));
    }
  }

  /** So many bytes are here now. */
  void received(long done) {
    long now = clock.getAsLong();
    if (now - last >= PAUSE.toNanos()) {
      last = now;
      say("fetching %s from %s: %s", model, peer, percent(done));
      told.accept(percent(done));
    }
  }

  void finished() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(clock.getAsLong() - began);
    say("fetched %s, %s, in %d s", model, text(wanted.bytes()), seconds);
  }

  private String percent(long done) {
    return "%d %% of %s are here".formatted(100 * done / wanted.bytes(), text(wanted.bytes()));
  }

  private static String text(long bytes) {
    return bytes >= 1 << 20 ? (bytes >> 20) + " MiB" : Math.ceilDiv(bytes, 1024) + " KiB";
  }

  private static void say(String format, Object... values) {
    LOG.log(Level.INFO, () -> format.formatted(values));
  }
}
