package dev.millrace.cli.config;

import dev.millrace.cluster.HostPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/** Finds the address of this machine that other nodes use. */
final class LocalAddress {
  private static final String LOOPBACK = "127.0.0.1";

  /** Reserved for documentation: the system chooses the default route, and nothing is sent. */
  private static final String ELSEWHERE = "192.0.2.1";

  private LocalAddress() {}

  /** The address that faces a member; without one, the address of the default route. */
  static String towards(@Nullable HostPort member) {
    InetSocketAddress there =
        member == null
            ? new InetSocketAddress(ELSEWHERE, 9)
            : new InetSocketAddress(member.host(), member.port());
    if (there.isUnresolved()) {
      return member == null ? LOOPBACK : towards(null);
    }
    // connecting a datagram socket sends nothing: it only chooses a route
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(there);
      InetAddress local = socket.getLocalAddress();
      return local.isAnyLocalAddress() ? LOOPBACK : local.getHostAddress();
    } catch (IOException | UncheckedIOException e) {
      return LOOPBACK; // no route
    }
  }

  /** Whether this machine has the address. */
  static boolean isOne(String host) {
    try {
      InetAddress address = InetAddress.getByName(host);
      return !address.isAnyLocalAddress()
          && (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null);
    } catch (IOException e) {
      return false;
    }
  }
}
