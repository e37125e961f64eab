package dev.millrace.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An invalid job is refused when it is made. */
class JobSpecTest {
  private static JobSpec read(String document) {
    return JobDocument.read(Json.object(document), JobDocument.INLINE);
  }

  private static String deep(int levels) {
    return "[".repeat(levels) + "]".repeat(levels);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'stages':[{'type':'a'}],'data':{'x':DEEP}}",
        "{'stages':[{'type':'a'}],'metadata':{'x':DEEP}}",
        "{'stages':[{'type':'a','data':{'x':DEEP}}]}",
        "{'stages':[{'type':'a','metadata':{'x':DEEP}}]}",
        "{'stages':[{'type':'a','tasks':[{'input':[DEEP]}]}]}",
        "{'stages':[{'type':'a','tasks':[{'input':1,'metadata':{'x':DEEP}}]}]}"
      })
  void everyPartMayBeAHundredLevelsDeep(String document) {
    String quoted = document.replace('\'', '"');
    JobSpec spec = read(quoted.replace("DEEP", deep(Json.MAX_INPUT_DEPTH - 1)));
    assertThat(read(Json.write(JobDocument.write(spec, true)))).isEqualTo(spec);
    assertThatThrownBy(() -> read(quoted.replace("DEEP", deep(Json.MAX_INPUT_DEPTH))))
        .hasMessageContaining(
            document.contains("input") && !document.contains("meta")
                ? "input"
                : document.contains("meta") ? "metadata" : "data")
        .hasMessageContaining("may be nested at most 100 levels deep");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{{nonsense}} | stage 2: {{nonsense}} is not known; known: result, input",
        "{{stages[2].results}} | stage 2: {{stages[2].results}}: stage 2 is not an earlier stage"
      })
  void aTemplateThatCanNeverBeRenderedIsRefused(String text, String error) {
    String first = "{\"stages\":[{\"type\":\"a\",\"tasks\":[\"x\"]},{\"type\":\"b\",";
    for (String second :
        List.of("\"each\":\"" + text + "\"", "\"tasks\":[{\"template\":\"" + text + "\"}]")) {
      assertThatThrownBy(() -> read(first + second + "}]}"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(error);
    }
  }

  @Test
  void anInputThatIsNotATemplateMayHaveBraces() {
    TaskSpec task = TaskSpec.of("{{nonsense}}");
    StageSpec stage = StageSpec.of("a", List.of(task));
    assertThat(JobSpec.of(List.of(stage, stage)).stages()).hasSize(2);
  }
}
