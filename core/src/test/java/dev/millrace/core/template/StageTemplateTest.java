package dev.millrace.core.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StageTemplateTest {

  /**
   * The template is of the third stage; the first has two results, the second four tasks, one
   * failed.
   */
  private static final StageTemplate.Results RESULTS =
      new StageTemplate.Results() {
        @Override
        public int stage() {
          return 3;
        }

        @Override
        public List<@Nullable String> of(int stage) {
          return stage == 1
              ? List.of("one", "two")
              : Arrays.asList(
                  "plain $1 \\ {{result}}",
                  "{\"name\":\"Zoë\",\"n\":7,\"list\":[{\"x\":true},[]],\"none\":null,\"odd"
                      + " name\":1,\"a-b\":2}",
                  null,
                  "last");
        }

        @Override
        public String input(int stage, int task) {
          return "input " + stage + "/" + task;
        }
      };

  private static String inEach(String text, int task) {
    return StageTemplate.render(text, RESULTS, task);
  }

  private static String inFanIn(String text) {
    return StageTemplate.render(text, RESULTS, 0);
  }

  @Test
  void textWithoutPlaceholdersStaysAsItIs() {
    for (String text :
        List.of("", "plain", "{", "{{", "}}", "{ {result} }", "$1 \\ {}", "{{a\n{{")) {
      assertThat(inEach(text, 1)).isEqualTo(text);
    }
  }

  @Test
  void eachUsesItsTask() {
    assertThat(inEach("{{index}}: {{ input }} -> {{\tresult\n}}!", 4))
        .isEqualTo("4: input 2/4 -> last!");
    assertThat(inEach("{{{result}}}", 4)).isEqualTo("{last}");
  }

  @Test
  void insertedTextIsNotRenderedAgain() {
    assertThat(inEach("<{{result}}>", 1)).isEqualTo("<plain $1 \\ {{result}}>");
  }

  @Test
  void theOpeningBracesCanBeWritten() {
    assertThat(inFanIn("{{open}}result}} {{open}}")).isEqualTo("{{result}} {{");
  }

  @Test
  void allResultsAreLinesOrJsonWithoutMissingOnes() {
    assertThat(inFanIn("{{stages[1].results}}")).isEqualTo("one\ntwo");
    assertThat(inFanIn("{{stages[1].results.json}}")).isEqualTo("[\"one\",\"two\"]");
    assertThat(inFanIn("{{results}}"))
        .isEqualTo(inFanIn("{{stages[2].results}}"))
        .startsWith("plain ")
        .endsWith("}\nlast");
    assertThat(inFanIn("{{results.json}}"))
        .startsWith("[\"plain $1 \\\\ {{result}}\",")
        .endsWith(",\"last\"]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{{results[4]}}|last",
        "{{results[2].name}}|Zoë",
        "{{results[2].n}}|7",
        "{{results[2].list}}|[{\"x\":true},[]]",
        "{{results[2].list[0].x}}|true",
        "{{results[2].list[1]}}|[]",
        "{{results[2].a-b}}|2",
        "{{stages[1].results[2]}}|two",
        "{{stages[2].results[2].list[0]}}|{\"x\":true}"
      })
  void oneResultCanBeNamedAndLookedInto(String text, String expected) {
    assertThat(inFanIn(text)).isEqualTo(expected);
    assertThat(inEach(text, 1)).isEqualTo(expected);
  }

  @Test
  void eachLooksIntoItsOwnResult() {
    assertThat(inEach("{{result.list[0].x}} {{result.name}}", 2)).isEqualTo("true Zoë");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{{}}|is not known; known: result, input, index (in \"each\"), results",
        "{{nonsense}}|{{nonsense}} is not known",
        "{{Results}}|is not known",
        "{{results.text}}|is not known",
        "{{results[]}}|is not known",
        "{{results[-1]}}|is not known",
        "{{results[9999999]}}|is not known",
        "{{stages[1]}}|is not known",
        "{{stages[1].result}}|is not known",
        "{{stages[0].results}}|stage 0 is not an earlier stage",
        "{{stages[3].results}}|stage 3 is not an earlier stage",
        "{{stages[999999].results}}|is not an earlier stage",
        "{{results[0]}}|{{results[0]}}: task 0 has no result",
        "{{results[3]}}|task 3 has no result",
        "{{results[5]}}|task 5 has no result",
        "{{results[1].name}}|the result is not valid JSON",
        "{{results[2].nobody}}|the result has no .nobody",
        "{{results[2].none}}|the result has no .none",
        "{{results[2].list[2]}}|the result has no .list[2]",
        "{{results[2].name.first}}|the result has no .name.first",
        "{{results[2][0]}}|the result has no [0]",
        "{{results[2].odd name}}|the result has no .odd",
        "{{results[2]name}}|cannot read the path at \"name\"",
        "{{results[2].list[x]}}|cannot read the path at \"[x]\"",
        "{{results[2].}}|cannot read the path at \".\""
      })
  void anUnresolvedPlaceholderIsNamed(String text, String message) {
    assertThatThrownBy(() -> inFanIn("before " + text + " after"))
        .isInstanceOf(StageTemplateException.class)
        .hasMessageStartingWith(text)
        .hasMessageContaining(message);
  }

  @Test
  void taskPlaceholdersAreOnlyAllowedInEach() {
    for (String text : List.of("{{result}}", "{{result.name}}", "{{input}}", "{{index}}")) {
      assertThatThrownBy(() -> inFanIn(text))
          .isInstanceOf(StageTemplateException.class)
          .hasMessageStartingWith(text + " is not known");
    }
    assertThatThrownBy(() -> inEach("{{result}}", 3))
        .hasMessage("{{result}}: task 3 has no result");
    assertThatThrownBy(() -> inEach("{{result.x}}", 1)).hasMessageContaining("not valid JSON");
    assertThatThrownBy(() -> inEach("{{resultx}}", 1)).hasMessageContaining("is not known");
  }

  @Test
  void aHostileTemplateIsReadInLinearTime() {
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          for (String hostile :
              List.of(
                  "{{" + " ".repeat(1_000_000),
                  "{".repeat(1_000_000),
                  "{{ ".repeat(300_000),
                  "{{" + "a ".repeat(500_000) + "}")) {
            assertThat(inFanIn(hostile)).isEqualTo(hostile);
          }
        });
  }

  @Test
  void aTemplateThatCanNeverBeRenderedIsRefusedAtSubmission() {
    StageTemplate.check(
        "{{result.a[0]}} {{input}} {{index}} {{results}} {{stages[1].results[2]}}", 2, true);
    StageTemplate.check("{{results.json}} {{open}}", 2, false);
    for (String bad : new String[] {"{{foo}}", "{{stages[2].results}}", "{{stages[1].foo}}"}) {
      assertThatThrownBy(() -> StageTemplate.check(bad, 2, true))
          .isInstanceOf(StageTemplateException.class);
    }
    assertThatThrownBy(() -> StageTemplate.check("{{result}}", 2, false))
        .isInstanceOf(StageTemplateException.class)
        .hasMessageContaining("{{result}} is not known");
  }
}
