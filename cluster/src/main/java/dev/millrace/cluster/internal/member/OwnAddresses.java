package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Under which host a node is reached, and on which its membership listens.
 *
 * @param told to others: the advertised one, else the one listened on
 * @param bound an address of this machine
 */
record OwnAddresses(String advertised, String bound) {

  /** Listening on all addresses says nothing of how to be reached: then one is chosen. */
  static OwnAddresses of(HostPort listen, @Nullable HostPort advertise) {
    InetAddress listening = JGroupsStack.resolve(listen.host());
    boolean all = listening.isAnyLocalAddress();
    if (advertise == null) {
      String host = all ? oneOfOurs() : listen.host();
      return new OwnAddresses(host, host);
    }
    boolean ours = all && isOurs(JGroupsStack.resolve(advertise.host()));
    String bound = ours ? advertise.host() : all ? oneOfOurs() : listen.host();
    return new OwnAddresses(advertise.host(), bound);
  }

  private static boolean isOurs(InetAddress address) {
    try {
      return NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return false;
    }
  }

  /** One that others reach: IPv4 rather than IPv6; loopback only where there is no other. */
  private static String oneOfOurs() {
    try {
      List<InetAddress> addresses =
          NetworkInterface.networkInterfaces()
              .filter(OwnAddresses::isUp)
              .flatMap(NetworkInterface::inetAddresses)
              .filter(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress())
              .sorted(
                  Comparator.comparing((InetAddress each) -> !(each instanceof Inet4Address))
                      .thenComparing(InetAddress::getHostAddress))
              .toList();
      return addresses.isEmpty()
          ? InetAddress.getLoopbackAddress().getHostAddress()
          : withoutScope(addresses.getFirst().getHostAddress());
    } catch (SocketException e) {
      throw new ClusterException(
          "this machine does not tell its addresses: say by --advertise how it is reached", e);
    }
  }

  /** A scope names an interface of this machine, which means nothing to others. */
  private static String withoutScope(String address) {
    int percent = address.indexOf('%');
    return percent < 0 ? address : address.substring(0, percent);
  }

  private static boolean isUp(NetworkInterface each) {
    try {
      return each.isUp();
    } catch (SocketException e) {
      return false;
    }
  }
}
