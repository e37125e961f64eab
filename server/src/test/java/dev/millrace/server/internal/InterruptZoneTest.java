package dev.millrace.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where a thread can be interrupted, and where not. */
class InterruptZoneTest {
  private final InterruptZone zone = new InterruptZone();

  @AfterEach
  void clear() {
    Thread.interrupted();
  }

  @Test
  void interruptsInside() {
    zone.enter();
    zone.interrupt();
    assertThat(Thread.interrupted()).isTrue();
    zone.leave();
  }

  @Test
  void interruptFromOutsideWaitsForTheNextEntry() {
    zone.interrupt();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    zone.enter();
    assertThat(Thread.interrupted()).isTrue();
    zone.leave();
    zone.enter();
    assertThat(Thread.interrupted()).isFalse();
    zone.leave();
  }

  @Test
  void leavingKeepsAnUnseenInterruptForLater() {
    zone.enter();
    zone.interrupt();
    zone.leave();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    zone.enter();
    assertThat(Thread.interrupted()).isTrue();
    zone.leave();
  }

  @Test
  void shieldedActionIsNotInterrupted() {
    zone.enter();
    zone.shield(
        () -> {
          zone.interrupt();
          assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    assertThat(Thread.interrupted()).isTrue();
    zone.leave();
  }

  @Test
  void shieldOutsideTheZoneChangesNothing() {
    zone.shield(zone::interrupt);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    zone.enter();
    assertThat(Thread.interrupted()).isTrue();
    zone.leave();
  }
}
