package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.HostPort;
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
public record ConnectionSettings(
    Duration linkTimeout,
    Duration helloTimeout,
    long queueBytes,
    int maxLinks,
    int maxCalls,
    Duration callTimeout,
    @Nullable HostPort advertise) {
  public static final ConnectionSettings DEFAULTS =
      new ConnectionSettings(
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          64 << 20,
          1_024,
          64,
          Duration.ofMinutes(1),
          null);

  public ConnectionSettings withLinkTimeout(Duration patience) {
    return new ConnectionSettings(
        patience, helloTimeout, queueBytes, maxLinks, maxCalls, callTimeout, advertise);
  }

  public ConnectionSettings withQueueBytes(long queueBytes) {
    return new ConnectionSettings(
        linkTimeout, helloTimeout, queueBytes, maxLinks, maxCalls, callTimeout, advertise);
  }

  public ConnectionSettings withMaxLinks(int links) {
    return new ConnectionSettings(
        linkTimeout, helloTimeout, queueBytes, links, maxCalls, callTimeout, advertise);
  }

  public ConnectionSettings withHelloTimeout(Duration greeting) {
    return new ConnectionSettings(
        linkTimeout, greeting, queueBytes, maxLinks, maxCalls, callTimeout, advertise);
  }

  public ConnectionSettings withAdvertise(@Nullable HostPort advertise) {
    return new ConnectionSettings(
        linkTimeout, helloTimeout, queueBytes, maxLinks, maxCalls, callTimeout, advertise);
  }
}
