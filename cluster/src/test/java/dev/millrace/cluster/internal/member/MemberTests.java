package dev.millrace.cluster.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cluster.NodeState;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jgroups.JChannel;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.stack.ProtocolStack;

/** What the tests of members share. */
final class MemberTests {
  static final Duration SOON = Duration.ofSeconds(60);

  private MemberTests() {}

  /** From now on a member neither sends nor receives, as if its machine were cut off. */
  static DISCARD silence(JChannel channel) throws Exception {
    DISCARD silence = new DISCARD().discardAll(true);
    channel.getProtocolStack().insertProtocol(silence, ProtocolStack.Position.ABOVE, TP.class);
    return silence;
  }

  /** Waits until all of these know exactly the members of these names. */
  static <T> void awaitNames(
      Set<String> names, List<T> members, Function<T, List<NodeState>> states) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              for (T member : members) {
                assertThat(names(states.apply(member))).isEqualTo(names);
              }
            });
  }

  static Set<String> names(List<NodeState> states) {
    return states.stream().map(NodeState::name).collect(Collectors.toSet());
  }

  /** Waits until no thread of a closed member is left. */
  static void awaitNoThread() {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.contains("millrace")));
  }
}
