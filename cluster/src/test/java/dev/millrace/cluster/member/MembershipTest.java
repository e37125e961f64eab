package dev.millrace.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Identity;
import dev.millrace.cluster.wire.NetworkKey;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jgroups.BytesMessage;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class MembershipTest {
  private static final Duration SUSPECT = Duration.ofSeconds(2);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static SSLContext tls;

  private final List<Membership> open = new ArrayList<>();

  @BeforeAll
  static void makeKey() {
    tls = NetworkKey.generate().tls();
  }

  @AfterEach
  void leaveNoThread() {
    open.forEach(Membership::close);
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.contains("millrace")));
  }

  @Test
  void threeMembersSeeEachOtherAndEachChange() {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    Membership c = join(tls, "c", a);
    awaitNames(Set.of("a", "b", "c"), a, b, c);
    assertThat(a.states()).extracting(NodeState::member).doesNotHaveDuplicates();

    b.announce(state("b").withSessions(3, 0, 0).withNumber(1));
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
  void whoLeavesIsGoneAtOnce() {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    awaitNames(Set.of("a", "b"), a, b);
    b.close();
    await().atMost(SUSPECT).untilAsserted(() -> assertThat(names(a)).isEqualTo(Set.of("a")));
  }

  @Test
  void whoIsKilledIsMissedAndMayComeBackUnderItsName() throws Exception {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    awaitNames(Set.of("a", "b"), a, b);
    kill(b);

    Membership again = join(tls, "b", a);
    again.announce(state("b").withSessions(7, 0, 0).withNumber(1));
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(a.states())
                    .filteredOn(each -> each.name().equals("b"))
                    .extracting(NodeState::sessions)
                    .containsExactly(7));
    again.close();
    await().atMost(SOON).untilAsserted(() -> assertThat(names(a)).isEqualTo(Set.of("a")));
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
              assertThat(names(a)).isEqualTo(Set.of("a", "b"));
              assertThat(names(b)).isEqualTo(Set.of("a", "b"));
              assertThat(names(c)).isEqualTo(Set.of("c"));
            });

    c.announce(state("c").withSessions(5, 0, 0).withNumber(1));
    walls.forEach(DISCARD::resetIgnoredMembers);
    awaitNames(Set.of("a", "b", "c"), a, b, c);
    assertThat(a.states()).extracting(NodeState::sessions).contains(5);
  }

  @Test
  void whatIsNotUnderstoodOrSpeaksForAnotherIsDropped() throws Exception {
    Membership a = join(tls, "a");
    Membership b = join(tls, "b", a);
    awaitNames(Set.of("a", "b"), a, b);

    b.channel().send(new BytesMessage(null, new byte[] {1, 2, 3}));
    b.channel().send(new BytesMessage(null, new byte[Codec.MAX_STATE_BYTES + 1]));
    b.channel()
        .send(
            new BytesMessage(
                null, Codec.encode(state("a").withSessions(9, 0, 0).withNumber(99)).array()));
    b.channel()
        .send(
            new BytesMessage(
                null, Codec.encode(state("x").withSessions(9, 0, 0).withNumber(99)).array()));
    b.announce(state("b").withSessions(1, 0, 0).withNumber(1));
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(a.states()).extracting(NodeState::sessions).contains(1));
    assertThat(a.states()).extracting(NodeState::sessions).containsExactly(0, 1);
  }

  @Test
  void anotherKeyGetsNothing() {
    Membership a = join(tls, "a");
    Membership stranger = join(NetworkKey.generate().tls(), "stranger", a);
    assertThat(names(a)).isEqualTo(Set.of("a"));
    assertThat(names(stranger)).isEqualTo(Set.of("stranger"));
  }

  @Test
  void silentAndPlainConnectionsHoldNobodyUp() throws Exception {
    Membership a = join(tls, "a");
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
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

  private Membership join(SSLContext by, String name, Membership... others) {
    Membership joined =
        Membership.join(
            new Identity(name, 1, by, false),
            new MembershipSettings(
                new HostPort("127.0.0.1", 0),
                "127.0.0.1",
                List.of(others).stream().map(Membership::address).toList(),
                SUSPECT,
                any -> true),
            state(name),
            states -> {});
    open.add(joined);
    return joined;
  }

  private static NodeState state(String name) {
    HostPort nowhere = new HostPort("127.0.0.1", 1);
    return NodeState.of(name, 1, 1, 1, nowhere, nowhere);
  }

  private static void kill(Membership member) throws Exception {
    DISCARD silence = new DISCARD().discardAll(true);
    member
        .channel()
        .getProtocolStack()
        .insertProtocol(silence, ProtocolStack.Position.ABOVE, TP.class);
    member.close();
  }

  private static void awaitNames(Set<String> names, Membership... members) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              for (Membership each : members) {
                assertThat(names(each)).isEqualTo(names);
              }
            });
  }

  private static Set<String> names(Membership member) {
    return member.states().stream().map(NodeState::name).collect(Collectors.toSet());
  }
}
