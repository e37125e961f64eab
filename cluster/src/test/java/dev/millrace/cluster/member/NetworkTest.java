package dev.millrace.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.Hello;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Identity;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.NetworkKey;
import dev.millrace.cluster.wire.Receiver;
import dev.millrace.engine.Numerics;
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
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class NetworkTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static SSLContext tls;

  private final Queue<Network> open = new ConcurrentLinkedQueue<>();
  private final Queue<String> received = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void makeKey() {
    tls = NetworkKey.generate().tls();
  }

  @AfterEach
  void leaveNoThread() {
    open.forEach(Network::close);
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.contains("millrace")));
  }

  @Test
  void nodesFindEachOtherAndSendMessages() {
    Network a = join(settings("a"));
    Network b = join(settings("b", a.link()));
    Network c = join(settings("c", b.link()));
    awaitNames(Set.of("a", "b", "c"), a, b, c);

    c.announce(state -> state.withSessions(4, 0, 0));
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(a.states()).extracting(NodeState::sessions).containsExactly(0, 0, 4));

    a.post().send("c", new Message(Message.Kind.CLOSE, 17, ByteBuffer.allocate(0)));
    await().atMost(SOON).untilAsserted(() -> assertThat(received).contains("c: CLOSE 17 from a"));
    b.close();
    awaitNames(Set.of("a", "c"), a, c);
  }

  @Test
  void aChangeKeepsNameAddressesAndNumber() {
    Network a = join(settings("a"));
    NodeState before = a.states().getFirst();
    HostPort elsewhere = new HostPort("10.1.1.1", 1);
    a.announce(state -> NodeState.of("z", 0, 0, 0, elsewhere, elsewhere).withSessions(1, 0, 0));
    assertThat(a.states())
        .containsExactly(before.withSessions(1, 0, 0).withNumber(before.number() + 1));
    a.announce(UnaryOperator.identity());
    assertThat(a.states().getFirst().number()).isEqualTo(before.number() + 1);
  }

  @Test
  void commandsReadAllStatesWithoutBeingMembers() {
    Network a = join(settings("a"));
    Network b = join(settings("b", a.link()));
    awaitNames(Set.of("a", "b"), a, b);
    assertThat(StateCall.ask(tls, b.link())).extracting(NodeState::name).containsExactly("a", "b");
    assertThatThrownBy(() -> StateCall.ask(NetworkKey.generate().tls(), b.link()))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("network key");
    assertThat(names(a)).isEqualTo(Set.of("a", "b"));
  }

  @Test
  void anotherKeyIsRefusedAtOnceAndSaysWhatToDo() {
    Network a = join(settings("a"));
    assertThatThrownBy(() -> join(settings("b", NetworkKey.generate().tls(), Set.of(), a.link())))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(a.link().toString())
        .hasMessageContaining("network key")
        .hasMessageContaining("millrace keygen");
  }

  @Test
  void namesThatAreNotOnTheWhitelistAreRefused() {
    Network a = join(settings("a", tls, Set.of("b")));
    Network b = join(settings("b", a.link()));
    awaitNames(Set.of("a", "b"), a, b);
    assertThatThrownBy(() -> join(settings("c", a.link())))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("the name \"c\" is not on the whitelist of node \"a\"");
  }

  @Test
  void namesThatAreTakenAreRefused() {
    Network a = join(settings("a"));
    Network b = join(settings("b", a.link()));
    awaitNames(Set.of("a", "b"), a, b);
    assertThatThrownBy(() -> join(settings("b", a.link())))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("the name \"b\" is taken by the node at " + b.link());
    assertThatThrownBy(() -> join(settings("a", a.link())))
        .hasMessageContaining("the name \"a\" is taken by the node at " + a.link());
    awaitNames(Set.of("a", "b"), a, b);
  }

  @Test
  void theNextLifeOfAKilledNodeIsTakenAtOnce() throws Exception {
    Network a = join(patient("a", Duration.ofHours(1)));
    Network b = join(patient("b", Duration.ofHours(1), a.link()));
    awaitNames(Set.of("a", "b"), a, b);
    long first = a.states().getLast().incarnation();
    kill(b);

    Network again = join(patient("b", Duration.ofHours(1), a.link()));
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(a.states().getLast().incarnation())
                    .isNotEqualTo(first)
                    .isEqualTo(again.states().getLast().incarnation()));
  }

  @Test
  void aNodeThatWakesAfterItsNameWasTakenIsTold() throws Exception {
    Duration patience = Duration.ofSeconds(1);
    Network a = join(patient("a", patience));
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    HostPort any = new HostPort("127.0.0.1", 0);
    Network frozen =
        join(
            new NetworkSettings(
                "b", any, null, List.of(a.link()), tls, false, Set.of(), 0, patience, told::add));
    awaitNames(Set.of("a", "b"), a, frozen);
    DISCARD silence = new DISCARD().discardAll(true);
    frozen
        .membership()
        .channel()
        .getProtocolStack()
        .insertProtocol(silence, ProtocolStack.Position.ABOVE, TP.class);
    awaitNames(Set.of("a"), a);
    Network later = join(patient("b", patience, a.link()));
    awaitNames(Set.of("a", "b"), a, later);

    silence.discardAll(false);
    assertThat(told.poll(SOON.toSeconds(), TimeUnit.SECONDS))
        .isEqualTo(
            "the name \"b\" is taken by the node at %s: give this one another name"
                .formatted(later.link()));
    assertThat(a.states().getLast().link()).isEqualTo(later.link());
  }

  @Test
  void aNodeMayStartBeforeThoseItJoinsBy() throws Exception {
    HostPort later = free();
    CompletableFuture<Network> early;
    try (ServerSocket nobody =
        new ServerSocket(later.port(), 1, InetAddress.getLoopbackAddress())) {
      early = CompletableFuture.supplyAsync(() -> join(settings("early", later)));
      nobody.accept().close();
    }
    assertThat(early).isNotDone();
    Network a = join(settings("a", later, tls, Set.of()));
    await().atMost(SOON).until(early::isDone);
    awaitNames(Set.of("a", "early"), a, early.join());
  }

  @Test
  void nodesThatNameEachOtherMayStartAtOnce() throws Exception {
    HostPort one = free();
    HostPort two = free();
    CompletableFuture<Network> b =
        CompletableFuture.supplyAsync(() -> join(settings("b", two, tls, Set.of(), one, two)));
    CompletableFuture<Network> a =
        CompletableFuture.supplyAsync(() -> join(settings("a", one, tls, Set.of(), one, two)));
    awaitNames(Set.of("a", "b"), a.join(), b.join());
  }

  @Test
  void aNetworkThatBeganAnewElsewhereIsFound() throws Exception {
    HostPort known = free();
    Network a = join(settings("a", known, tls, Set.of()));
    Network b = join(patient("b", Duration.ofSeconds(1), known));
    awaitNames(Set.of("a", "b"), a, b);
    a.close();
    awaitNames(Set.of("b"), b);

    Network again =
        join(
            new NetworkSettings(
                "a",
                known,
                null,
                List.of(),
                tls,
                false,
                Set.of(),
                free().port(),
                Duration.ofSeconds(5)));
    awaitNames(Set.of("a", "b"), again, b);
  }

  @Test
  void anotherArithmeticIsRefused() {
    Desk desk = new Desk(new Identity("a", 1, tls, false), Set.of());
    assertThat(desk.refuse(hello("b", Numerics.VERSION))).isNull();
    assertThat(desk.refuse(hello("b", Numerics.VERSION + 1)))
        .contains("node \"b\" computes by version 2", "run the same release");
    assertThat(desk.refuse(hello("b b", Numerics.VERSION))).contains("1 to 64 of the characters");
  }

  @Test
  void settingsSayWhatIsWrong() {
    assertThatThrownBy(() -> settings("no name"))
        .hasMessage(
            "\"no name\" is no name for a node: 1 to 64 of the characters A-Z a-z 0-9 . _ -");
    Network a = join(settings("a"));
    assertThatThrownBy(() -> join(settings("b", a.link(), tls, Set.of())))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(a.link().toString());
  }

  @Test
  void whoListensEverywhereIsReachedByAnAddress() {
    assertThat(Addresses.of(HostPort.parse("127.0.0.1:0"), null))
        .isEqualTo(new Addresses("127.0.0.1", "127.0.0.1"));
    assertThat(Addresses.of(HostPort.parse("0.0.0.0:0"), HostPort.parse("127.0.0.1:5")))
        .isEqualTo(new Addresses("127.0.0.1", "127.0.0.1"));
    Addresses chosen = Addresses.of(HostPort.parse("0.0.0.0:0"), null);
    assertThat(chosen.told()).isEqualTo(chosen.bound()).isNotEqualTo("0.0.0.0");
    assertThat(Addresses.of(HostPort.parse("0.0.0.0:0"), HostPort.parse("192.0.2.1:5")))
        .isEqualTo(new Addresses("192.0.2.1", chosen.bound()));
    assertThat(Addresses.of(HostPort.parse("127.0.0.1:0"), HostPort.parse("192.0.2.1:5")))
        .isEqualTo(new Addresses("192.0.2.1", "127.0.0.1"));
  }

  private Network join(NetworkSettings settings) {
    Network network =
        Network.join(settings, UnaryOperator.identity(), new Noting(settings.name()), all -> {});
    open.add(network);
    return network;
  }

  private static NetworkSettings settings(String name, HostPort... join) {
    return settings(name, tls, Set.of(), join);
  }

  private static NetworkSettings patient(String name, Duration patience, HostPort... join) {
    HostPort any = new HostPort("127.0.0.1", 0);
    return new NetworkSettings(name, any, null, List.of(join), tls, false, Set.of(), 0, patience);
  }

  private static NetworkSettings settings(
      String name, SSLContext by, Set<String> whitelist, HostPort... join) {
    return settings(name, new HostPort("127.0.0.1", 0), by, whitelist, join);
  }

  private static NetworkSettings settings(
      String name, HostPort listen, SSLContext by, Set<String> whitelist, HostPort... join) {
    Duration patience = Duration.ofSeconds(5);
    return new NetworkSettings(
        name, listen, null, List.of(join), by, false, whitelist, 0, patience);
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
  private static void kill(Network network) throws Exception {
    network
        .membership()
        .channel()
        .getProtocolStack()
        .insertProtocol(new DISCARD().discardAll(true), ProtocolStack.Position.ABOVE, TP.class);
    network.close();
  }

  private static void awaitNames(Set<String> names, Network... networks) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              for (Network each : networks) {
                assertThat(names(each)).isEqualTo(names);
              }
            });
  }

  private static Set<String> names(Network network) {
    return network.states().stream().map(NodeState::name).collect(Collectors.toSet());
  }

  private final class Noting implements Receiver {
    private final String name;

    Noting(String name) {
      this.name = name;
    }

    @Override
    public void received(String from, Message message) {
      received.add("%s: %s %d from %s".formatted(name, message.kind(), message.session(), from));
    }

    @Override
    public void lost(String node, String why) {
      received.add("%s: lost %s".formatted(name, node));
    }
  }
}
