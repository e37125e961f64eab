package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.HostPort;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * How a member finds and watches the others.
 *
 * @param bind where its membership listens: an address of this machine; port 0: a free one
 * @param host what others are told instead of {@code bind}'s host, or that again
 * @param members addresses of the membership of others; empty for the first of a network
 * @param suspect a member that is silent for so long is left out
 * @param known names that may be members: what others say is not listened to
 * @param taken told where a later life of this member's name is, by a thread that must not wait
 */
public record MembershipSettings(
    HostPort bind,
    String host,
    List<HostPort> members,
    Duration suspectTimeout,
    Predicate<String> isAllowedName,
    Consumer<HostPort> onNameTaken) {
  /** What is usual for {@code suspect}. */
  public static final Duration DEFAULT_SUSPECT_TIMEOUT = Duration.ofSeconds(6);

  public MembershipSettings {
    members = List.copyOf(members);
  }

  /** With what is usual. */
  public MembershipSettings(HostPort bind, List<HostPort> members) {
    this(bind, bind.host(), members, DEFAULT_SUSPECT_TIMEOUT, name -> true, at -> {});
  }
}
