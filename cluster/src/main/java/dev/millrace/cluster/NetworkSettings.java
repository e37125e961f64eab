package dev.millrace.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How a node takes part in a network.
 *
 * @param name its own, 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}
 * @param listen where links and calls are taken; port 0: a free one
 * @param advertise what others are told instead of {@code listen}; null: that
 * @param join where members take calls; empty for the first of a network
 * @param tls from the network's key, or from certificates
 * @param namesFromCertificates whether a node must be named as its certificate says
 * @param whitelist names that may be members; empty: all
 * @param memberPort where the membership listens; 0: one above {@code listen}'s, or a free one
 * @param patience a link that is silent for so long is lost
 * @param taken told, in words, that a later node has this one's name, which must end: it was away
 *     so long that others took it for dead; maybe several times, by threads that must not wait
 */
public record NetworkSettings(
    String name,
    HostPort listen,
    @Nullable HostPort advertise,
    List<HostPort> join,
    SSLContext tls,
    boolean namesFromCertificates,
    Set<String> whitelist,
    int membershipPort,
    Duration linkTimeout,
    Consumer<String> onNameTaken) {
  /** What is usual for {@code patience}. */
  public static final Duration DEFAULT_LINK_TIMEOUT = Duration.ofSeconds(5);

  public NetworkSettings {
    join = List.copyOf(join);
    whitelist = Set.copyOf(whitelist);
    checkName(name);
    whitelist.forEach(NetworkSettings::checkName);
    if (membershipPort < 0 || membershipPort > 65_535) {
      throw new ClusterException(
          "the membership's port is %d; it must be 0 to 65535".formatted(membershipPort));
    }
    if (linkTimeout.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new ClusterException(
          "a patience of %d ms is too short: give at least 1000".formatted(linkTimeout.toMillis()));
    }
  }

  /** For who does not care whether its name is taken. */
  public NetworkSettings(
      String name,
      HostPort listen,
      @Nullable HostPort advertise,
      List<HostPort> join,
      SSLContext tls,
      boolean namesFromCertificates,
      Set<String> whitelist,
      int memberPort,
      Duration patience) {
    this(
        name,
        listen,
        advertise,
        join,
        tls,
        namesFromCertificates,
        whitelist,
        memberPort,
        patience,
        why -> {});
  }

  /** Refuses what is no name of a node. */
  public static void checkName(String name) {
    if (!ClusterProtocol.isName(name)) {
      throw new ClusterException(
          "\"%s\" is no name for a node: 1 to 64 of the characters A-Z a-z 0-9 . _ -"
              .formatted(name.length() > 80 ? name.substring(0, 80) + "…" : name));
    }
  }
}
