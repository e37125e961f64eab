package dev.millrace.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

/** Memory that requests share. */
final class RoomTest {
  private static final int LARGE = 1_000_000;

  private final Room room = new Room(LARGE, "try later");

  @Test
  void largeOnesLeaveRoomForSmallOnes() {
    try (Room.Share large = room.share();
        Room.Share other = room.share();
        Room.Share small = room.share()) {
      large.add(LARGE);
      assertThatExceptionOfType(Problem.class)
          .isThrownBy(() -> other.add(Room.SMALL + 1))
          .matches(problem -> problem.kind() == Problem.Kind.UNAVAILABLE)
          .matches(problem -> problem.headers().containsKey("Retry-After"))
          .withMessage("try later");
      assertThatCode(() -> small.add(Room.SMALL)).doesNotThrowAnyException();
    }
    try (Room.Share next = room.share()) {
      assertThatCode(() -> next.add(LARGE)).doesNotThrowAnyException(); // all was given back
    }
  }

  @Test
  void smallOnesHaveAnEndToo() {
    Room.Share[] shares = new Room.Share[100];
    int taken = 0;
    try {
      for (; taken < shares.length; taken++) {
        shares[taken] = room.share();
        shares[taken].add(Room.SMALL);
      }
    } catch (Problem e) {
      assertThat(e.kind()).isEqualTo(Problem.Kind.UNAVAILABLE);
    }
    assertThat(taken).isEqualTo((LARGE + LARGE / 4) / Room.SMALL);
  }

  @Test
  void whatMustBeSaidIsSaidAndOthersWait() {
    try (Room.Share must = room.share();
        Room.Share other = room.share()) {
      must.insist(3L * LARGE);
      assertThatExceptionOfType(Problem.class).isThrownBy(() -> other.add(1));
    }
    assertThatCode(() -> room.share().add(LARGE)).doesNotThrowAnyException();
  }

  @Test
  void aShareKnowsWhatItCouldNeverHave() {
    try (Room.Share share = room.share()) {
      share.add(10);
      assertThat(share.couldAdd(LARGE - 10)).isTrue();
      assertThat(share.couldAdd(LARGE - 9)).isFalse();
      share.atLeast(5);
      share.atLeast(20);
      assertThat(share.couldAdd(LARGE - 20)).isTrue();
      assertThat(share.couldAdd(LARGE - 19)).isFalse();
    }
  }
}
