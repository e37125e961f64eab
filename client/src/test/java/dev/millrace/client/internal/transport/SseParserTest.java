package dev.millrace.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.api.SseEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Events from lines, by the HTML standard. */
class SseParserTest {

  @Test
  void eventsFollowTheStandard() {
    SseParser parser = new SseParser();
    List<SseEvent> events = new ArrayList<>();
    for (String line :
        List.of(
            ":comment",
            "data:a",
            "data: b",
            "",
            "id",
            "event:x",
            "",
            "data",
            "",
            "retry:soon",
            "id:5",
            "unknown: z",
            "data:  c",
            "")) {
      SseEvent event = parser.accept(line);
      if (event != null) {
        events.add(event);
      }
    }
    assertThat(events)
        .containsExactly(
            new SseEvent(null, "message", "a\nb"),
            new SseEvent("", "message", ""),
            new SseEvent("5", "message", " c"));
    assertThat(parser.retry()).isNull();
  }
}
