package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.pipe.KvPageSize;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Keeps several sequences from computing the same prefix at the same time. A sequence that is
 * admitted while another still has to compute pages that both need follows that one, its leader: it
 * computes nothing, takes the pages as they are indexed, and starts when it has them all or its
 * leader leaves. Meanwhile it has a slot and reserved pages as if it computed, so following does
 * not change who is admitted or when. Its rows of a batch go to the leader, so it is not later than
 * if it computed the pages itself.
 *
 * <p>A leader computes already or has the stronger claim, so there is no circle; and a sequence
 * that has started never follows. At the head of every chain is one that makes progress.
 */
final class PrefillDeduplicator {
  private final List<Sequence> admitted;
  private final PageAllocator allocator;
  private final boolean reuse;
  private final Consumer<Sequence> begin;

  /**
   * @param admitted in the order of claims
   * @param begin called with sequences that follow none, or none any more
   */
  PrefillDeduplicator(
      List<Sequence> admitted, PageAllocator allocator, boolean reuse, Consumer<Sequence> begin) {
    this.admitted = admitted;
    this.allocator = allocator;
    this.reuse = reuse;
    this.begin = begin;
  }

  /**
   * Decides whether a sequence that was just admitted, or has lost its leader, follows or starts.
   */
  void followOrBegin(Sequence sequence) {
    sequence.adoptSharedPages(allocator);
    follow(sequence);
    if (sequence.leader == null) {
      begin.accept(sequence);
    }
  }

  /** Gives followers the pages that are indexed by now; those that have all their pages start. */
  void advance() {
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      if (sequence.leader != null) {
        sequence.adoptSharedPages(allocator);
        if (sequence.computed() >= sequence.followUntil) {
          followOrBegin(sequence);
        }
      }
    }
  }

  /** A sequence has left: the strongest of its followers may be the next leader. */
  void leaderLeft(Sequence gone) {
    for (int i = 0; i < admitted.size(); i++) {
      if (admitted.get(i).leader == gone) {
        followOrBegin(admitted.get(i));
      }
    }
  }

  /** Sets the leader and how far to follow; none if no sequence has a page for it. */
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

  /** The positions in full pages that both have; the follower always computes its last position. */
  private static int common(Sequence follower, Sequence leader) {
    int most = Math.min(follower.known() - 1, leader.known());
    if (most / KvPageSize.POSITIONS * KvPageSize.POSITIONS <= follower.computed()) {
      return 0;
    }
    int differs = Arrays.mismatch(follower.tokens(), 0, most, leader.tokens(), 0, most);
    return (differs < 0 ? most : differs) / KvPageSize.POSITIONS * KvPageSize.POSITIONS;
  }

  /** For tests: whether it computes, or follows an admitted leader that computes its pages. */
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
