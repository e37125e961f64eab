package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.automaton.AutomatonRunner;
import dev.millrace.engine.internal.grammar.automaton.ParseState;
import dev.millrace.engine.internal.grammar.automaton.PushdownAutomaton;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class NumberRangeTest {
  private static final VocabularyTrie BYTES =
      new VocabularyTrie(TestVocabulary.of("0 1 2 3 4 5 6 7 8 9 - . e + x".split(" ")));

  /** Reads texts with the automaton alone, as the constraint does token by token. */
  private static final class Reader {
    private final AutomatonRunner stacks;
    private final PushdownAutomaton automaton;

    Reader(Map<String, @Nullable Object> schema) {
      automaton =
          PushdownAutomaton.of(
              JsonSchema.compile(schema).rules(), BYTES.bytes(), new CompileBudget());
      stacks = new AutomatonRunner(automaton);
    }

    boolean accepts(String text) {
      ParseState at = stacks.start();
      for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
        at = stacks.next(at, automaton.classes.of(b));
      }
      return at.mayEnd;
    }
  }

  private static Map<String, @Nullable Object> schema(
      String type, @Nullable Object low, @Nullable Object high) {
    Map<String, @Nullable Object> schema = new LinkedHashMap<>(Map.of("type", type));
    if (low != null) {
      schema.put("minimum", low);
    }
    if (high != null) {
      schema.put("maximum", high);
    }
    return schema;
  }

  @Test
  void allIntegerBoundsFromMinusToPlus120AgreeWithAllIntegersNearThem() {
    int step = Boolean.getBoolean("millrace.proof") ? 1 : 13;
    for (int low = -120; low <= 120; low += step) {
      for (int high = low; high <= 120; high += step) {
        Reader reader = new Reader(schema("integer", low, high));
        for (int n = -135; n <= 135; n++) {
          if (reader.accepts(Integer.toString(n)) != (n >= low && n <= high)) {
            throw new AssertionError("%d in %d to %d".formatted(n, low, high));
          }
        }
        assertThat(
                reader.accepts("-0")
                    || reader.accepts("00")
                    || reader.accepts("01")
                    || reader.accepts("-"))
            .isFalse();
      }
    }
  }

  @Test
  void openBoundsAndSingleBoundsOfIntegersAgree() {
    for (int bound = -120; bound <= 120; bound += 3) {
      Reader above = new Reader(Map.of("type", "integer", "exclusiveMinimum", bound));
      Reader below = new Reader(Map.of("type", "integer", "exclusiveMaximum", bound + 0.5));
      for (int n = -1200; n <= 1200; n += 5) {
        assertThat(above.accepts("" + n)).as("%d > %d", n, bound).isEqualTo(n > bound);
        assertThat(below.accepts("" + n)).as("%d < %d.5", n, bound).isEqualTo(n < bound + 0.5);
      }
    }
  }

  @Test
  void boundsAtTheEndsOfLongAreExact() {
    Reader reader = new Reader(schema("integer", Long.MIN_VALUE, Long.MAX_VALUE));
    BigInteger max = BigInteger.valueOf(Long.MAX_VALUE);
    BigInteger min = BigInteger.valueOf(Long.MIN_VALUE);
    assertThat(reader.accepts(max.toString())).isTrue();
    assertThat(reader.accepts(max.add(BigInteger.ONE).toString())).isFalse();
    assertThat(reader.accepts(min.toString())).isTrue();
    assertThat(reader.accepts(min.subtract(BigInteger.ONE).toString())).isFalse();
    assertThat(
            new Reader(schema("integer", Long.MAX_VALUE, null))
                .accepts(max.add(BigInteger.ONE).toString()))
        .isTrue();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 300; i++) {
      long a = random.nextLong() >> random.nextInt(64);
      long b = random.nextLong() >> random.nextInt(64);
      Reader between = new Reader(schema("integer", Math.min(a, b), Math.max(a, b)));
      for (int j = 0; j < 20; j++) {
        long n = j < 6 ? (j < 3 ? a : b) + j % 3 - 1 : random.nextLong() >> random.nextInt(64);
        assertThat(between.accepts("" + n))
            .as("%d in %d to %d", n, Math.min(a, b), Math.max(a, b))
            .isEqualTo(n >= Math.min(a, b) && n <= Math.max(a, b));
      }
    }
  }

  @Test
  void decimalBoundsAreExactForAllNumbersOfThreeDigitsAfterThePoint() {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 150; i++) {
      BigDecimal low = BigDecimal.valueOf(random.nextInt(-300, 300), random.nextInt(4));
      BigDecimal high = low.add(BigDecimal.valueOf(random.nextInt(400), random.nextInt(4)));
      boolean lowOpen = random.nextBoolean();
      boolean highOpen = random.nextBoolean();
      Map<String, @Nullable Object> schema = new LinkedHashMap<>(Map.of("type", "number"));
      schema.put(lowOpen ? "exclusiveMinimum" : "minimum", low);
      schema.put(highOpen ? "exclusiveMaximum" : "maximum", high);
      if (low.compareTo(high) == 0 && (lowOpen || highOpen)) {
        assertThatThrownBy(() -> JsonSchema.compile(schema))
            .hasMessageContaining("no number lies between");
        continue;
      }
      Reader reader = new Reader(schema);
      for (String text : texts(random, low, high)) {
        BigDecimal n = new BigDecimal(text);
        boolean inside = lowOpen ? n.compareTo(low) > 0 : n.compareTo(low) >= 0;
        inside &= highOpen ? n.compareTo(high) < 0 : n.compareTo(high) <= 0;
        boolean negativeZero = text.startsWith("-") && n.signum() == 0;
        assertThat(reader.accepts(text))
            .as("%s in %s", text, schema)
            .isEqualTo(inside && !negativeZero);
      }
    }
  }

  private static List<String> texts(SplittableRandom random, BigDecimal low, BigDecimal high) {
    List<String> texts = new ArrayList<>(List.of("0", "-0", "0.0", "-0.0"));
    for (BigDecimal bound : List.of(low, high)) {
      for (int delta = -12; delta <= 12; delta++) {
        for (int scale = 0; scale <= 4; scale++) {
          texts.add(bound.add(BigDecimal.valueOf(delta, scale)).toPlainString());
        }
      }
      texts.add(bound.setScale(9).toPlainString());
    }
    for (int i = 0; i < 50; i++) {
      texts.add(BigDecimal.valueOf(random.nextInt(-900_000, 900_000), 3).toPlainString());
    }
    return texts;
  }

  @Test
  void numbersHaveOnePlainSpelling() {
    Reader bounded = new Reader(schema("number", -5, 5));
    for (String bad :
        List.of("1.", ".5", "+1", "01", "1e0", "--1", "", "-", "0.12345678901234567890")) {
      assertThat(bounded.accepts(bad)).as(bad).isFalse();
    }
    Reader free = new Reader(schema("number", null, null));
    for (String good : List.of("1e9", "-0.5", "0", "123456789012345678", "1.5e-10", "1e+1")) {
      assertThat(free.accepts(good)).as(good).isTrue();
    }
    assertThat(free.accepts("1e100")).isFalse();
  }

  @Test
  void anEmptyRangeIsRejected() {
    assertThatThrownBy(() -> JsonSchema.compile(schema("integer", 5, 4)))
        .hasMessageContaining("schema at #: no integer lies between");
    assertThatThrownBy(() -> JsonSchema.compile(schema("integer", 0.2, 0.8)))
        .hasMessageContaining("no integer lies between");
    assertThatThrownBy(() -> JsonSchema.compile(schema("number", "x", 1)))
        .hasMessageContaining("'minimum' must be a number");
  }
}
