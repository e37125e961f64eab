package dev.millrace.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReadTest {

  private static void assertRefused(String text, String expected) {
    assertThatThrownBy(() -> Json.parse(text))
        .as(text)
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("not valid JSON at line ")
        .hasMessageContaining(expected);
  }

  @Test
  void valuesArePlainJava() {
    assertThat(Json.parse(" {\"b\": [1, \"x\", null, true, false], \"a\": {}} "))
        .isEqualTo(Map.of("b", Arrays.asList(1L, "x", null, true, false), "a", Map.of()));
    assertThat(Json.object("{\"z\":1,\"a\":2}").values().keySet()).containsExactly("z", "a");
    assertThat(Json.parse("null")).isNull();
    assertThat(Json.parse("\t\r\n \"\" ")).isEqualTo("");
  }

  @Test
  void everyEscapeIsRead() {
    assertThat(Json.parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\uD83D\\uDE00\""))
        .isEqualTo("\"\\/\b\f\n\r\tAé😀");
    assertThat(Json.parse("\"é😀\u2028\u007f\"")).isEqualTo("é😀\u2028\u007f");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\\x\"",
        "\"\\",
        "\"\\u12",
        "\"\\u12g4\"",
        "\"\\u１２３４\"",
        "\"\\U0041\"",
        "\"\\'\""
      })
  void badEscapesAreRefused(String text) {
    assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(JsonException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\\ud800\"",
        "\"\\ud800x\"",
        "\"\\udc00\"",
        "\"\\udc00\\ud800\"",
        "\"\\ud800\\ud800\\udc00\"",
        "\"\ud800\"",
        "\"x\udc00\"",
        "{\"\\ud800\": 1}",
        "\"\\n\ud800\""
      })
  void halfASurrogatePairIsRefused(String text) {
    assertRefused(text, "surrogates in pairs");
  }

  @Test
  void aNameIsGivenOnce() {
    assertRefused("{\"a\": 1, \"b\": {\"a\": 2}, \"a\": 3}", "each name once; \"a\" is repeated");
    assertRefused("{\"a\": 1, \"\\u0061\": 3}", "each name once; \"a\" is repeated");
    assertRefused("{\"a\": null, \"a\": null}", "is repeated");
    assertThat(Json.objectLastWins("{\"a\": 1, \"b\": [{\"c\": 2, \"c\": 3}], \"a\": null}"))
        .hasToString("{\"a\":null,\"b\":[{\"c\":3}]}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{1:2}",
        "\"",
        "\"a",
        "\"a\nb\"",
        "\"a\tb\"",
        "tru",
        "True",
        "nul",
        "undefined",
        "NaN",
        "Infinity",
        "-",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x10",
        "1 2",
        "1,",
        "[] []",
        "{} x",
        "// c\n1",
        "/* c */ 1",
        "1;",
        "\u00a01",
        "\ufeff1",
        "truefalse",
        "[1 2]",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "}",
        "]",
        "\0"
      })
  void textThatIsNotJsonIsRefused(String text) {
    assertThatThrownBy(() -> Json.parse(text))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("expected");
  }

  @Test
  void deepNestingIsRefused() {
    int most = Json.MAX_DEPTH;
    assertThat(Json.parse("[".repeat(most) + "]".repeat(most))).isInstanceOf(List.class);
    assertRefused("[".repeat(most + 1) + "]".repeat(most + 1), "at most 200 levels");
    assertRefused("[".repeat(5_000_000), "at most 200 levels");
    assertRefused("{\"a\":".repeat(1_000_000), "at most 200 levels");
    assertThat(Json.parse("[" + "[],".repeat(100_000) + "[]]"))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .hasSize(100_001);
  }

  @Test
  void inputFromOutsideHasALowerDepthLimit() {
    int most = Json.MAX_INPUT_DEPTH;
    assertThat(most).isLessThanOrEqualTo(Json.MAX_DEPTH / 2);
    String deep = "[".repeat(most - 1) + "{}" + "]".repeat(most - 1);
    assertThat(Json.requireDepth(Json.parseInput(deep), "it")).isEqualTo(Json.parse(deep));
    assertThatThrownBy(() -> Json.parseInput("[" + deep + "]"))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("column 101: expected at most 100 levels");
    Object wrapped = JsonObject.create().put("a", Json.parse(deep));
    assertThatThrownBy(() -> Json.requireDepth(wrapped, "it"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("it may be nested at most 100 levels deep");
    String nothing = null;
    assertThat(Json.requireDepth(nothing, "it")).isNull();
  }

  @Test
  void wholeNumbersAreLongIfTheyFit() {
    assertThat(Json.parse("0")).isEqualTo(0L);
    assertThat(Json.parse("-0")).isEqualTo(0L);
    assertThat(Json.parse("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    assertThat(Json.parse("-9223372036854775808")).isEqualTo(Long.MIN_VALUE);
    assertThat(Json.parse("9223372036854775808")).isEqualTo(new BigDecimal("9223372036854775808"));
    assertThat(Json.parse("-9223372036854775809"))
        .isEqualTo(new BigDecimal("-9223372036854775809"));
    assertThat(Json.parse("123456789012345678901234567890"))
        .isEqualTo(new BigDecimal("123456789012345678901234567890"));
  }

  @Test
  void otherNumbersKeepEveryDigit() {
    assertThat(Json.parse("0.1")).isEqualTo(new BigDecimal("0.1"));
    assertThat(Json.parse("1.50")).isEqualTo(new BigDecimal("1.50"));
    assertThat(Json.parse("-1E+2")).isEqualTo(new BigDecimal("-1E+2"));
    assertThat(Json.parse("1e-400")).isEqualTo(new BigDecimal("1e-400"));
    assertRefused("1e99999999999", "a number in range");
    assertRefused("1".repeat(401), "at most 400 characters");
    assertThat(Json.object("{\"x\":1e999999999}").number("x", 0)).isInfinite();
  }

  @Test
  void anErrorSaysWhere() {
    assertThatThrownBy(() -> Json.parse("{\n  \"a\": 1,\n  \"b\": ?\n}"))
        .hasMessage("not valid JSON at line 3, column 8: expected a value");
    assertThatThrownBy(() -> Json.parse("[1] 2"))
        .hasMessage("not valid JSON at line 1, column 5: expected nothing after the value");
  }

  @ParameterizedTest
  @CsvSource({
    "1.0, 1",
    "1e2, 100",
    "-2.50e1, -25",
    "9223372036854775807.0, 9223372036854775807",
    "-0.0, 0"
  })
  void wholeNumbersAreReadInAnyNotation(String text, long value) {
    assertThat(Json.object("{\"n\":" + text + "}").integer("n")).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.5", "9223372036854775808", "1e19", "1e999999999", "1e-999999999"})
  void numbersThatAreNotLongAreRefusedAsWholeNumbers(String text) {
    JsonObject in = Json.object("{\"n\":" + text + "}");
    assertThatThrownBy(() -> in.integer("n")).hasMessageContaining("must be a whole number");
  }

  @Test
  void anObjectIsReadByTypeAndErrorsNameTheField() {
    JsonObject in =
        JsonObject.of(
            Json.parse(
                "{\"s\":\"x\",\"i\":7,\"d\":0.5,\"f\":true,\"l\":[1],\"o\":{\"k\":1},\"n\":null}"),
            "it");
    assertThat(in.string("s")).isEqualTo("x");
    assertThat(in.string("n", "otherwise")).isEqualTo("otherwise");
    assertThat(in.integer("i")).isEqualTo(7);
    assertThat(in.integer("none", 9)).isEqualTo(9);
    assertThat(in.number("d", 0)).isEqualTo(0.5);
    assertThat(in.number("i", 0)).isEqualTo(7.0);
    assertThat(in.flag("f", false)).isTrue();
    assertThat(in.list("l")).containsExactly(1L);
    assertThat(in.list("none")).isEmpty();
    assertThat(in.object("o").integer("k")).isEqualTo(1);
    assertThat(in.has("n")).isFalse();
    assertThatThrownBy(() -> in.string("none")).hasMessage("it has no \"none\"");
    assertThatThrownBy(() -> in.string("i")).hasMessage("it: \"i\" must be text, not the number 7");
    assertThatThrownBy(() -> in.integer("d"))
        .hasMessage("it: \"d\" must be a whole number, not the number 0.5");
    assertThatThrownBy(() -> in.number("s", 0)).hasMessage("it: \"s\" must be a number, not text");
    assertThatThrownBy(() -> in.flag("s", true))
        .hasMessage("it: \"s\" must be true or false, not text");
    assertThatThrownBy(() -> in.list("o")).hasMessage("it: \"o\" must be a list, not an object");
    assertThatThrownBy(() -> in.object("l")).hasMessage("it.l must be an object, not a list");
    assertThatThrownBy(() -> in.only(Set.of("s", "i", "d", "f", "l", "n")))
        .hasMessage("it has an unknown field \"o\"; known: d, f, i, l, n, s");
    assertThatThrownBy(() -> Json.object("[]"))
        .hasMessage("the document must be an object, not a list");
  }
}
