package dev.millrace.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonWriteTest {

  @Test
  void aValueIsWrittenOnOneLine() {
    JsonObject object =
        JsonObject.create()
            .put("a", Arrays.asList(1, 2.5, null, true))
            .put("b", JsonObject.create())
            .put("c", List.of())
            .put("d", new BigDecimal("1E+3"))
            .putIfPresent("e", null);
    assertThat(Json.write(object))
        .isEqualTo("{\"a\":[1,2.5,null,true],\"b\":{},\"c\":[],\"d\":1E+3}");
    assertThat(object).hasToString(Json.write(object));
  }

  @Test
  void prettyTextIsIndented() {
    assertThat(Json.pretty(Json.parse("{\"a\":[1,{\"b\":2}],\"c\":{},\"d\":[]}")))
        .isEqualTo(
            """
            {
              "a": [
                1,
                {
                  "b": 2
                }
              ],
              "c": {},
              "d": []
            }\
            """);
  }

  @Test
  void namedFieldsAreOnOneLineInPrettyText() {
    Object value = Json.parse("{\"a\":{\"data\":{\"b\":[1,{\"c\":2}]}},\"data\":[1,2]}");
    assertThat(Json.pretty(value, Set.of("data")))
        .isEqualTo(
            """
            {
              "a": {
                "data": {"b":[1,{"c":2}]}
              },
              "data": [1,2]
            }\
            """);
  }

  @Test
  void aLineStaysALine() {
    String nasty = "quote \" back \\ \n\r\t\b\f\0\u001f é \u2028 😀";
    String written = Json.write(nasty);
    assertThat(written)
        .doesNotContain("\n", "\r")
        .isEqualTo("\"quote \\\" back \\\\ \\n\\r\\t\\u0008\\u000c\\u0000\\u001f é \u2028 😀\"");
    assertThat(Json.parse(written)).isEqualTo(nasty);
  }

  @Test
  void halfASurrogatePairIsWrittenAsAReplacementSoThatItCanBeReadAgain() {
    assertThat(Json.parse(Json.write("a\ud800b\udc00c"))).isEqualTo("a\ufffdb\ufffdc");
    assertThat(Json.parse(Json.write("\udc00\ud800"))).isEqualTo("\ufffd\ufffd");
    assertThat(Json.parse(Json.write("\ud83d\ude00\ud83d"))).isEqualTo("😀\ufffd");
  }

  @Test
  void infiniteAndNanAreRefused() {
    for (Object odd :
        List.of(Double.NaN, Double.POSITIVE_INFINITY, Float.NaN, Float.NEGATIVE_INFINITY)) {
      assertThatThrownBy(() -> Json.write(List.of(odd)))
          .isInstanceOf(JsonException.class)
          .hasMessage("JSON has no number for " + odd);
    }
  }

  @Test
  void objectsAreEqualByValueInAnyOrder() {
    JsonObject one = JsonObject.of(Json.parse("{\"a\":1,\"b\":{\"c\":[]}}"), "one");
    JsonObject other = JsonObject.of(Json.parse("{\"b\":{\"c\":[]},\"a\":1}"), "other");
    assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
    assertThat(one).isNotEqualTo(JsonObject.create().put("a", 1L));
  }

  @Test
  void writtenValuesAreReadBackUnchanged() {
    long seed = System.nanoTime();
    System.out.println("JsonWriteTest: seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 3_000; i++) {
      Object value = value(random, 5);
      assertThat(Json.parse(Json.write(value))).as("seed %s", seed).isEqualTo(value);
      assertThat(Json.parse(Json.pretty(value))).as("seed %s", seed).isEqualTo(value);
    }
  }

  static @Nullable Object value(SplittableRandom random, int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> random.nextLong() >> random.nextInt(64);
      case 3 -> new BigDecimal(random.nextLong() + "." + random.nextInt(1_000));
      case 4, 5 -> text(random);
      case 6 -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int n = random.nextInt(5); n > 0; n--) {
          list.add(value(random, depth - 1));
        }
        yield list;
      }
      default -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        for (int n = random.nextInt(5); n > 0; n--) {
          map.put(text(random), value(random, depth - 1));
        }
        yield map;
      }
    };
  }

  private static String text(SplittableRandom random) {
    StringBuilder out = new StringBuilder();
    for (int n = random.nextInt(12); n > 0; n--) {
      int c = random.nextInt(random.nextBoolean() ? 0x80 : Character.MAX_CODE_POINT + 1);
      out.appendCodePoint(c >= 0xD800 && c <= 0xDFFF ? 'x' : c);
    }
    return out.toString();
  }
}
