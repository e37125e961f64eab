package dev.millrace.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings with which a node takes part in a network.
 *
 * @param name of this node, 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}
 * @param linkTimeout a link without a byte for this long is lost
 * @param onNameTaken called with a reason if a newer node has this node's name; this node must then
 *     stop. It was away so long that others took it for dead. May be called several times, by
 *     threads that must not wait
 */
public record NetworkSettings(
    String name,
    Addresses addresses,
    Trust trust,
    Duration linkTimeout,
    Consumer<String> onNameTaken) {
  public static final Duration DEFAULT_LINK_TIMEOUT = Duration.ofSeconds(5);

  /**
   * Where a node listens, and where it finds others.
   *
   * @param listen for links and calls; port 0: a free one
   * @param advertise what others are told instead of {@code listen}; null: {@code listen}
   * @param join addresses of nodes to ask; empty for the first node of a network
   * @param membershipPort 0: one above {@code listen}'s port, or a free one
   */
  public record Addresses(
      HostPort listen, @Nullable HostPort advertise, List<HostPort> join, int membershipPort) {
    public Addresses {
      join = List.copyOf(join);
      if (membershipPort < 0 || membershipPort > 65_535) {
        throw new ClusterException(
            "the membership's port is %d; it must be 0 to 65535".formatted(membershipPort));
      }
    }
  }

  /**
   * Who is let in.
   *
   * @param tls from the network's key, or from certificates
   * @param namesFromCertificates whether a node's name must be in its certificate
   * @param whitelist names that may be members; empty: all
   */
  public record Trust(SSLContext tls, boolean namesFromCertificates, Set<String> whitelist) {
    public Trust {
      whitelist = Set.copyOf(whitelist);
      whitelist.forEach(NetworkSettings::checkName);
    }
  }

  public NetworkSettings {
    checkName(name);
    if (linkTimeout.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new ClusterException(
          "a link timeout of %d ms is too short: give at least 1000"
              .formatted(linkTimeout.toMillis()));
    }
  }

  /** The first node of a network that lets in everybody with its key; all else is usual. */
  public static NetworkSettings of(String name, HostPort listen, SSLContext tls) {
    return new NetworkSettings(
        name,
        new Addresses(listen, null, List.of(), 0),
        new Trust(tls, false, Set.of()),
        DEFAULT_LINK_TIMEOUT,
        why -> {});
  }

  public NetworkSettings withJoin(List<HostPort> join) {
    return withAddresses(
        new Addresses(addresses.listen, addresses.advertise, join, addresses.membershipPort));
  }

  public NetworkSettings withAddresses(Addresses changed) {
    return new NetworkSettings(name, changed, trust, linkTimeout, onNameTaken);
  }

  public NetworkSettings withTrust(Trust changed) {
    return new NetworkSettings(name, addresses, changed, linkTimeout, onNameTaken);
  }

  public NetworkSettings withLinkTimeout(Duration timeout) {
    return new NetworkSettings(name, addresses, trust, timeout, onNameTaken);
  }

  public NetworkSettings withOnNameTaken(Consumer<String> listener) {
    return new NetworkSettings(name, addresses, trust, linkTimeout, listener);
  }

  public List<HostPort> join() {
    return addresses.join();
  }

  /** Throws if a text is not a valid name of a node. */
  public static void checkName(String name) {
    if (!ClusterProtocol.isName(name)) {
      throw new ClusterException(
          "\"%s\" is no name for a node: 1 to 64 of the characters A-Z a-z 0-9 . _ -"
              .formatted(name.length() > 80 ? name.substring(0, 80) + "…" : name));
    }
  }
}
