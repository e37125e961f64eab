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
 * The host by which others reach a node, and the host that its membership binds to.
 *
 * @param advertised the host that others are told
 * @param bound an address of this machine
 */
record OwnAddresses(String advertised, String bound) {

  /** If the node listens on all addresses, one of them is chosen. */
  static OwnAddresses of(HostPort listen, @Nullable HostPort advertise) {
    InetAddress listening = JGroupsStack.resolve(listen.host());
    boolean all = listening.isAnyLocalAddress();
    if (advertise == null) {
      String host = all ? reachableAddress() : listen.host();
      return new OwnAddresses(host, host);
    }
    boolean ours = all && isLocal(JGroupsStack.resolve(advertise.host()));
    String bound = ours ? advertise.host() : all ? reachableAddress() : listen.host();
    return new OwnAddresses(advertise.host(), bound);
  }

  private static boolean isLocal(InetAddress address) {
    try {
      return NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return false;
    }
  }

  /** An address that others can reach: IPv4 before IPv6; loopback only if there is no other. */
  private static String reachableAddress() {
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
          "the addresses of this machine cannot be listed: pass --advertise", e);
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
