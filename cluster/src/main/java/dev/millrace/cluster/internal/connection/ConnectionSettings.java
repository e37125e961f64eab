package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.HostPort;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits and timeouts of connections.
 *
 * @param linkTimeout a link without a byte for this long is lost; each side pings five times as
 *     often
 * @param helloTimeout for connecting, and for handshake and hello
 * @param queueBytes queued for one node before senders wait
 * @param maxLinks nodes that may be linked; further ones are refused
 * @param maxCalls answered at the same time
 * @param callTimeout how long an answered call may make no progress
 * @param advertise where others reach us; null: the address that we listen on
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

  public ConnectionSettings withLinkTimeout(Duration timeout) {
    return new ConnectionSettings(
        timeout, helloTimeout, queueBytes, maxLinks, maxCalls, callTimeout, advertise);
  }

  public ConnectionSettings withQueueBytes(long queueBytes) {
    return new ConnectionSettings(
        linkTimeout, helloTimeout, queueBytes, maxLinks, maxCalls, callTimeout, advertise);
  }

  public ConnectionSettings withMaxLinks(int links) {
    return new ConnectionSettings(
        linkTimeout, helloTimeout, queueBytes, links, maxCalls, callTimeout, advertise);
  }

  public ConnectionSettings withHelloTimeout(Duration timeout) {
    return new ConnectionSettings(
        linkTimeout, timeout, queueBytes, maxLinks, maxCalls, callTimeout, advertise);
  }

  public ConnectionSettings withAdvertise(@Nullable HostPort advertise) {
    return new ConnectionSettings(
        linkTimeout, helloTimeout, queueBytes, maxLinks, maxCalls, callTimeout, advertise);
  }
}
