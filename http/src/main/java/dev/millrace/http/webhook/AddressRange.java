package dev.millrace.http.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A range of IP addresses with the same first bits: {@code 10.0.0.0/8}, {@code fd00::/8}, or a
 * single address.
 *
 * @param network the bytes of an IPv4 or IPv6 address
 * @param bits the length of the prefix
 */
record AddressRange(byte[] network, int bits) {

  /** Matches only addresses, never a host name. */
  private static final Pattern LITERAL =
      Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*");

  /** Empty if the text is neither an address nor a range. */
  static Optional<AddressRange> parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    if (!LITERAL.matcher(address).matches()) {
      return Optional.empty();
    }
    try {
      byte[] bytes = InetAddress.ofLiteral(address).getAddress();
      int maxBits = bytes.length * 8;
      int bits = slash < 0 ? maxBits : Integer.parseInt(text.substring(slash + 1));
      return bits < 0 || bits > maxBits
          ? Optional.empty()
          : Optional.of(new AddressRange(bytes, bits));
    } catch (IllegalArgumentException e) { // also if the prefix is not a number
      return Optional.empty();
    }
  }

  /** For ranges written in the code. */
  static AddressRange of(String text) {
    return parse(text)
        .orElseThrow(() -> new IllegalArgumentException("not a range of addresses: " + text));
  }

  boolean contains(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length != network.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit += 8) {
      int mask = bits - bit >= 8 ? 0xFF : 0xFF << (8 - (bits - bit)) & 0xFF;
      if (((bytes[bit / 8] ^ network[bit / 8]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }

  /** The IPv4 address inside an IPv6 address, from that byte. */
  static InetAddress embedded(InetAddress address, int from) {
    byte[] bytes = address.getAddress();
    try {
      return InetAddress.getByAddress(
          new byte[] {bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]});
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // four bytes are always an address
    }
  }
}
