package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.HostPort;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The settings for how a member finds and watches the others.
 *
 * @param bind address of this machine to listen on; port 0: a free one
 * @param host the host that others use instead of {@code bind}'s
 * @param members addresses of other members; empty for the first of a network
 * @param suspectTimeout a member that is silent for this long is removed
 * @param isAllowedName states of nodes with other names are ignored
 * @param onNameTaken called with the address of a newer node with this member's name, by a thread
 *     that must not wait
 */
public record MembershipSettings(
    HostPort bind,
    String host,
    List<HostPort> members,
    Duration suspectTimeout,
    Predicate<String> isAllowedName,
    Consumer<HostPort> onNameTaken) {
  /** Default of {@code suspectTimeout}. */
  public static final Duration DEFAULT_SUSPECT_TIMEOUT = Duration.ofSeconds(6);

  public MembershipSettings {
    members = List.copyOf(members);
  }

  /** With the defaults. */
  public MembershipSettings(HostPort bind, List<HostPort> members) {
    this(bind, bind.host(), members, DEFAULT_SUSPECT_TIMEOUT, name -> true, at -> {});
  }
}
