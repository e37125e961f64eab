package dev.millrace.cli.args;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses amounts of memory as people write them: {@code 512M}, {@code 4G}, {@code 1.5GiB}. No model
 * fits into less than a mebibyte, so that a number without its unit is noticed.
 */
public final class MemorySize {
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,15}(?:\\.\\d{1,6})?)(?:([KMGT])(?:IB|B)?)?");
  private static final BigDecimal LEAST = BigDecimal.valueOf(1L << 20);
  private static final BigDecimal MOST = BigDecimal.valueOf(1L << 50);

  private MemorySize() {}

  /** The bytes that {@code text} means, in powers of 1,024; errors call it {@code name}. */
  public static long parse(String name, String text) {
    Matcher form = FORM.matcher(text.strip().toUpperCase(Locale.ROOT));
    if (form.matches()) {
      String unit = form.group(2);
      int power = unit == null ? 0 : 10 * (1 + "KMGT".indexOf(unit));
      BigDecimal bytes = new BigDecimal(form.group(1)).multiply(BigDecimal.valueOf(1L << power));
      if (bytes.compareTo(LEAST) >= 0 && bytes.compareTo(MOST) <= 0) {
        return bytes.longValue();
      }
    }
    throw new UsageException(
        name
            + " must be an amount of memory from 1M to 1024T, for example 512M, 4G or 1.5G, not \""
            + text
            + "\"");
  }
}
