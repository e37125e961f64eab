package dev.millrace.http.webhook;

import static dev.millrace.http.webhook.WebhookFixture.hook;
import static dev.millrace.http.webhook.WebhookFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Deliveries that fail while the wall clock is set: none is given up for it, or far delayed. */
class WebhookClockTest {
  private static final Duration YEAR = Duration.ofDays(365);

  private final WebhookFixture fixture = new WebhookFixture();
  private FakeWebhookReceiver receiver;

  @BeforeEach
  void open() throws IOException {
    receiver = new FakeWebhookReceiver(FakeWebhookReceiver.status(500));
  }

  @AfterEach
  void close() throws IOException {
    fixture.close();
    receiver.close();
  }

  private JobId failOnce() {
    JobId id = fixture.done(hook(receiver.url()));
    until("the first try is noted", () -> fixture.note(id).contains("\"tries\":1"));
    return id;
  }

  @Test
  void aClockThatIsSetForwardGivesUpNoEvent() {
    WebhookService webhooks = fixture.open();
    JobId id = failOnce();
    fixture.clock.jump(YEAR);
    fixture.step(Duration.ofSeconds(5));
    until("the second try is noted", () -> fixture.note(id).contains("\"tries\":2"));
    receiver.behave(FakeWebhookReceiver.status(200));
    fixture.step(Duration.ofSeconds(10));
    until("the note is deleted", () -> !fixture.hasNote(id));
    assertThat(webhooks.stats().givenUp()).isZero();
    assertThat(webhooks.stats().delivered()).isEqualTo(1);
  }

  @Test
  void aDelayThatBeganOnAClockThatWasAheadIsNoLonger() {
    fixture.open();
    fixture.clock.jump(YEAR);
    JobId id = failOnce();
    fixture.clock.jump(YEAR.negated());
    receiver.behave(FakeWebhookReceiver.status(200));
    fixture.step(Duration.ofSeconds(5));
    until("the note is deleted", () -> !fixture.hasNote(id));
  }

  @Test
  void norIsItAfterARestart() {
    fixture.open();
    fixture.clock.jump(YEAR);
    JobId id = failOnce();
    fixture.clock.jump(YEAR.negated());
    fixture.crash();
    receiver.behave(FakeWebhookReceiver.status(200));
    WebhookService again = fixture.open();
    until("it is known", () -> again.stats().pending() == 1);
    assertThat(receiver.requests).hasSize(1);
    fixture.step(Duration.ofSeconds(5));
    until("the note is deleted", () -> !fixture.hasNote(id));
  }
}
