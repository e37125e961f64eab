package dev.millrace.engine.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InboxTest {
  @Test
  void onceClosedItKeepsNoErrands() {
    Inbox inbox = new Inbox();
    inbox.put(() -> {});
    inbox.close();
    inbox.put(() -> {});
    assertThat(inbox.nextErrand()).isNull();
    assertThat(inbox.takeNote()).isTrue();
  }
}
