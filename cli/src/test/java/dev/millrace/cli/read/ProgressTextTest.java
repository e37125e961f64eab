package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.format.QueuePositionText;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.store.JobReader.QueuePosition;
import dev.millrace.core.task.OutputChunk;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The parts of progress displays: rates, durations, bars, queue positions, streamed text. */
class ProgressTextTest {
  @Test
  void durationsAreRounded() {
    assertThat(List.of(0, 40, 99, 100, 5_400, 6_000, 7_500, 864_000))
        .extracting(seconds -> ProgressBar.span(Duration.ofSeconds(seconds)))
        .containsExactly(
            "1 s", "40 s", "99 s", "2 min", "90 min", "1 h 40 min", "2 h 5 min", "10 days");
  }

  @Test
  void theBarIsShortenedBeforeTheText() {
    String line = "1 generate [########........]  8/16, 9 s left";
    assertThat(ProgressBar.fitted(line, line.length())).isEqualTo(line);
    assertThat(ProgressBar.fitted(line, line.length() - 8))
        .isEqualTo("1 generate [####....]  8/16, 9 s left");
    assertThat(ProgressBar.fitted(line, 10)).isEqualTo("1 generate []  8/16, 9 s left");
    assertThat(ProgressBar.fitted("no bar at all", 5)).isEqualTo("no bar at all");
  }

  @Test
  void queuePositionsAreDescribed() {
    PlaceOwner owner = new PlaceOwner(true, true, OptionalLong.of(1), JsonObject.create());
    PlaceOwner noOwner = new PlaceOwner(false, false, OptionalLong.empty(), JsonObject.create());
    PlaceOwner other =
        new PlaceOwner(true, true, OptionalLong.of(1), Json.object("{\"types\":[\"resize\"]}"));
    Optional<QueuePosition> third = Optional.of(new QueuePosition(2, 17, Duration.ofSeconds(40)));
    assertThat(QueuePositionText.of(third, owner, "generate", "ws"))
        .isEqualTo("3rd of 17, starts in about 40 s");
    assertThat(QueuePositionText.of(third, noOwner, "generate", "ws"))
        .isEqualTo("waits as 3rd of 17; no server works on ws");
    assertThat(QueuePositionText.of(third, other, "generate", "ws"))
        .contains("no worker for \"generate\"");
    assertThat(QueuePositionText.of(Optional.empty(), noOwner, "generate", "ws"))
        .isEqualTo("waits; no server works on ws");
    assertThat(List.of(1, 2, 3, 4, 11, 12, 13, 21, 101, 112))
        .extracting(QueuePositionText::ordinal)
        .containsExactly(
            "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "101st", "112th");
  }

  @Test
  void howeverATextIsSplitItIsShownOnce() {
    String text = "Es war einmal ein Müller, der hatte 🐈.";
    for (int cut = 0; cut <= text.length(); cut++) {
      for (int again = 0; again <= cut; again++) {
        StringBuilder shown = new StringBuilder();
        StreamedText transcript = new StreamedText(shownIn(shown));
        transcript.add(draft(0, text.substring(0, cut)));
        // The journal was lost, and the text is generated again up to another position.
        transcript.add(draft(0, text.substring(0, again)));
        transcript.end(text);
        assertThat(shown.toString()).as("cut at %d, again to %d", cut, again).isEqualTo(text);
      }
    }
  }

  @Test
  void aDifferentTextRestarts() {
    StringBuilder shown = new StringBuilder();
    StreamedText transcript = new StreamedText(shownIn(shown));
    transcript.add(draft(0, "abc"));
    transcript.add(draft(0, "ab"));
    transcript.add(new OutputSoFar(2, 4, List.of(new OutputChunk(List.of(1), "xy"))));
    transcript.end("abx");
    assertThat(shown.toString()).isEqualTo("abc|abxy|abx");
  }

  private static OutputSoFar draft(long from, String text) {
    return new OutputSoFar(from, from + text.length(), List.of(new OutputChunk(List.of(1), text)));
  }

  private static StreamedText.Display shownIn(StringBuilder shown) {
    return new StreamedText.Display() {
      @Override
      public void text(String more) {
        shown.append(more);
      }

      @Override
      public void restart() {
        shown.append('|');
      }
    };
  }
}
