package dev.millrace.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.Webhook.Event;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookTest {

  @Test
  void withoutEventsAWebhookGetsAllOfThem() {
    assertThat(new Webhook("https://example.org/", Set.of()).events())
        .isEqualTo(EnumSet.allOf(Event.class));
    assertThat(new Webhook("https://example.org/", Set.of(Event.FAILED)).events())
        .containsExactly(Event.FAILED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://example.org",
        "https://example.org:8443/a/b?c=d&e=%20",
        "http://127.0.0.1:9000/",
        "http://[::1]/x"
      })
  void anHttpAddressIsAccepted(String url) {
    assertThat(new Webhook(url, Set.of()).url()).isEqualTo(url);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "example.org",
        "/path",
        "ftp://example.org/",
        "file:///etc/passwd",
        "mailto:a@example.org",
        "https://",
        "https:///path",
        "http://user:secret@example.org/",
        "http://user@example.org/",
        "http://exa mple.org/",
        "http://example.org/\n",
        "http://example.org/{x}"
      })
  void anythingElseIsRefused(String url) {
    assertThatThrownBy(() -> new Webhook(url, Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("webhook: \"url\"");
  }

  @Test
  void anAddressThatIsTooLongIsRefused() {
    String start = "https://example.org/";
    String most = start + "x".repeat(Webhook.MAX_URL - start.length());
    assertThat(new Webhook(most, Set.of()).url()).hasSize(Webhook.MAX_URL);
    assertThatThrownBy(() -> new Webhook(most + "x", Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 2000 characters");
  }
}
