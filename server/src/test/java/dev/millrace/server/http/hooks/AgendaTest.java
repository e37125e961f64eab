package dev.millrace.server.http.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.server.http.hooks.Agenda.Parcel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AgendaTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static HookLine line(int n) {
    return new HookLine(JobId.of(n, 1, 0), 0);
  }

  private static Parcel parcel(int n, String host) {
    return new Parcel(line(n), host, new Telling(1, NOW, Webhook.Event.COMPLETED, 0));
  }

  private static List<String> takeOffAll(Agenda agenda) {
    List<String> hosts = new ArrayList<>();
    for (Optional<Parcel> next = agenda.takeOff(); next.isPresent(); next = agenda.takeOff()) {
      hosts.add(next.get().host());
    }
    return hosts;
  }

  @Test
  void hostsTakeTurnsAndNoneHasMoreThanItsShareAtOnce() {
    Agenda agenda = new Agenda(100, 5, 2);
    for (int i = 0; i < 4; i++) {
      agenda.park(parcel(i, "a"));
    }
    agenda.park(parcel(10, "b"));
    agenda.park(parcel(11, "c"));
    agenda.park(parcel(12, "d"));
    assertThat(takeOffAll(agenda)).containsExactly("a", "b", "c", "d", "a");
    agenda.land(parcel(0, "a"));
    assertThat(takeOffAll(agenda)).containsExactly("a");
    assertThat(takeOffAll(agenda)).isEmpty();
  }

  @Test
  void aLineIsNeverOnItsWayTwice() {
    Agenda agenda = new Agenda(100, 5, 5);
    agenda.park(parcel(1, "a"));
    agenda.park(parcel(1, "a"));
    assertThat(takeOffAll(agenda)).hasSize(1);
    agenda.park(parcel(1, "a"));
    agenda.later(line(1), NOW);
    assertThat(agenda.isFlying(line(1))).isTrue();
    assertThat(takeOffAll(agenda)).isEmpty();
    assertThat(agenda.due(NOW)).isEmpty();
    assertThat(agenda.land(parcel(1, "a"))).as("somebody asked meanwhile").isTrue();
    agenda.park(parcel(1, "a"));
    assertThat(takeOffAll(agenda)).hasSize(1);
    assertThat(agenda.land(parcel(1, "a"))).isFalse();
    assertThat(agenda.size()).isZero();
  }

  @Test
  void whoHasLongestToWaitIsForgottenFirst() {
    Agenda agenda = new Agenda(3, 1, 1);
    for (int i = 1; i <= 5; i++) {
      agenda.later(line(i), NOW.plusSeconds(i));
    }
    assertThat(agenda.size()).isEqualTo(3);
    assertThat(agenda.forgotten()).contains(NOW.plusSeconds(4));
    assertThat(agenda.nextDue()).contains(NOW.plusSeconds(1));
    assertThat(agenda.due(NOW)).isEmpty();
    assertThat(agenda.due(NOW.plusSeconds(1))).contains(line(1));
    agenda.later(line(2), NOW.plusSeconds(9));
    assertThat(agenda.due(NOW.plusSeconds(8))).contains(line(3));
    assertThat(agenda.due(NOW.plusSeconds(8))).isEmpty();
  }

  @Test
  void oneHostCannotTakeAllTheRoom() {
    Agenda agenda = new Agenda(40, 1, 1);
    for (int i = 1; i <= 100; i++) {
      agenda.park(parcel(i, "dead"));
    }
    assertThat(agenda.size()).isEqualTo(10);
    assertThat(agenda.forgotten()).isPresent();
    agenda.park(parcel(200, "alive"));
    assertThat(takeOffAll(agenda)).containsExactly("dead");
    agenda.land(parcel(1, "dead"));
    assertThat(takeOffAll(agenda)).containsExactly("alive");
  }
}
