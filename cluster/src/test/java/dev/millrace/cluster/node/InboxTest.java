package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class InboxTest {
  private final Inbox inbox = new Inbox();
  private final List<String> done = new ArrayList<>();

  private void runAll() throws InterruptedException {
    for (Runnable next; (next = inbox.take(0, TimeUnit.NANOSECONDS)) != null; ) {
      next.run();
    }
  }

  @Test
  void lanesTakeTurnsWhateverOneBrings() throws InterruptedException {
    Inbox.Lane busy = inbox.lane(8);
    Inbox.Lane quiet = inbox.lane(8);
    for (int i = 0; i < 4; i++) {
      int number = i;
      busy.put(true, () -> done.add("busy" + number));
    }
    quiet.put(true, () -> done.add("quiet0"));
    quiet.put(true, () -> done.add("quiet1"));
    runAll();
    assertThat(done).containsExactly("busy0", "quiet0", "busy1", "quiet1", "busy2", "busy3");
  }

  @Test
  void laneThatCameLaterIsNextAfterTheOneAtWork() throws InterruptedException {
    Inbox.Lane busy = inbox.lane(8);
    Inbox.Lane late = inbox.lane(8);
    busy.put(true, () -> late.put(true, () -> done.add("late")));
    busy.put(true, () -> done.add("busy1"));
    busy.put(true, () -> done.add("busy2"));
    runAll();
    assertThat(done).containsExactly("busy1", "late", "busy2");
  }

  @Test
  void errandsComeFirst() throws InterruptedException {
    inbox.lane(1).put(true, () -> done.add("frame"));
    inbox.put(() -> done.add("errand"));
    runAll();
    assertThat(done).containsExactly("errand", "frame");
  }

  @Test
  void laneClosesWithOneStepTooMany() throws InterruptedException {
    Inbox.Lane lane = inbox.lane(2);
    assertThat(lane.put(true, () -> done.add("0"))).isTrue();
    assertThat(lane.put(false, () -> done.add("small"))).isTrue();
    assertThat(lane.put(true, () -> done.add("1"))).isTrue();
    assertThat(lane.put(true, () -> done.add("2"))).isFalse();
    runAll();
    assertThat(done).isEmpty();
    assertThat(lane.put(true, () -> done.add("3"))).as("of a session that is over").isTrue();
    runAll();
    assertThat(done).isEmpty();
  }

  @Test
  void stepThatWasTakenMakesRoomForAnother() throws InterruptedException {
    Inbox.Lane lane = inbox.lane(1);
    for (int i = 0; i < 5; i++) {
      int number = i;
      assertThat(lane.put(true, () -> done.add("" + number))).isTrue();
      runAll();
    }
    assertThat(done).containsExactly("0", "1", "2", "3", "4");
  }

  @Test
  void smallFramesAreBoundedToo() {
    Inbox.Lane lane = inbox.lane(1);
    for (int i = 0; i < Inbox.MOST_SMALL; i++) {
      assertThat(lane.put(false, () -> {})).isTrue();
    }
    assertThat(lane.put(false, () -> {})).isFalse();
  }

  @Test
  void peersThatBringTooManyErrandsWait() throws InterruptedException {
    for (int i = 0; i < Inbox.MOST_ERRANDS; i++) {
      inbox.put(() -> done.add("x"));
    }
    Thread peer = Thread.ofPlatform().start(() -> inbox.putWaiting(() -> done.add("last")));
    Awaitility.await().until(() -> peer.getState() == Thread.State.WAITING);
    Runnable first = inbox.take(0, TimeUnit.NANOSECONDS);
    assertThat(first).isNotNull();
    peer.join();
    runAll();
    assertThat(done).hasSize(Inbox.MOST_ERRANDS).endsWith("last");
  }

  @Test
  void closedInboxTakesNothingAndHoldsNobody() throws InterruptedException {
    Inbox.Lane lane = inbox.lane(1);
    lane.put(true, () -> done.add("frame"));
    inbox.put(() -> done.add("errand"));
    inbox.close();
    assertThat(inbox.put(() -> done.add("late"))).isFalse();
    runAll();
    assertThat(done).containsExactly("errand");
  }
}
