package dev.millrace.http.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.millrace.http.route.Problem;
import org.junit.jupiter.api.Test;

/** The memory budget that requests share. */
final class RequestMemoryBudgetTest {
  private static final int LARGE = 1_000_000;

  private final RequestMemoryBudget room = new RequestMemoryBudget(LARGE, "try later");

  @Test
  void largeRequestsLeaveRoomForSmallOnes() {
    try (RequestMemoryBudget.Reservation large = room.newReservation();
        RequestMemoryBudget.Reservation other = room.newReservation();
        RequestMemoryBudget.Reservation small = room.newReservation()) {
      large.reserve(LARGE);
      assertThatExceptionOfType(Problem.class)
          .isThrownBy(() -> other.reserve(RequestMemoryBudget.SMALL + 1))
          .matches(problem -> problem.kind() == Problem.Kind.UNAVAILABLE)
          .matches(problem -> problem.headers().containsKey("Retry-After"))
          .withMessage("try later");
      assertThatCode(() -> small.reserve(RequestMemoryBudget.SMALL)).doesNotThrowAnyException();
    }
    try (RequestMemoryBudget.Reservation next = room.newReservation()) {
      assertThatCode(() -> next.reserve(LARGE))
          .doesNotThrowAnyException(); // everything was released
    }
  }

  @Test
  void smallRequestsAreLimitedToo() {
    RequestMemoryBudget.Reservation[] shares = new RequestMemoryBudget.Reservation[100];
    int taken = 0;
    try {
      for (; taken < shares.length; taken++) {
        shares[taken] = room.newReservation();
        shares[taken].reserve(RequestMemoryBudget.SMALL);
      }
    } catch (Problem e) {
      assertThat(e.kind()).isEqualTo(Problem.Kind.UNAVAILABLE);
    }
    assertThat(taken).isEqualTo((LARGE + LARGE / 4) / RequestMemoryBudget.SMALL);
  }

  @Test
  void forcedReservationSucceedsAndOthersWait() {
    try (RequestMemoryBudget.Reservation must = room.newReservation();
        RequestMemoryBudget.Reservation other = room.newReservation()) {
      must.forceAtLeast(3L * LARGE);
      assertThatExceptionOfType(Problem.class).isThrownBy(() -> other.reserve(1));
    }
    assertThatCode(() -> room.newReservation().reserve(LARGE)).doesNotThrowAnyException();
  }

  @Test
  void reservationKnowsWhatCanNeverFit() {
    try (RequestMemoryBudget.Reservation share = room.newReservation()) {
      share.reserve(10);
      assertThat(share.couldReserve(LARGE - 10)).isTrue();
      assertThat(share.couldReserve(LARGE - 9)).isFalse();
      share.reserveAtLeast(5);
      share.reserveAtLeast(20);
      assertThat(share.couldReserve(LARGE - 20)).isTrue();
      assertThat(share.couldReserve(LARGE - 19)).isFalse();
    }
  }
}
