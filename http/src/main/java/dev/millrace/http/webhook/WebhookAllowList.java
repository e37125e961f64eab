package dev.millrace.http.webhook;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where webhooks may be sent: without patterns, to every public address; with patterns, only to
 * what one of them allows:
 *
 * <ul>
 *   <li>{@code hooks.example.org} that host, {@code *.example.org} every host below it, {@code *}
 *       every host; at public addresses only, because the owner of a name chooses its address;
 *   <li>{@code 10.1.2.3}, {@code fd00::1} that address; {@code 10.0.0.0/8}, {@code fd00::/8} a range
 *       of addresses; private ones too, with any host name.
 * </ul>
 *
 * A host or a single address may be followed by {@code :port} (an IPv6 address is in brackets
 * then), which allows that port only.
 */
public final class WebhookAllowList {
  private static final Pattern NAME =
      Pattern.compile("(?:\\*\\.)?[a-z0-9_-]{1,63}(?:\\.[a-z0-9_-]{1,63})*|\\*");
  private static final Pattern WITH_PORT = Pattern.compile("([^:]+|\\[[^]]+]):(\\d{1,5})");

  /**
   * One pattern: a name or a range.
   *
   * @param name in lower case; null for an address range
   * @param port 0: any
   */
  private record Entry(@Nullable String name, @Nullable AddressRange range, int port) {
    boolean allows(String host, int hostPort, InetAddress address) {
      if (port != 0 && port != hostPort) {
        return false;
      }
      return range != null
          ? range.contains(address)
          : names(host) && PublicAddresses.contains(address);
    }

    /** Whether this may allow the host, before its address is known. */
    boolean mayAllow(String host, int hostPort) {
      return (port == 0 || port == hostPort) && (range != null || names(host));
    }

    private boolean names(String host) {
      return name != null
          && (name.startsWith("*") ? host.endsWith(name.substring(1)) : host.equals(name));
    }
  }

  private final List<Entry> entries;

  private WebhookAllowList(List<Entry> entries) {
    this.entries = entries;
  }

  /**
   * @throws IllegalArgumentException if a pattern is malformed
   */
  public static WebhookAllowList of(List<String> patterns) {
    List<String> all = patterns.isEmpty() ? List.of("*") : patterns;
    return new WebhookAllowList(all.stream().map(WebhookAllowList::entry).toList());
  }

  private static Entry entry(String pattern) {
    Optional<AddressRange> whole = AddressRange.parse(pattern);
    if (whole.isPresent()) {
      return new Entry(null, whole.get(), 0);
    }
    Matcher split = WITH_PORT.matcher(pattern);
    boolean hasPort = split.matches();
    String host = hasPort ? unbracketed(split.group(1)) : unbracketed(pattern);
    int port = hasPort ? Integer.parseInt(split.group(2)) : 0;
    Optional<AddressRange> range =
        host.indexOf('/') < 0 ? AddressRange.parse(host) : Optional.empty();
    String name = host.toLowerCase(Locale.ROOT);
    boolean named = range.isEmpty() && NAME.matcher(name).matches() && !looksNumeric(name);
    if (port > 65_535 || hasPort && port == 0 || range.isEmpty() && !named) {
      throw new IllegalArgumentException(
          "webhook address pattern \""
              + pattern
              + "\" must be a host (hooks.example.org, *.example.org), an address (10.1.2.3,"
              + " [fd00::1]), either with :port, a range (10.0.0.0/8, fd00::/8), or *");
    }
    if (named && (name.equals("localhost") || name.endsWith(".localhost"))) {
      throw new IllegalArgumentException(
          "webhook address pattern \""
              + pattern
              + "\" would allow nothing, because a name allows public addresses only; give the"
              + " address: 127.0.0.1 or [::1]");
    }
    return new Entry(named ? name : null, range.orElse(null), port);
  }

  private static String unbracketed(String host) {
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  /** Refuses a mistyped address as a name. */
  private static boolean looksNumeric(String name) {
    return name.substring(name.lastIndexOf('.') + 1).chars().allMatch(Character::isDigit);
  }

  /**
   * @param host of the URL, in lower case
   * @param address of the host
   */
  boolean allows(String host, int port, InetAddress address) {
    return entries.stream().anyMatch(entry -> entry.allows(host, port, address));
  }

  /** Whether the host may be looked up. */
  boolean mayAllow(String host, int port) {
    return entries.stream().anyMatch(entry -> entry.mayAllow(host, port));
  }
}
