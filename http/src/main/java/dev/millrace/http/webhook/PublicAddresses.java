package dev.millrace.http.webhook;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells public addresses from private and special ones. The ranges are those of the IANA registries
 * of special-purpose addresses (RFC 6890 and later entries). Of IPv6, only the range for global use
 * (2000::/3) is public; an address with an embedded IPv4 address is public if that one is.
 */
final class PublicAddresses {
  private static final List<AddressRange> SPECIAL_4 =
      ranges(
          "0.0.0.0/8",
          "10.0.0.0/8",
          "100.64.0.0/10",
          "127.0.0.0/8",
          "169.254.0.0/16",
          "172.16.0.0/12",
          "192.0.0.0/24",
          "192.0.2.0/24",
          "192.88.99.0/24",
          "192.168.0.0/16",
          "198.18.0.0/15",
          "198.51.100.0/24",
          "203.0.113.0/24",
          "224.0.0.0/4",
          "240.0.0.0/4");

  private static final AddressRange GLOBAL_6 = AddressRange.of("2000::/3");

  /** Protocol assignments (Teredo among them), documentation, and the retired 6bone. */
  private static final List<AddressRange> SPECIAL_6 =
      ranges("2001::/23", "2001:db8::/32", "3ffe::/16", "3fff::/20");

  private static final AddressRange SIX_TO_FOUR = AddressRange.of("2002::/16");
  private static final AddressRange NAT64 = AddressRange.of("64:ff9b::/96");

  private PublicAddresses() {}

  private static List<AddressRange> ranges(String... texts) {
    return Stream.of(texts).map(AddressRange::of).toList();
  }

  static boolean contains(InetAddress address) {
    if (address instanceof Inet4Address) { // also ::ffff:a.b.c.d, which Java converts
      return SPECIAL_4.stream().noneMatch(range -> range.contains(address));
    }
    if (SIX_TO_FOUR.contains(address)) {
      return contains(AddressRange.embedded(address, 2));
    }
    if (NAT64.contains(address)) {
      return contains(AddressRange.embedded(address, 12));
    }
    return GLOBAL_6.contains(address)
        && SPECIAL_6.stream().noneMatch(range -> range.contains(address));
  }
}
