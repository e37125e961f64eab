package dev.millrace.cluster;

import dev.millrace.cluster.internal.text.DisplayText;

/** A host and a port. */
public record HostPort(String host, int port) {
  /** Longest name in the DNS. */
  private static final int LONGEST = 255;

  public HostPort {
    if (!isHost(host) || port < 0 || port > 65_535) {
      throw new ClusterException(
          "\"%s:%d\" is no address: give HOST:PORT with a port of 0 to 65535"
              .formatted(DisplayText.sanitized(host), port));
    }
  }

  private static boolean isHost(String host) {
    return !host.isEmpty()
        && host.length() <= LONGEST
        && host.chars().noneMatch(c -> c <= ' ' || Character.isISOControl(c));
  }

  /** Reads {@code HOST:PORT}; an IPv6 address stands in brackets. */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      host = "";
    }
    try {
      return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
    } catch (NumberFormatException e) {
      throw new ClusterException(
          "\"%s\" is no address: give HOST:PORT, for example 10.0.0.5:5000".formatted(text));
    }
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
