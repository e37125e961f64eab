package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WheelInboxTest {
  @Test
  void aClosedInboxDropsTasks() {
    WheelInbox inbox = new WheelInbox();
    inbox.put(() -> {});
    inbox.close();
    inbox.put(() -> {});
    assertThat(inbox.nextTask()).isNull();
    assertThat(inbox.takeSignal()).isTrue();
  }
}
