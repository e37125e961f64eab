package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;
import org.jgroups.util.DefaultThreadFactory;
import org.jgroups.util.ExtendedUUID;
import org.jspecify.annotations.Nullable;

/**
 * The JGroups protocols of a membership: TCP with TLS, known hosts instead of multicast,
 * heartbeats.
 */
final class JGroupsStack {
  private static final String NAME = "name";
  private static final Duration HANDSHAKE = Duration.ofSeconds(3);

  /** Largest message of JGroups; fragments and bundles stay far below. */
  private static final int MAX_BYTES = 1 << 20;

  private JGroupsStack() {}

  /** A channel that is not connected yet. Its address contains the node's name. */
  static JChannel channel(NodeIdentity identity, MembershipSettings settings, HostResolver hosts)
      throws Exception {
    SafeMessageFactory.install();
    TCP transport = transport(identity, settings);
    JChannel channel = new JChannel(protocols(transport, settings, hosts));
    // JGroups refuses port 0 together with a list of hosts at creation, so it is set afterwards.
    transport.setBindPort(settings.bind().port());
    channel.setName(identity.name());
    channel.addAddressGenerator(() -> address(identity.name(), new SecureRandom().nextLong()));
    channel.setDiscardOwnMessages(true);
    return channel;
  }

  /**
   * The name in an address; empty if there is none, or if it does not belong to the address:
   * JGroups compares addresses without names.
   */
  static String name(@Nullable Address address) {
    byte[] bytes = address instanceof ExtendedUUID named ? named.get(NAME) : null;
    String name = bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    return address instanceof ExtendedUUID named && named.getMostSignificantBits() == bits(name)
        ? name
        : "";
  }

  /** Sets the addresses where members are looked for. */
  static void addDiscoveryAddresses(JChannel channel, List<InetSocketAddress> members) {
    TCPPING discovery = channel.getProtocolStack().findProtocol(TCPPING.class);
    discovery.setInitialHosts(members);
  }

  /** The known addresses of the members of a view. */
  static List<HostPort> memberAddresses(JChannel channel, List<Address> members) {
    List<HostPort> found = new ArrayList<>();
    for (Address member : members) {
      if (channel.down(new Event(Event.GET_PHYSICAL_ADDRESS, member)) instanceof IpAddress at) {
        found.add(new HostPort(at.getIpAddress().getHostAddress(), at.getPort()));
      }
    }
    return found;
  }

  static InetAddress resolve(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new ClusterException(
          "the host \"%s\" is not known here: give an address, or a name that resolves"
              .formatted(host),
          e);
    }
  }

  private static List<Protocol> protocols(
      TCP transport, MembershipSettings settings, HostResolver hosts) {
    long suspect = settings.suspectTimeout().toMillis();
    return List.of(
        transport,
        new TCPPING().setInitialHosts(hosts.resolveAll(settings.members())).setPortRange(0),
        new MERGE3().setMinInterval(500).setMaxInterval(2_000),
        new FD_ALL3().setTimeout(suspect).setInterval(suspect / 4),
        new VERIFY_SUSPECT2().setTimeout(1_000),
        new NAKACK2(),
        new UNICAST3(),
        new STABLE(),
        new GMS()
            .setJoinTimeout(settings.members().isEmpty() ? 50 : 5_000)
            .setLeaveTimeout(1_000)
            .printLocalAddress(false),
        new FRAG2());
  }

  private static TCP transport(NodeIdentity identity, MembershipSettings settings) {
    InetAddress bind = resolve(settings.bind().host());
    InetAddress host = resolve(settings.host());
    TCP tcp = new JGroupsTransport(identity.namesFromCertificates());
    tcp.setBindAddress(bind);
    tcp.setBindPort(Math.max(1, settings.bind().port()));
    tcp.setPortRange(0);
    if (!host.equals(bind)) {
      tcp.setExternalAddr(host);
    }
    tcp.setMaxLength(MAX_BYTES);
    tcp.setSockConnTimeout((int) HANDSHAKE.toMillis());
    tcp.setThreadFactory(new DefaultThreadFactory("millrace-member", true, true));
    tcp.setSocketFactory(new TlsSocketFactory(identity.tls(), HANDSHAKE));
    tcp.disableDiagnostics();
    return tcp;
  }

  /** Half of the address is a hash of the name, so that it fits no other name. */
  static ExtendedUUID address(String name, long random) {
    return new ExtendedUUID(bits(name), random).put(NAME, name.getBytes(StandardCharsets.UTF_8));
  }

  private static long bits(String name) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(hash).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This Java has no SHA-256", e);
    }
  }
}
