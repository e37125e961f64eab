package dev.millrace.cluster.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Identity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jgroups.Address;
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
import org.jgroups.stack.Protocol;
import org.jgroups.util.DefaultThreadFactory;
import org.jgroups.util.ExtendedUUID;
import org.jspecify.annotations.Nullable;

/**
 * The protocols of JGroups that a membership is made of: TCP with TLS, known hosts instead of
 * multicast, heartbeats.
 */
final class Stack {
  private static final String NAME = "name";
  private static final Duration HANDSHAKE = Duration.ofSeconds(3);

  /** What JGroups writes at once: fragments and bundles stay far below. */
  private static final int MAX_BYTES = 1 << 20;

  private Stack() {}

  /** A channel that is not connected. Its address has the name in it, wherever it goes. */
  static JChannel channel(Identity identity, MembershipSettings settings) throws Exception {
    TCP transport = transport(identity, settings);
    JChannel channel = new JChannel(protocols(transport, settings));
    // JGroups does not take port 0 beside a list of hosts when it is made; but it is meant so.
    transport.setBindPort(settings.bind().port());
    channel.setName(identity.name());
    byte[] name = identity.name().getBytes(StandardCharsets.UTF_8);
    channel.addAddressGenerator(() -> randomAddress().put(NAME, name));
    channel.setDiscardOwnMessages(true);
    return channel;
  }

  /** The name in an address; empty where it has none. */
  static String name(@Nullable Address address) {
    byte[] name = address instanceof ExtendedUUID named ? named.get(NAME) : null;
    return name == null ? "" : new String(name, StandardCharsets.UTF_8);
  }

  /** Where members are to be looked for from now on. */
  static void seek(JChannel channel, Collection<HostPort> members) {
    TCPPING discovery = channel.getProtocolStack().findProtocol(TCPPING.class);
    discovery.setInitialHosts(members.stream().map(Stack::socketAddress).toList());
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

  private static List<Protocol> protocols(TCP transport, MembershipSettings settings) {
    long suspect = settings.suspect().toMillis();
    return List.of(
        transport,
        new TCPPING()
            .setInitialHosts(settings.members().stream().map(Stack::socketAddress).toList())
            .setPortRange(0),
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

  private static TCP transport(Identity identity, MembershipSettings settings) {
    InetAddress bind = resolve(settings.bind().host());
    InetAddress host = resolve(settings.host());
    TCP tcp = new TCP();
    tcp.setBindAddress(bind);
    tcp.setBindPort(Math.max(1, settings.bind().port()));
    tcp.setPortRange(0);
    if (!host.equals(bind)) {
      tcp.setExternalAddr(host);
    }
    tcp.setMaxLength(MAX_BYTES);
    tcp.setSockConnTimeout((int) HANDSHAKE.toMillis());
    tcp.setThreadFactory(new DefaultThreadFactory("millrace-member", true, true));
    tcp.setSocketFactory(new TlsSockets(identity.tls(), HANDSHAKE));
    tcp.disableDiagnostics();
    return tcp;
  }

  private static ExtendedUUID randomAddress() {
    UUID random = UUID.randomUUID();
    return new ExtendedUUID(random.getMostSignificantBits(), random.getLeastSignificantBits());
  }

  private static InetSocketAddress socketAddress(HostPort at) {
    return new InetSocketAddress(resolve(at.host()), at.port());
  }
}
