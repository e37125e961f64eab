package dev.millrace.engine.internal.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.JinjaLimits;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A template from a downloaded file ends in an error, whatever it is: never in a hang, an exhausted
 * heap or a stack overflow.
 */
@Timeout(60)
class HostileTemplatesTest {
  private static final LocalDateTime NOW = LocalDateTime.of(2026, 2, 5, 9, 3, 7);
  private static final JinjaLimits SMALL = new JinjaLimits(1 << 20, 300_000, 1 << 16, 100);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% for a in range(99999) %}{{ 'some text that adds up' }}{% endfor %}",
        "{{ 'x' * 10 ** 15 }}",
        "{{ 'x'.ljust(10 ** 12) }}{{ 'x'|center(10 ** 12) }}",
        "{{ '%999999999d' % 1 }}",
        "{{ '{:>999999999}'.format(1) }}",
        "{{ '{:.999999999f}'.format(1) ~ 'x'.rjust(999999999) }}",
        "{{ 'x'|indent(10 ** 12, true) }}",
        "{{ [1]|tojson(indent=10 ** 12) }}",
        "{{ [0] * 10 ** 12 }}",
        "{{ [0]|batch(10 ** 9, 'x')|list }}{{ [0]|slice(10 ** 9, 'x')|list }}",
        "{% set ns = namespace(x='x') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{%"
            + " endfor %}",
        "{% set ns = namespace(x='xx') %}{% for i in range(99) %}{% set ns.x = ns.x.replace('x',"
            + " 'xxxxxxxx') %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{%"
            + " endfor %}",
        "{% set ns = namespace(x=[]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{%"
            + " endfor %}{{ ns.x }}",
        "{% set ns = namespace(x=[]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{%"
            + " endfor %}{{ ns.x|tojson }}",
        "{% set a = namespace(x=[]) %}{% set b = namespace(x=[]) %}{% for i in range(60) %}{% set"
            + " a.x = [a.x, a.x] %}{% set b.x = [b.x, b.x] %}{% endfor %}{{ a.x == b.x }}",
        "{% set ns = namespace(x=[]) %}{% for i in range(50000) %}{% set ns.x = [ns.x] %}{% endfor"
            + " %}{{ ns.x|tojson }}",
        "{% set ns = namespace(x=[]) %}{% for i in range(50000) %}{% set ns.x = [ns.x] %}{% endfor"
            + " %}{{ ns.x }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% macro f(n) %}{% for i in [1, 2] %}{{ f(n) }}{% endfor %}{% endmacro %}{{ f(1) }}",
        "{% set x = 'a' * 60000 %}{% for i in range(99999) %}{% if 'b' in x or x|upper == x.strip()"
            + " or x[::-1] == x %}{% endif %}{% endfor %}",
        "{% set x = 'a' * 60000 %}{% for i in range(9999) %}{{ ('a' * 30000 ~ 'b') in x }}{% endfor"
            + " %}",
        "{{ 9 ** 9 ** 9 }}",
        "{{ ('9' * 60000)|int + 1 }}{{ 'a'.nope.nope }}",
        "{{ range(10 ** 18)|list }}",
        "{% set x = namespace() %}{% set x.y = x %}{{ x }}"
      })
  void endsInAnError(String source) {
    AtomicReference<Throwable> outcome = new AtomicReference<>();
    Thread small = Thread.ofPlatform().start(() -> outcome.set(failure(source, SMALL)));
    assertThat(join(small)).as("ends").isTrue();
    assertThat(outcome.get())
        .as(source)
        .isInstanceOf(ChatTemplateException.class)
        .hasMessageStartingWith("chat template");
  }

  @Test
  void deepNestingIsRejectedWhenATemplateIsParsed() {
    for (String[] pair :
        List.of(
            new String[] {"(", ")"},
            new String[] {"[", "]"},
            new String[] {"{1:", "}"},
            new String[] {"-", ""},
            new String[] {"not ", ""})) {
      String source = "{{ " + pair[0].repeat(20_000) + "1" + pair[1].repeat(20_000) + " }}";
      assertThat(failure(source, JinjaLimits.DEFAULT))
          .as(pair[0])
          .isInstanceOf(ChatTemplateException.class)
          .hasMessageContaining("nested");
    }
    assertThat(failure("{% if a %}".repeat(20_000), JinjaLimits.DEFAULT))
        .hasMessageContaining("nested");
    assertThat(
            failure(
                "{{ 1" + "1".repeat(500_000) + " }}{{ 1" + " + 1".repeat(100_000) + " }}",
                JinjaLimits.DEFAULT))
        .isInstanceOf(ChatTemplateException.class);
    assertThat(failure("x".repeat(JinjaLimits.DEFAULT.sourceChars() + 1), JinjaLimits.DEFAULT))
        .hasMessageContaining("limit");
  }

  @Test
  void anInterruptEndsARendering() {
    String endless =
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(
              () -> JinjaTemplate.parse(endless, JinjaLimits.DEFAULT).render(Map.of(), NOW))
          .isInstanceOf(CancellationException.class);
    } finally {
      assertThat(Thread.interrupted()).as("still interrupted").isTrue();
    }
  }

  @Test
  void theDefaultLimitsEndWithinSeconds() {
    long start = System.nanoTime();
    assertThat(
            failure(
                "{% for a in range(99999) %}{% for b in range(99999) %}{{ '' }}{% endfor %}{%"
                    + " endfor %}",
                JinjaLimits.DEFAULT))
        .hasMessageContaining("steps");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  void aLongConversationStaysWithinTheDefaultLimits() {
    String source =
        ReferenceRenderings.read(
            ReferenceRenderings.resources().resolve("templates/Qwen-Qwen3-0.6B.jinja"));
    Map<String, String> turn = Map.of("role", "user", "content", "x".repeat(10_000));
    Map<String, Object> context =
        Map.of("messages", Collections.nCopies(400, turn), "add_generation_prompt", true);
    assertThat(JinjaTemplate.parse(source, JinjaLimits.DEFAULT).render(context, NOW).text())
        .hasSizeGreaterThan(4_000_000);
  }

  @Test
  void mutatedTemplatesNeverFailInAnyOtherWay() {
    long seed = 20_260_205;
    Random random = new Random(seed);
    List<String> sources =
        ReferenceRenderings.templates(ReferenceRenderings.resources().resolve("templates")).stream()
            .map(ReferenceRenderings::read)
            .toList();
    List<Map<String, Object>> contexts = List.copyOf(ReferenceRenderings.contexts().values());
    String[] bits = {
      "{%", "%}", "{{", "}}", "-", "'", "(", ")", "[", "]", " if ", " else ", "|", ".", "~",
      "endfor", "x", "1", "\\", "is ", "{#", "\n"
    };
    for (int round = 0; round < 1_000; round++) {
      StringBuilder source = new StringBuilder(sources.get(random.nextInt(sources.size())));
      for (int change = random.nextInt(4); change >= 0; change--) {
        int at = random.nextInt(source.length());
        int end = Math.min(source.length(), at + random.nextInt(4));
        source.replace(at, end, random.nextBoolean() ? bits[random.nextInt(bits.length)] : "");
      }
      Throwable failure =
          failure(source.toString(), SMALL, contexts.get(random.nextInt(contexts.size())));
      assertThat(failure)
          .as("seed %d, round %d", seed, round)
          .satisfiesAnyOf(
              f -> assertThat(f).isNull(),
              f -> assertThat(f).isInstanceOf(ChatTemplateException.class));
    }
  }

  private static @Nullable Throwable failure(String source, JinjaLimits limits) {
    return failure(source, limits, Map.of());
  }

  private static @Nullable Throwable failure(
      String source, JinjaLimits limits, Map<String, ?> context) {
    try {
      JinjaTemplate.parse(source, limits).render(context, NOW);
      return null;
    } catch (RuntimeException | Error e) {
      return e;
    }
  }

  private static boolean join(Thread thread) {
    try {
      return thread.join(Duration.ofSeconds(30));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
