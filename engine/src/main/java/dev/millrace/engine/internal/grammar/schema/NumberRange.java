package dev.millrace.engine.internal.grammar.schema;

import static dev.millrace.engine.internal.grammar.RuleExpression.alt;
import static dev.millrace.engine.internal.grammar.RuleExpression.chars;
import static dev.millrace.engine.internal.grammar.RuleExpression.optional;
import static dev.millrace.engine.internal.grammar.RuleExpression.seq;
import static dev.millrace.engine.internal.grammar.RuleExpression.text;

import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds expressions that match exactly the decimal numbers between two bounds. Integers have no
 * plus sign, no leading zero and no exponent; decimals have no exponent, and zero has no sign.
 * Where a bound is missing, the number of digits is limited: 18 before the point, or as many as the
 * other bound has, and 17 after it, or one more than the bounds have.
 *
 * @param low null for none
 * @param high null for none
 */
record NumberRange(
    @Nullable BigDecimal low, boolean lowOpen, @Nullable BigDecimal high, boolean highOpen) {
  private static final int DIGITS_BEFORE = 18;
  private static final int DIGITS_AFTER = 17;
  private static final RuleExpression DIGIT = chars('0', '9');

  boolean isEmpty(boolean whole) {
    if (whole) {
      return least().compareTo(most()) > 0;
    }
    int order = low == null || high == null ? -1 : low.compareTo(high);
    return order > 0 || order == 0 && (lowOpen || highOpen);
  }

  /** The integers of the range; {@link RuleExpression#NOTHING} if there is none. */
  RuleExpression integers() {
    BigInteger least = least();
    BigInteger most = most();
    if (least.compareTo(most) > 0) {
      return RuleExpression.NOTHING;
    }
    List<RuleExpression> choices = new ArrayList<>();
    if (least.signum() < 0) {
      choices.add(seq(text("-"), natural(most.negate().max(BigInteger.ONE), least.negate())));
    }
    if (most.signum() >= 0) {
      choices.add(natural(least.max(BigInteger.ZERO), most));
    }
    return new Alt(choices);
  }

  private BigInteger least() {
    if (low == null) {
      return BigInteger.TEN.pow(width(high)).subtract(BigInteger.ONE).negate();
    }
    BigInteger ceiling = low.setScale(0, RoundingMode.CEILING).toBigIntegerExact();
    return lowOpen && low.compareTo(new BigDecimal(ceiling)) == 0
        ? ceiling.add(BigInteger.ONE)
        : ceiling;
  }

  private BigInteger most() {
    if (high == null) {
      return BigInteger.TEN.pow(width(low)).subtract(BigInteger.ONE);
    }
    BigInteger floor = high.setScale(0, RoundingMode.FLOOR).toBigIntegerExact();
    return highOpen && high.compareTo(new BigDecimal(floor)) == 0
        ? floor.subtract(BigInteger.ONE)
        : floor;
  }

  private static int width(@Nullable BigDecimal other) {
    return other == null
        ? DIGITS_BEFORE
        : Math.max(DIGITS_BEFORE, other.precision() - other.scale() + 1);
  }

  /** Numbers from a to b, 0 at least, by their lengths. */
  private static RuleExpression natural(BigInteger a, BigInteger b) {
    List<RuleExpression> choices = new ArrayList<>();
    int last = b.toString().length();
    for (int length = a.toString().length(); length <= last; length++) {
      BigInteger first = length == 1 ? BigInteger.ZERO : BigInteger.TEN.pow(length - 1);
      BigInteger end = BigInteger.TEN.pow(length).subtract(BigInteger.ONE);
      if (a.max(first).compareTo(b.min(end)) <= 0) {
        choices.add(between(a.max(first).toString(), b.min(end).toString()));
      }
    }
    return choices.isEmpty() ? RuleExpression.NOTHING : new Alt(choices);
  }

  /** Digits of one length from low to high. */
  private static RuleExpression between(String low, String high) {
    if (low.chars().allMatch(c -> c == '0') && high.chars().allMatch(c -> c == '9')) {
      return new Repeat(DIGIT, low.length(), low.length());
    }
    int rest = low.length() - 1;
    char from = low.charAt(0);
    char to = high.charAt(0);
    if (from == to) {
      return seq(chars(from, from), between(low.substring(1), high.substring(1)));
    }
    List<RuleExpression> choices = new ArrayList<>();
    choices.add(seq(chars(from, from), between(low.substring(1), "9".repeat(rest))));
    if (to - from > 1) {
      choices.add(seq(chars(from + 1, to - 1), new Repeat(DIGIT, rest, rest)));
    }
    choices.add(seq(chars(to, to), between("0".repeat(rest), high.substring(1))));
    return new Alt(choices);
  }

  /** The decimals of the range; {@link RuleExpression#NOTHING} if there is none. */
  RuleExpression decimals() {
    List<RuleExpression> choices = new ArrayList<>();
    BigDecimal zero = BigDecimal.ZERO;
    if (low == null || low.signum() < 0) {
      boolean below = high != null && high.signum() < 0;
      NumberRange mirrored =
          new NumberRange(
              below ? high.negate() : zero,
              !below || highOpen,
              low == null ? null : low.negate(),
              lowOpen);
      choices.add(seq(text("-"), mirrored.magnitudes()));
    }
    if (high == null || high.signum() >= 0) {
      boolean above = low != null && low.signum() >= 0;
      choices.add(
          new NumberRange(above ? low : zero, above && lowOpen, high, highOpen).magnitudes());
    }
    return new Alt(choices);
  }

  /**
   * The decimals of a range that begins at 0 or above: integer part by integer part at the bounds,
   * else all of them.
   */
  private RuleExpression magnitudes() {
    BigDecimal lower = low == null ? BigDecimal.ZERO : low;
    BigInteger first = lower.toBigInteger();
    BigInteger last = high == null ? BigInteger.TEN.pow(width(lower)) : high.toBigInteger();
    String lowDigits = fraction(lower);
    String highDigits = high == null ? "" : fraction(high);
    int most = Math.max(DIGITS_AFTER, Math.max(lowDigits.length(), highDigits.length()) + 1);
    Fraction fractions = new Fraction(lowDigits, lowOpen, highDigits, highOpen, most);
    int order = first.compareTo(last);
    if (order > 0
        || high != null
            && (lower.compareTo(high) > 0 || lower.compareTo(high) == 0 && (lowOpen || highOpen))) {
      return RuleExpression.NOTHING;
    }
    if (order == 0) {
      return seq(text(first.toString()), fractions.after(true, true));
    }
    List<RuleExpression> choices = new ArrayList<>();
    choices.add(seq(text(first.toString()), fractions.after(true, false)));
    BigInteger second = first.add(BigInteger.ONE);
    BigInteger before = last.subtract(BigInteger.ONE);
    if (second.compareTo(before) <= 0) {
      choices.add(seq(natural(second, before), fractions.after(false, false)));
    }
    if (high != null) {
      choices.add(seq(text(last.toString()), fractions.after(false, true)));
    }
    return new Alt(choices);
  }

  /** The digits after the point, without trailing zeros. */
  private static String fraction(BigDecimal number) {
    String plain = number.remainder(BigDecimal.ONE).stripTrailingZeros().toPlainString();
    int point = plain.indexOf('.');
    return point < 0 ? "" : plain.substring(point + 1);
  }

  /** The digits after the point, which follow a bound as long as they equal its own digits. */
  private record Fraction(String low, boolean lowOpen, String high, boolean highOpen, int most) {

    /** Nothing, or a point and digits. */
    RuleExpression after(boolean lowTight, boolean highTight) {
      RuleExpression digits = seq(text("."), digits(0, lowTight, highTight));
      return mayStop(0, lowTight, highTight) ? optional(digits) : digits;
    }

    private boolean mayStop(int at, boolean lowTight, boolean highTight) {
      boolean lowHolds = !lowTight || at >= low.length() && !lowOpen;
      return lowHolds && (!highTight || at < high.length() || !highOpen);
    }

    private RuleExpression digits(int at, boolean lowTight, boolean highTight) {
      boolean lowBinds = lowTight && (at < low.length() || lowOpen);
      if (at == most || highTight && at >= high.length() && highOpen) {
        return RuleExpression.NOTHING;
      }
      if (!lowBinds && !highTight) {
        return new Repeat(DIGIT, 1, most - at);
      }
      int from = lowBinds && at < low.length() ? low.charAt(at) : '0';
      int to = !highTight ? '9' : at < high.length() ? high.charAt(at) : '0';
      List<RuleExpression> choices = new ArrayList<>();
      if (from == to) {
        choices.add(step(from, at + 1, lowBinds, highTight));
      } else if (from < to) {
        choices.add(step(from, at + 1, lowBinds, false));
        if (to - from > 1) {
          choices.add(seq(chars(from + 1, to - 1), new Repeat(DIGIT, 0, most - at - 1)));
        }
        choices.add(step(to, at + 1, false, highTight));
      }
      return new Alt(choices);
    }

    private RuleExpression step(int digit, int next, boolean lowTight, boolean highTight) {
      RuleExpression more = digits(next, lowTight, highTight);
      return seq(
          chars(digit, digit),
          mayStop(next, lowTight, highTight) ? alt(RuleExpression.EMPTY, more) : more);
    }
  }
}
