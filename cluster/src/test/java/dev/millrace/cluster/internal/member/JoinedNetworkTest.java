package dev.millrace.cluster.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.connection.Hello;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.link.MessageReceiver;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.query.NodeStateQuery;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.jgroups.protocols.DISCARD;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class JoinedNetworkTest {
  private static final Duration SOON = MemberTests.SOON;
  private static SSLContext tls;

  private final Queue<JoinedNetwork> open = new ConcurrentLinkedQueue<>();
  private final Queue<String> received = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void makeKey() {
    tls = NetworkKey.generate().tls();
  }

  @AfterEach
  void leaveNoThread() {
    open.forEach(JoinedNetwork::close);
    MemberTests.awaitNoThread();
  }

  @Test
  void nodesFindEachOtherAndSendMessages() {
    JoinedNetwork a = join(settings("a"));
    JoinedNetwork b = join(settings("b", a.linkAddress()));
    JoinedNetwork c = join(settings("c", b.linkAddress()));
    awaitNames(Set.of("a", "b", "c"), a, b, c);

    c.announce(state -> state.withSessions(4, 0, 0));
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(a.states()).extracting(NodeState::sessions).containsExactly(0, 0, 4));

    a.sender().send("c", new NodeMessage(NodeMessage.Kind.CLOSE, 17, ByteBuffer.allocate(0)));
    await().atMost(SOON).untilAsserted(() -> assertThat(received).contains("c: CLOSE 17 from a"));
    b.close();
    awaitNames(Set.of("a", "c"), a, c);
  }

  @Test
  void aChangeKeepsNameAddressesAndRevision() {
    JoinedNetwork a = join(settings("a"));
    NodeState before = a.states().getFirst();
    HostPort elsewhere = new HostPort("10.1.1.1", 1);
    a.announce(
        state ->
            NodeState.of("z", 0, 0, SupportedNumerics.of(0), elsewhere, elsewhere)
                .withSessions(1, 0, 0));
    assertThat(a.states())
        .containsExactly(before.withSessions(1, 0, 0).withRevision(before.revision() + 1));
    a.announce(UnaryOperator.identity());
    assertThat(a.states().getFirst().revision()).isEqualTo(before.revision() + 1);
  }

  @Test
  void commandsReadAllStatesWithoutBeingMembers() {
    JoinedNetwork a = join(settings("a"));
    JoinedNetwork b = join(settings("b", a.linkAddress()));
    awaitNames(Set.of("a", "b"), a, b);
    assertThat(NodeStateQuery.query(tls, b.linkAddress()))
        .extracting(NodeState::name)
        .containsExactly("a", "b");
    assertThatThrownBy(() -> NodeStateQuery.query(NetworkKey.generate().tls(), b.linkAddress()))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("network key");
    assertThat(MemberTests.names(a.states())).isEqualTo(Set.of("a", "b"));
  }

  @Test
  void anotherKeyIsRefusedAtOnceAndSaysWhatToDo() {
    JoinedNetwork a = join(settings("a"));
    assertThatThrownBy(
            () -> join(settings("b", NetworkKey.generate().tls(), Set.of(), a.linkAddress())))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(a.linkAddress().toString())
        .hasMessageContaining("network key")
        .hasMessageContaining("use that network's key");
  }

  @Test
  void namesThatAreNotOnTheWhitelistAreRefused() {
    JoinedNetwork a = join(settings("a", tls, Set.of("b")));
    JoinedNetwork b = join(settings("b", a.linkAddress()));
    awaitNames(Set.of("a", "b"), a, b);
    assertThatThrownBy(() -> join(settings("c", a.linkAddress())))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("the name \"c\" is not on the whitelist of node \"a\"");
  }

  @Test
  void namesThatAreTakenAreRefused() {
    JoinedNetwork a = join(settings("a"));
    JoinedNetwork b = join(settings("b", a.linkAddress()));
    awaitNames(Set.of("a", "b"), a, b);
    assertThatThrownBy(() -> join(settings("b", a.linkAddress())))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("the name \"b\" is taken by the node at " + b.linkAddress());
    assertThatThrownBy(() -> join(settings("a", a.linkAddress())))
        .hasMessageContaining("the name \"a\" is taken by the node at " + a.linkAddress());
    awaitNames(Set.of("a", "b"), a, b);
  }

  @Test
  void aKilledNodeThatRestartsIsAcceptedAtOnce() throws Exception {
    JoinedNetwork a = join(patient("a", Duration.ofHours(1)));
    JoinedNetwork b = join(patient("b", Duration.ofHours(1), a.linkAddress()));
    awaitNames(Set.of("a", "b"), a, b);
    long first = a.states().getLast().incarnation();
    kill(b);

    JoinedNetwork again = join(patient("b", Duration.ofHours(1), a.linkAddress()));
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(a.states().getLast().incarnation())
                    .isNotEqualTo(first)
                    .isEqualTo(again.states().getLast().incarnation()));
  }

  @Test
  void aNodeThatWakesAfterItsNameWasTakenIsNotified() throws Exception {
    Duration patience = Duration.ofSeconds(1);
    JoinedNetwork a = join(patient("a", patience));
    BlockingQueue<String> notified = new LinkedBlockingQueue<>();
    HostPort any = new HostPort("127.0.0.1", 0);
    JoinedNetwork frozen =
        join(
            NetworkSettings.of("b", any, tls)
                .withJoin(List.of(a.linkAddress()))
                .withLinkTimeout(patience)
                .withOnNameTaken(notified::add));
    awaitNames(Set.of("a", "b"), a, frozen);
    DISCARD silence = MemberTests.silence(frozen.membership().channel());
    awaitNames(Set.of("a"), a);
    JoinedNetwork later = join(patient("b", patience, a.linkAddress()));
    awaitNames(Set.of("a", "b"), a, later);

    silence.discardAll(false);
    assertThat(notified.poll(SOON.toSeconds(), TimeUnit.SECONDS))
        .isEqualTo(
            "the name \"b\" is taken by the node at %s: give this one another name"
                .formatted(later.linkAddress()));
    assertThat(a.states().getLast().linkAddress()).isEqualTo(later.linkAddress());
  }

  @Test
  void aNodeMayStartBeforeThoseItJoinsBy() throws Exception {
    HostPort later = free();
    CompletableFuture<JoinedNetwork> early;
    try (ServerSocket nobody =
        new ServerSocket(later.port(), 1, InetAddress.getLoopbackAddress())) {
      early = CompletableFuture.supplyAsync(() -> join(settings("early", later)));
      nobody.accept().close();
    }
    assertThat(early).isNotDone();
    JoinedNetwork a = join(settings("a", later, tls, Set.of()));
    await().atMost(SOON).until(early::isDone);
    awaitNames(Set.of("a", "early"), a, early.join());
  }

  @Test
  void nodesThatNameEachOtherMayStartAtOnce() throws Exception {
    HostPort one = free();
    HostPort two = free();
    CompletableFuture<JoinedNetwork> b =
        CompletableFuture.supplyAsync(() -> join(settings("b", two, tls, Set.of(), one, two)));
    CompletableFuture<JoinedNetwork> a =
        CompletableFuture.supplyAsync(() -> join(settings("a", one, tls, Set.of(), one, two)));
    awaitNames(Set.of("a", "b"), a.join(), b.join());
  }

  @Test
  void aNetworkThatRestartedElsewhereIsFound() throws Exception {
    HostPort known = free();
    JoinedNetwork a = join(settings("a", known, tls, Set.of()));
    JoinedNetwork b = join(patient("b", Duration.ofSeconds(1), known));
    awaitNames(Set.of("a", "b"), a, b);
    a.close();
    awaitNames(Set.of("b"), b);

    JoinedNetwork again =
        join(
            NetworkSettings.of("a", known, tls)
                .withAddresses(
                    new NetworkSettings.Addresses(known, null, List.of(), free().port())));
    awaitNames(Set.of("a", "b"), again, b);
  }

  @Test
  void anotherArithmeticIsRefused() {
    MemberAdmission desk = new MemberAdmission(new NodeIdentity("a", 1, tls, false), Set.of());
    assertThat(desk.refusalReason(hello("b", SupportedNumerics.CURRENT.common()))).isNull();
    assertThat(desk.refusalReason(hello("b", SupportedNumerics.CURRENT.common() + 1)))
        .contains("node \"b\" uses version 2", "run the same release");
    assertThat(desk.refusalReason(hello("b b", SupportedNumerics.CURRENT.common())))
        .contains("1 to 64 of the characters");
  }

  @Test
  void settingsSayWhatIsWrong() {
    assertThatThrownBy(() -> settings("no name"))
        .hasMessage(
            "\"no name\" is no name for a node: 1 to 64 of the characters A-Z a-z 0-9 . _ -");
    JoinedNetwork a = join(settings("a"));
    assertThatThrownBy(() -> join(settings("b", a.linkAddress(), tls, Set.of())))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(a.linkAddress().toString());
  }

  @Test
  void aNodeThatListensOnAllAddressesAdvertisesOneOfThem() {
    assertThat(OwnAddresses.of(HostPort.parse("127.0.0.1:0"), null))
        .isEqualTo(new OwnAddresses("127.0.0.1", "127.0.0.1"));
    assertThat(OwnAddresses.of(HostPort.parse("0.0.0.0:0"), HostPort.parse("127.0.0.1:5")))
        .isEqualTo(new OwnAddresses("127.0.0.1", "127.0.0.1"));
    OwnAddresses chosen = OwnAddresses.of(HostPort.parse("0.0.0.0:0"), null);
    assertThat(chosen.advertised()).isEqualTo(chosen.bound()).isNotEqualTo("0.0.0.0");
    assertThat(OwnAddresses.of(HostPort.parse("0.0.0.0:0"), HostPort.parse("192.0.2.1:5")))
        .isEqualTo(new OwnAddresses("192.0.2.1", chosen.bound()));
    assertThat(OwnAddresses.of(HostPort.parse("127.0.0.1:0"), HostPort.parse("192.0.2.1:5")))
        .isEqualTo(new OwnAddresses("192.0.2.1", "127.0.0.1"));
  }

  private JoinedNetwork join(NetworkSettings settings) {
    JoinedNetwork network =
        JoinedNetwork.join(
            settings, UnaryOperator.identity(), new Noting(settings.name()), all -> {});
    open.add(network);
    return network;
  }

  private static NetworkSettings settings(String name, HostPort... join) {
    return settings(name, tls, Set.of(), join);
  }

  private static NetworkSettings patient(String name, Duration patience, HostPort... join) {
    HostPort any = new HostPort("127.0.0.1", 0);
    return NetworkSettings.of(name, any, tls).withJoin(List.of(join)).withLinkTimeout(patience);
  }

  private static NetworkSettings settings(
      String name, SSLContext by, Set<String> whitelist, HostPort... join) {
    return settings(name, new HostPort("127.0.0.1", 0), by, whitelist, join);
  }

  private static NetworkSettings settings(
      String name, HostPort listen, SSLContext by, Set<String> whitelist, HostPort... join) {
    return NetworkSettings.of(name, listen, by)
        .withJoin(List.of(join))
        .withTrust(new NetworkSettings.Trust(by, false, whitelist));
  }

  private static Hello hello(String name, int numerics) {
    return new Hello(name, 2, numerics, Hello.Purpose.LINK, "", null);
  }

  private static HostPort free() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new HostPort("127.0.0.1", socket.getLocalPort());
    }
  }

  /** Its membership falls silent without leaving, and its links break. */
  private static void kill(JoinedNetwork network) throws Exception {
    MemberTests.silence(network.membership().channel());
    network.close();
  }

  private static void awaitNames(Set<String> names, JoinedNetwork... networks) {
    MemberTests.awaitNames(names, List.of(networks), JoinedNetwork::states);
  }

  private final class Noting implements MessageReceiver {
    private final String name;

    Noting(String name) {
      this.name = name;
    }

    @Override
    public void received(String from, NodeMessage message) {
      received.add("%s: %s %d from %s".formatted(name, message.kind(), message.session(), from));
    }

    @Override
    public void lost(String node, String why) {
      received.add("%s: lost %s".formatted(name, node));
    }
  }
}
