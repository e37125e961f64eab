package dev.millrace.engine.chat;

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
class RealTemplatesTest {
  private static final Map<String, Map<String, Object>> CONTEXTS = Expectations.contexts();

  static Stream<Path> templates() {
    Stream<Path> ours =
        Expectations.templates(Expectations.resources().resolve("templates")).stream();
    String more = System.getProperty("millrace.templates");
    return more == null
        ? ours
        : Stream.concat(ours, Expectations.templates(Path.of(more)).stream());
  }

  @ParameterizedTest
  @MethodSource("templates")
  void rendersAsJinja2Does(Path file) {
    String source = Expectations.read(file);
    assertThat(Expectations.cases(file))
        .hasSameSizeAs(CONTEXTS.keySet())
        .allSatisfy(
            expected -> Expectations.check(source, CONTEXTS.get(expected.context()), expected));
  }
}
