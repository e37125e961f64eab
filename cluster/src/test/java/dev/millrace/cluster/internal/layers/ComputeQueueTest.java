package dev.millrace.cluster.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ComputeQueueTest {
  private final ComputeQueue inbox = new ComputeQueue();
  private final List<String> done = new ArrayList<>();

  private void runAll() throws InterruptedException {
    for (Runnable next; (next = inbox.take(0, TimeUnit.NANOSECONDS)) != null; ) {
      next.run();
    }
  }

  @Test
  void lanesTakeTurnsWhateverOneBrings() throws InterruptedException {
    ComputeQueue.SessionLane busy = inbox.openLane(8);
    ComputeQueue.SessionLane quiet = inbox.openLane(8);
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
    ComputeQueue.SessionLane busy = inbox.openLane(8);
    ComputeQueue.SessionLane late = inbox.openLane(8);
    busy.put(true, () -> late.put(true, () -> done.add("late")));
    busy.put(true, () -> done.add("busy1"));
    busy.put(true, () -> done.add("busy2"));
    runAll();
    assertThat(done).containsExactly("busy1", "late", "busy2");
  }

  @Test
  void errandsComeFirst() throws InterruptedException {
    inbox.openLane(1).put(true, () -> done.add("frame"));
    inbox.addTask(() -> done.add("errand"));
    runAll();
    assertThat(done).containsExactly("errand", "frame");
  }

  @Test
  void laneClosesWithOneStepTooMany() throws InterruptedException {
    ComputeQueue.SessionLane lane = inbox.openLane(2);
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
    ComputeQueue.SessionLane lane = inbox.openLane(1);
    for (int i = 0; i < 5; i++) {
      int number = i;
      assertThat(lane.put(true, () -> done.add("" + number))).isTrue();
      runAll();
    }
    assertThat(done).containsExactly("0", "1", "2", "3", "4");
  }

  @Test
  void smallFramesAreBoundedToo() {
    ComputeQueue.SessionLane lane = inbox.openLane(1);
    for (int i = 0; i < ComputeQueue.MAX_OTHER_FRAMES; i++) {
      assertThat(lane.put(false, () -> {})).isTrue();
    }
    assertThat(lane.put(false, () -> {})).isFalse();
  }

  @Test
  void peersThatBringTooManyErrandsWait() throws InterruptedException {
    for (int i = 0; i < ComputeQueue.MAX_TASKS; i++) {
      inbox.addTask(() -> done.add("x"));
    }
    Thread peer = Thread.ofPlatform().start(() -> inbox.addTaskOrWait(() -> done.add("last")));
    Awaitility.await().until(() -> peer.getState() == Thread.State.WAITING);
    Runnable first = inbox.take(0, TimeUnit.NANOSECONDS);
    assertThat(first).isNotNull();
    peer.join();
    runAll();
    assertThat(done).hasSize(ComputeQueue.MAX_TASKS).endsWith("last");
  }

  @Test
  void aClosedQueueAcceptsNothingAndBlocksNoThread() throws InterruptedException {
    ComputeQueue.SessionLane lane = inbox.openLane(1);
    lane.put(true, () -> done.add("frame"));
    inbox.addTask(() -> done.add("errand"));
    inbox.close();
    assertThat(inbox.addTask(() -> done.add("late"))).isFalse();
    runAll();
    assertThat(done).containsExactly("errand");
  }
}
