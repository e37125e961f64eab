package dev.millrace.http.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Addresses with the same first bits: {@code 10.0.0.0/8}, {@code fd00::/8}, or a single one.
 *
 * @param network its bytes, those of an IPv4 address or of an IPv6 address
 * @param bits how many count
 */
record AddressRange(byte[] network, int bits) {

  /** What can only be an address: a name has letters beyond f or no colon, and no lone number. */
  private static final Pattern LITERAL =
      Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*");

  /** Empty if {@code text} is neither an address nor a range of them. */
  static Optional<AddressRange> parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    if (!LITERAL.matcher(address).matches()) {
      return Optional.empty();
    }
    try {
      byte[] bytes = InetAddress.ofLiteral(address).getAddress();
      int most = bytes.length * 8;
      int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
      return bits < 0 || bits > most
          ? Optional.empty()
          : Optional.of(new AddressRange(bytes, bits));
    } catch (IllegalArgumentException e) { // also a number that is none
      return Optional.empty();
    }
  }

  /** A range that is known to be one. */
  static AddressRange of(String text) {
    return parse(text)
        .orElseThrow(() -> new IllegalArgumentException("no range of addresses: " + text));
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

  /** The IPv4 address that begins at byte {@code from} of another. */
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
