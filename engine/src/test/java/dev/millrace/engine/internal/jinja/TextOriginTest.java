package dev.millrace.engine.internal.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.JinjaLimits;
import dev.millrace.engine.internal.jinja.value.PyString;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each character of a rendering is known to come from the template or from a message. */
class TextOriginTest {
  private static final LocalDateTime NOW = LocalDateTime.of(2026, 2, 5, 9, 3, 7);

  /** The rendering with its parts from messages in parentheses. */
  private static String shown(String source, Map<String, ?> context) {
    PyString text = JinjaTemplate.parse(source, JinjaLimits.DEFAULT).render(context, NOW);
    StringBuilder shown = new StringBuilder();
    boolean inside = false;
    for (int i = 0; i <= text.length(); i++) {
      boolean message = i < text.length() && text.isFromMessage(i);
      shown.append(message == inside ? "" : message ? "(" : ")");
      shown.append(i < text.length() ? text.text().substring(i, i + 1) : "");
      inside = message;
    }
    return shown.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a{{ m }}b#a(<|x|>)b",
        "{{ '<|x|>' }}#<|x|>",
        "{{ '<|' ~ w ~ '|>' }}#<|(word)|>",
        "{{ '<|' + w + '|>' }}#<|(word)|>",
        "{{ (m ~ '<e>') * 2 }}#(<|x|>)<e>(<|x|>)<e>",
        "{{ m[1:4] ~ m[-1] ~ m[0] }}#(|x|><)",
        "{{ ('a' ~ m ~ 'b')[::-1] }}#b(>|x|<)a",
        "{{ ('a' ~ m ~ 'b')[0:3] }}#a(<|)",
        "{{ ('  ' ~ s ~ ' ') | trim }}#(s p)",
        "{{ ('  ' ~ s ~ ' ').strip() ~ '.' ~ s.lstrip() ~ s.rstrip() }}#(s p).(s ps p)",
        "{{ ('<A>' ~ w) | lower }}#<a>(word)",
        "{{ ('<a>' ~ w) | upper }}#<A>(WORD)",
        "{{ ('<a>' ~ w).upper() ~ w.title() ~ w.capitalize() ~ w.swapcase()"
            + " }}#<A>(WORDWordWordWORD)",
        "{{ ('<ß>' ~ w) | upper }}#(<SS>WORD)",
        "{{ '<ß>' | upper }}#<SS>",
        "{{ ('a b ' ~ w) | title ~ ('x' ~ w) | capitalize }}#A B (Word)X(word)",
        "{{ ('<|' ~ w ~ '|>') | replace('word', 'y') }}#<|y|>",
        "{{ '<|y|>' | replace('y', w) }}#<|(word)|>",
        "{{ '<|y|>'.replace('y', w) ~ m.replace('<|', '') }}#<|(word)|>(x|>)",
        "{{ m.replace('|', '') ~ 'abc'.replace('', w, 2) }}#(<x>word)a(word)bc",
        "{{ [m, '<e>', 1, none] | join(w) }}#(<|x|>word)<e>(word)1(word)None",
        "{{ ', '.join([m, '<e>']) }}#(<|x|>), <e>",
        "{{ m | list | join }}#(<|x|>)",
        "{{ m | first ~ m | last ~ (m ~ '!') | reverse }}#(<>)!(>|x|<)",
        "{% for c in w %}{{ c }}.{% endfor %}#(w).(o).(r).(d).",
        "{{ (m ~ ' <e>').split(' ')[1] ~ m.split('x') | join('-') }}#<e>(<|)-(|>)",
        "{{ s.split() | join('<e>') ~ s.rsplit(none, 1) | last }}#(s)<e>(pp)",
        "{{ m.rsplit('x')[0] ~ m.partition('x')[1] ~ m.rpartition('x') | last }}#(<|x|>)",
        "{{ l.splitlines() | join('+') }}#(1)+(2)",
        "{{ m.removeprefix('<') ~ m.removesuffix('>') }}#(|x|><|x|)",
        "{{ '%s-%5s' | format(m, 'e') }}#(<|x|>)-(    )e",
        "{{ '%s%%<%r>' % (m, w) }}#(<|x|>)%<'(word)'>",
        "{{ f | format(m) }}#(<|x|><e>)",
        "{{ '<{}|{a:.2}>'.format(w, a=w) }}#<(word)|(wo)>",
        "{{ w.center(8) ~ w.ljust(6, '<') ~ w.zfill(6) }}#  (word)  (word)<<00(word)",
        "{{ w | center(8) ~ m | truncate(4, true, '<e>', 0) }}#  (word)  (<)<e>",
        "{{ l | indent(2) ~ l | indent(w, true) }}#(1)\n  (2word1)\n(word2)",
        "{{ m | tojson ~ {'<k>': m} | tojson ~ q | tojson }}#\"(<|x|>)\"{\"<k>\":"
            + " \"(<|x|>)\"}\"(\\\")\"",
        "{{ d | tojson }}#{\"(<k>)\": [\"(<v>)\", 1]}",
        "{{ d | tojson(indent=1) }}#{\n \"(<k>)\": [\n  \"(<v>)\",\n  1\n ]\n}",
        "{{ d }}{{ d | string }}#{'(<k>)': ['(<v>)', 1]}{'(<k>)': ['(<v>)', 1]}",
        "{% for k, v in d.items() %}{{ k ~ v[0] }}{% endfor %}#(<k><v>)",
        "{% for k in d %}{{ k }}{% endfor %}{{ d | dictsort | first | first }}#(<k><k>)",
        "{{ m | e }}{{ (m | safe) + '<' }}#(&lt;|x|&gt;<|x|>)&lt;",
        "{% set x = namespace(a='') %}{% set x.a = x.a ~ m %}{{ x.a }}#(<|x|>)",
        "{% set x %}<e>{{ m }}{% endset %}{{ x | trim }}#<e>(<|x|>)",
        "{% filter upper %}<e>{{ w }}{% endfilter %}#<E>(WORD)",
        "{% macro a(t) %}<e>{{ t }}{% endmacro %}{{ a(m) }}{{ a.name }}#<e>(<|x|>)a",
        "{% macro a() %}{{ kwargs | list | join }}{% endmacro %}{{ a(**d) }}#(<k>)",
        "{{ dict(**d) | list | join ~ (namespace(**d)['<k>'] | first) }}#(<k><v>)",
        "{{ u | default('<e>') ~ m | default('<e>') }}#<e>(<|x|>)",
        "{{ [m, 'b'] | map('upper') | join ~ [{'a': m}] | map(attribute='a') | join"
            + " }}#(<|X|>)B(<|x|>)",
        "{{ [m, 'b'] | sort | join ~ [m, m] | unique | join ~ [m] | min }}#(<|x|>)b(<|x|><|x|>)",
        "{{ [[m, 1]] | groupby(0) | first | first ~ [m] | sum(start='') }}#(<|x|><|x|>)",
        "{{ strftime_now('%Y<e>') ~ strftime_now(w) }}#2026<e>(word)",
        "{{ w | length ~ (n | int) ~ n | float }}#477.0",
      })
  void everyOperationKeepsTheOriginOfCharacters(String sourceAndResult) {
    String[] both = sourceAndResult.split("#", 2);
    Map<String, Object> context = new LinkedHashMap<>();
    context.put("m", "<|x|>");
    context.put("w", "word");
    context.put("s", "s p");
    context.put("l", "1\n2");
    context.put("q", "\"");
    context.put("n", "7");
    context.put("f", "%s<e>");
    context.put("d", Map.of("<k>", List.of("<v>", 1)));
    assertThat(shown(both[0], context)).isEqualTo(both[1]);
  }

  /** No template and no construct of the language loses the origin of a message's letter. */
  @Test
  void lettersThatOnlyMessagesHaveAreNeverTheTemplates() {
    int letters = 0;
    Map<String, Map<String, Object>> contexts = ReferenceRenderings.contexts();
    Path folder = ReferenceRenderings.resources().resolve("templates");
    for (Path file : ReferenceRenderings.templates(folder)) {
      String source = ReferenceRenderings.read(file);
      for (Map<String, Object> context : contexts.values()) {
        letters += checkLetters(source, context);
      }
    }
    assertThat(letters).as("letters of messages in the prompts").isGreaterThan(20_000);
  }

  @Test
  @SuppressWarnings("unchecked")
  void noConstructOfTheLanguageLosesTheOrigin() {
    Path file = ReferenceRenderings.resources().resolve("language.json");
    Map<String, Object> data =
        (Map<String, Object>)
            Objects.requireNonNull(PlainJson.read(ReferenceRenderings.read(file)));
    int letters = 0;
    for (Map.Entry<String, Object> topic : data.entrySet()) {
      if (topic.getValue() instanceof List<?> sources) {
        for (Object source : sources) {
          letters += checkLetters((String) source, (Map<String, Object>) data.get("context"));
        }
      }
    }
    assertThat(letters).as("letters of messages in the results").isGreaterThan(300);
  }

  private static int checkLetters(String source, Map<String, Object> context) {
    PyString text;
    try {
      Map<String, Object> changed = new LinkedHashMap<>();
      context.forEach((name, value) -> changed.put(name, inOtherLetters(value)));
      text = JinjaTemplate.parse(source, JinjaLimits.DEFAULT).render(changed, NOW);
    } catch (ChatTemplateException _) {
      return 0; // other letters may mean nothing to the template
    }
    int letters = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.text().charAt(i);
      if (c >= '\uFF21' && c <= '\uFF5A') {
        letters++;
        assertThat(text.isFromMessage(i)).as("%s at %d of %s", text, i, source).isTrue();
      }
    }
    return letters;
  }

  /** Wide letters instead of Latin ones, which no template has; names and roles stay. */
  private static Object inOtherLetters(Object value) {
    return switch (value) {
      case String text -> wide(text);
      case List<?> list -> {
        List<Object> all = new ArrayList<>();
        list.forEach(item -> all.add(inOtherLetters(item)));
        yield all;
      }
      case Map<?, ?> map -> {
        Map<Object, Object> all = new LinkedHashMap<>();
        map.forEach(
            (key, item) ->
                all.put(
                    key, key.equals("role") || key.equals("type") ? item : inOtherLetters(item)));
        yield all;
      }
      case null, default -> value;
    };
  }

  private static String wide(String text) {
    StringBuilder wide = new StringBuilder();
    text.chars()
        .map(c -> c < 128 && Character.isLetter(c) ? c - 'A' + '\uFF21' : c)
        .forEach(c -> wide.append((char) c));
    return wide.toString();
  }
}
