package dev.millrace.engine.internal.jinja;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each construct of the language does what it does in Python's jinja2. */
class JinjaLanguageTest {
  private static final Path FILE = ReferenceRenderings.resources().resolve("language.json");

  @SuppressWarnings("unchecked")
  private static final Map<String, Object> DATA =
      (Map<String, Object>) Objects.requireNonNull(PlainJson.read(ReferenceRenderings.read(FILE)));

  static Stream<ReferenceRenderings.Case> cases() {
    return ReferenceRenderings.cases(FILE).stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  @SuppressWarnings("unchecked")
  void meansWhatItMeansInJinja2(ReferenceRenderings.Case expected) {
    String[] at = expected.context().split("/");
    List<String> topic = (List<String>) DATA.get(at[0]);
    ReferenceRenderings.check(
        topic.get(Integer.parseInt(at[1])),
        new HashMap<>((Map<String, Object>) DATA.get("context")),
        expected);
  }
}
