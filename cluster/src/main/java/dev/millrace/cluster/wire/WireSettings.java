package dev.millrace.cluster.wire;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of what crosses the wire.
 *
 * @param patience a link without a byte for so long is lost; each side pings five times as often
 * @param greeting what connecting, the handshake and hello may take, each
 * @param queueBytes that wait for one node before senders wait
 * @param links with so many nodes at the most, further ones are refused
 * @param calls answered at the same time
 * @param callPatience how long an answered call may stand still
 * @param advertise where others reach us; null where that is the address that we listen on
 */
public record WireSettings(
    Duration patience,
    Duration greeting,
    long queueBytes,
    int links,
    int calls,
    Duration callPatience,
    @Nullable HostPort advertise) {
  public static final WireSettings DEFAULTS =
      new WireSettings(
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          64 << 20,
          1_024,
          64,
          Duration.ofMinutes(1),
          null);

  public WireSettings withPatience(Duration patience) {
    return new WireSettings(patience, greeting, queueBytes, links, calls, callPatience, advertise);
  }

  public WireSettings withQueueBytes(long queueBytes) {
    return new WireSettings(patience, greeting, queueBytes, links, calls, callPatience, advertise);
  }

  public WireSettings withLinks(int links) {
    return new WireSettings(patience, greeting, queueBytes, links, calls, callPatience, advertise);
  }

  public WireSettings withGreeting(Duration greeting) {
    return new WireSettings(patience, greeting, queueBytes, links, calls, callPatience, advertise);
  }

  public WireSettings withAdvertise(@Nullable HostPort advertise) {
    return new WireSettings(patience, greeting, queueBytes, links, calls, callPatience, advertise);
  }
}
