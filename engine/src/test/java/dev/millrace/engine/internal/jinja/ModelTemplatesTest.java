package dev.millrace.engine.internal.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The templates that models ship render as Python's jinja2 renders them. A further folder of
 * templates can be named by {@code millrace.templates}.
 */
class ModelTemplatesTest {
  private static final Map<String, Map<String, Object>> CONTEXTS = ReferenceRenderings.contexts();

  static Stream<Path> templates() {
    Stream<Path> ours =
        ReferenceRenderings.templates(ReferenceRenderings.resources().resolve("templates"))
            .stream();
    String more = System.getProperty("millrace.templates");
    return more == null
        ? ours
        : Stream.concat(ours, ReferenceRenderings.templates(Path.of(more)).stream());
  }

  @ParameterizedTest
  @MethodSource("templates")
  void rendersAsJinja2Does(Path file) {
    String source = ReferenceRenderings.read(file);
    assertThat(ReferenceRenderings.cases(file))
        .hasSameSizeAs(CONTEXTS.keySet())
        .allSatisfy(
            expected ->
                ReferenceRenderings.check(source, CONTEXTS.get(expected.context()), expected));
  }
}
