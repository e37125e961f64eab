package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.pipe.KvPages;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Keeps equal beginnings from being computed by many at the same time. A sequence that is admitted
 * while another has still to compute pages that it needs too follows that one, its leader: it
 * computes nothing, takes the pages up as they are filed, and begins once it has them all, or when
 * its leader leaves. Meanwhile it has its place, a slot and promised pages, as if it computed; so
 * following changes nothing about who is in, and nobody's turn. A turn gives its rows to the
 * leader, so that it is not later either than if it computed the pages itself.
 *
 * <p>A leader computes already or has the stronger claim, so that nobody follows in a circle; and
 * one that has begun never follows. At the head of every chain is one that gets on.
 */
final class PrefillDeduplicator {
  private final List<Sequence> admitted;
  private final PageAllocator ledger;
  private final boolean reuse;
  private final Consumer<Sequence> begin;

  /**
   * @param admitted in the order of claims
   * @param begin called with those that follow nobody, or no more
   */
  PrefillDeduplicator(
      List<Sequence> admitted, PageAllocator ledger, boolean reuse, Consumer<Sequence> begin) {
    this.admitted = admitted;
    this.ledger = ledger;
    this.reuse = reuse;
    this.begin = begin;
  }

  /** One that has just got its place, or has lost its leader, follows or begins. */
  void followOrBegin(Sequence sequence) {
    sequence.adoptSharedPages(ledger);
    follow(sequence);
    if (sequence.leader == null) {
      begin.accept(sequence);
    }
  }

  /** Lets all take up what is filed by now; those that have what they followed for go on. */
  void advance() {
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      if (sequence.leader != null) {
        sequence.adoptSharedPages(ledger);
        if (sequence.computed() >= sequence.followUntil) {
          followOrBegin(sequence);
        }
      }
    }
  }

  /** A sequence is no longer in: the strongest of its followers may be the next leader. */
  void leaderLeft(Sequence gone) {
    for (int i = 0; i < admitted.size(); i++) {
      if (admitted.get(i).leader == gone) {
        followOrBegin(admitted.get(i));
      }
    }
  }

  /** Notes whom it follows, and how far; nobody, where nobody has a page for it. */
  private void follow(Sequence sequence) {
    sequence.leader = null;
    boolean behind = false;
    for (int i = 0; reuse && i < admitted.size(); i++) {
      Sequence other = admitted.get(i);
      behind |= other == sequence;
      boolean leads = !behind || (other != sequence && other.leader == null);
      if (leads) {
        int common = common(sequence, other);
        if (common > sequence.computed()) {
          sequence.leader = other;
          sequence.followUntil = common;
          return;
        }
      }
    }
  }

  /** Positions in full pages that both have; the follower's last position is always its own. */
  private static int common(Sequence follower, Sequence leader) {
    int most = Math.min(follower.known() - 1, leader.known());
    if (most / KvPages.SIZE * KvPages.SIZE <= follower.computed()) {
      return 0;
    }
    int differs = Arrays.mismatch(follower.tokens(), 0, most, leader.tokens(), 0, most);
    return (differs < 0 ? most : differs) / KvPages.SIZE * KvPages.SIZE;
  }

  /** For tests: whether it computes, or follows one that is in and leads where it wants to go. */
  boolean isConsistent(Sequence sequence) {
    Sequence leader = sequence.leader;
    if (leader == null) {
      return sequence.reservedPages() == 0;
    }
    return admitted.contains(leader)
        && (leader.leader == null || leader.isBefore(sequence))
        && sequence.computed() < sequence.followUntil
        && sequence.followUntil <= common(sequence, leader);
  }
}
