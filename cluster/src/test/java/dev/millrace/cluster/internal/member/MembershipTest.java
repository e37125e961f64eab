package dev.millrace.cluster.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.numerics.SupportedNumerics;
import dev.millrace.tls.PemSslContext;
import dev.millrace.tls.TestCertificateAuthority;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.CompositeMessage;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.NakAckHeader2;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.SizeStreamable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class MembershipTest {
  private static final Duration SUSPECT = Duration.ofSeconds(2);
  private static final Duration SOON = MemberTests.SOON;
  private static SSLContext tls;

  private final List<Membership> open = new ArrayList<>();

  @BeforeAll
  static void makeKey() {
    tls = NetworkKey.generate().tls();
  }

  @AfterEach
  void leaveNoThread() {
    open.forEach(Membership::close);
    MemberTests.awaitNoThread();
  }

  @Test
  void threeMembersSeeEachOtherAndEachChange() {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    Membership c = join(tls, "c", a);
    awaitNames(Set.of("a", "b", "c"), a, b, c);
    assertThat(a.states()).extracting(NodeState::memberAddress).doesNotHaveDuplicates();

    b.announce(state("b").withSessions(3, 0, 0).withRevision(1));
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              for (Membership each : List.of(a, b, c)) {
                assertThat(each.states()).extracting(NodeState::sessions).contains(3);
              }
            });
  }

  @Test
  void aMemberThatLeavesIsRemovedAtOnce() {
    Membership a = join(identity(tls, "a", 1), Duration.ofHours(1), at -> {}, List.of());
    Membership b = join(identity(tls, "b", 1), Duration.ofHours(1), at -> {}, List.of(a.address()));
    awaitNames(Set.of("a", "b"), a, b);
    b.close();
    awaitNames(Set.of("a"), a);
  }

  @Test
  void aKilledMemberIsRemovedAndMayComeBackUnderItsName() throws Exception {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    awaitNames(Set.of("a", "b"), a, b);
    kill(b);

    Membership again = join(tls, "b", a);
    again.announce(state("b").withSessions(7, 0, 0).withRevision(1));
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(a.states())
                    .filteredOn(each -> each.name().equals("b"))
                    .extracting(NodeState::sessions)
                    .containsExactly(7));
    again.close();
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(MemberTests.names(a.states())).isEqualTo(Set.of("a")));
  }

  @Test
  void partsOfANetworkGrowTogetherAgain() throws Exception {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    Membership c = join(tls, "c", a);
    awaitNames(Set.of("a", "b", "c"), a, b, c);

    List<DISCARD> walls = new ArrayList<>();
    for (Membership each : List.of(a, b, c)) {
      DISCARD wall = new DISCARD();
      each.channel()
          .getProtocolStack()
          .insertProtocol(wall, ProtocolStack.Position.ABOVE, TP.class);
      walls.add(wall);
    }
    walls.get(0).addIgnoredMembers(c.channel().getAddress());
    walls.get(1).addIgnoredMembers(c.channel().getAddress());
    walls.get(2).addIgnoredMembers(a.channel().getAddress(), b.channel().getAddress());
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertThat(MemberTests.names(a.states())).isEqualTo(Set.of("a", "b"));
              assertThat(MemberTests.names(b.states())).isEqualTo(Set.of("a", "b"));
              assertThat(MemberTests.names(c.states())).isEqualTo(Set.of("c"));
            });

    c.announce(state("c").withSessions(5, 0, 0).withRevision(1));
    walls.forEach(DISCARD::resetIgnoredMembers);
    awaitNames(Set.of("a", "b", "c"), a, b, c);
    assertThat(a.states()).extracting(NodeState::sessions).contains(5);
  }

  @Test
  void invalidStatesAndStatesOfOtherMembersAreDropped() throws Exception {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    awaitNames(Set.of("a", "b"), a, b);

    b.channel().send(new BytesMessage(null, new byte[] {1, 2, 3}));
    b.channel().send(new BytesMessage(null, new byte[WireCodec.MAX_STATE_BYTES + 1]));
    b.channel()
        .send(
            new BytesMessage(
                null, WireCodec.encode(state("a").withSessions(9, 0, 0).withRevision(99)).array()));
    b.channel()
        .send(
            new BytesMessage(
                null, WireCodec.encode(state("x").withSessions(9, 0, 0).withRevision(99)).array()));
    b.announce(state("b").withSessions(1, 0, 0).withRevision(1));
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(a.states()).extracting(NodeState::sessions).contains(1));
    assertThat(a.states()).extracting(NodeState::sessions).containsExactly(0, 1);
  }

  @Test
  void anotherKeyGetsNothing() {
    Membership a = join(tls, "a");
    Membership unknownNode = join(NetworkKey.generate().tls(), "stranger", a);
    assertThat(MemberTests.names(a.states())).isEqualTo(Set.of("a"));
    assertThat(MemberTests.names(unknownNode.states())).isEqualTo(Set.of("stranger"));
  }

  @Test
  void silentAndPlainConnectionsDelayNoOther() throws Exception {
    Membership a = join(tls, "a");
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < TlsServerSocket.MAX_HANDSHAKES + 40; i++) {
        idle.add(new Socket(a.address().host(), a.address().port()));
      }
      try (Socket plain = new Socket(a.address().host(), a.address().port())) {
        plain.setSoTimeout((int) SOON.toMillis());
        plain.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        InputStream answer = plain.getInputStream();
        assertThat(new String(answer.readAllBytes(), StandardCharsets.ISO_8859_1))
            .doesNotContain("millrace");
      }
      Membership b = join(tls, "b", a);
      awaitNames(Set.of("a", "b"), a, b);
    } finally {
      for (Socket each : idle) {
        each.close();
      }
    }
  }

  /** Says that somebody read it. */
  static final class Trap implements Serializable {
    static final AtomicBoolean SPRUNG = new AtomicBoolean();

    private void readObject(ObjectInputStream in) {
      SPRUNG.set(true);
    }
  }

  /** Says that somebody made one of the name of its class. */
  public static final class NamedTrap implements SizeStreamable {
    static final AtomicBoolean SPRUNG = new AtomicBoolean();

    public NamedTrap() {
      SPRUNG.set(true);
    }

    @Override
    public int serializedSize() {
      return 0;
    }

    @Override
    public void writeTo(DataOutput out) {}

    @Override
    public void readFrom(DataInput in) {}
  }

  @Test
  void objectsOfForeignClassesAreNeverRead() throws Exception {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    awaitNames(Set.of("a", "b"), a, b);
    TP below = b.channel().getProtocolStack().getTransport();
    NAKACK2 asking = b.channel().getProtocolStack().findProtocol(NAKACK2.class);
    Address to = a.channel().getAddress();
    NamedTrap named = new NamedTrap();
    NamedTrap.SPRUNG.set(false);
    for (Message trap :
        List.of(
            new ObjectMessage(to, new Trap()),
            new ObjectMessage(to, named),
            new CompositeMessage(to, new ObjectMessage(to, new Trap())),
            // what asks for a repetition has an object, which its receiver takes out
            new BytesMessage(to, new Trap())
                .putHeader(asking.getId(), NakAckHeader2.createXmitRequestHeader(to)))) {
      below.down(trap.setSrc(b.channel().getAddress()));
    }
    b.announce(state("b").withSessions(1, 0, 0).withRevision(1));
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(a.states()).extracting(NodeState::sessions).contains(1));
    assertThat(Trap.SPRUNG).as("an object was read").isFalse();
    assertThat(NamedTrap.SPRUNG).as("an object was made").isFalse();
  }

  @Test
  void aMemberWithAnUnknownHostDoesNotStopOthers() {
    Membership a = join(tls, "a");
    HostPort nowhere = new HostPort("no-such-host.invalid", 5);
    Membership b = join(identity(tls, "b", 1), SUSPECT, at -> {}, List.of(nowhere, a.address()));
    awaitNames(Set.of("a", "b"), a, b);
    b.addDiscoveryAddresses(List.of(nowhere));
  }

  @Test
  void aMemberThatJustJoinedKnowsTheAddressesOfAllMembers() {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    assertThat(b.memberAddresses()).containsExactlyInAnyOrder(a.address(), b.address());
  }

  @Test
  void ofTwoNodesWithOneNameTheEarlierIsNotifiedAndTheLaterCounts() {
    BlockingQueue<String> notified = new LinkedBlockingQueue<>();
    Membership a = join(tls, "a");
    Membership later =
        join(identity(tls, "b", 2), SUSPECT, at -> notified.add("2"), List.of(a.address()));
    awaitNames(Set.of("a", "b"), a, later);
    Membership woken =
        join(
            identity(tls, "b", 1), SUSPECT, at -> notified.add("1 by " + at), List.of(a.address()));
    await().atMost(SOON).until(() -> woken.channel().getView().size() == 3);
    await().atMost(SOON).until(() -> !notified.isEmpty());
    assertThat(notified).containsOnly("1 by 127.0.0.1:1");
    assertThat(a.states()).extracting(NodeState::incarnation).containsExactly(1L, 2L);
  }

  @Test
  void withCertificatesAMemberSpeaksUnderItsOwnNameOnly(@TempDir Path directory) throws Exception {
    TestCertificateAuthority authority = new TestCertificateAuthority(directory, "authority");
    SSLContext asA = certified(authority, "a");
    SSLContext asB = certified(authority, "b");
    SSLContext asMallory = certified(authority, "mallory");
    Membership a = join(named(asA, "a"), SUSPECT, at -> {}, List.of());
    Membership b = join(named(asB, "b"), SUSPECT, at -> {}, List.of(a.address()));
    awaitNames(Set.of("a", "b"), a, b);

    Membership mallory = join(named(asMallory, "mallory"), SUSPECT, at -> {}, List.of(a.address()));
    awaitNames(Set.of("a", "b", "mallory"), a, b, mallory);
    NodeState lie = state("b").withSessions(9, 0, 0).withRevision(99);
    ProtocolStack stack = mallory.channel().getProtocolStack();
    short numbering = stack.findProtocol(NAKACK2.class).getId();
    stack
        .getTransport()
        .down(
            new BytesMessage(null, WireCodec.encode(lie).array())
                .setSrc(b.channel().getAddress())
                .setFlag(Message.Flag.OOB) // taken without those before it
                .putHeader(numbering, NakAckHeader2.createMessageHeader(1_000)));
    mallory.announce(state("mallory").withSessions(1, 0, 0).withRevision(1));
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(a.states()).extracting(NodeState::sessions).contains(1));
    assertThat(a.states()).extracting(NodeState::sessions).containsExactly(0, 0, 1);

    Membership impostor = join(named(asMallory, "c"), SUSPECT, at -> {}, List.of(a.address()));
    assertThat(MemberTests.names(impostor.states())).isEqualTo(Set.of("c"));
    assertThat(a.channel().getView().size()).isEqualTo(3);
  }

  @Test
  void anAddressBelongsToItsName() {
    ExtendedUUID own = JGroupsStack.address("b", 7);
    assertThat(JGroupsStack.name(own)).isEqualTo("b");
    ExtendedUUID borrowed =
        new ExtendedUUID(own).put("name", "mallory".getBytes(StandardCharsets.UTF_8));
    assertThat(borrowed).isEqualTo(own);
    assertThat(JGroupsStack.name(borrowed)).isEmpty();
  }

  private static SSLContext certified(TestCertificateAuthority authority, String name)
      throws Exception {
    TestCertificateAuthority.Issued issued = authority.issue(name, name, "EC");
    return PemSslContext.of(issued.certificate(), issued.key(), authority.certificate);
  }

  private static NodeIdentity named(SSLContext by, String name) {
    return new NodeIdentity(name, 1, by, true);
  }

  private static NodeIdentity identity(SSLContext by, String name, long incarnation) {
    return new NodeIdentity(name, incarnation, by, false);
  }

  private Membership join(SSLContext by, String name, Membership... others) {
    List<HostPort> at = List.of(others).stream().map(Membership::address).toList();
    return join(identity(by, name, 1), SUSPECT, taken -> {}, at);
  }

  private Membership join(
      NodeIdentity identity, Duration suspect, Consumer<HostPort> taken, List<HostPort> others) {
    HostPort nowhere = new HostPort("127.0.0.1", 1);
    Membership joined =
        Membership.join(
            identity,
            new MembershipSettings(
                new HostPort("127.0.0.1", 0), "127.0.0.1", others, suspect, any -> true, taken),
            NodeState.of(
                identity.name(),
                identity.incarnation(),
                1,
                SupportedNumerics.CURRENT,
                nowhere,
                nowhere),
            states -> {});
    open.add(joined);
    return joined;
  }

  private static NodeState state(String name) {
    HostPort nowhere = new HostPort("127.0.0.1", 1);
    return NodeState.of(name, 1, 1, SupportedNumerics.CURRENT, nowhere, nowhere);
  }

  private static void kill(Membership member) throws Exception {
    MemberTests.silence(member.channel());
    member.close();
  }

  private static void awaitNames(Set<String> names, Membership... members) {
    MemberTests.awaitNames(names, List.of(members), Membership::states);
  }
}
