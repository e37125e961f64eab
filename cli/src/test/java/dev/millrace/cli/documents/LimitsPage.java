package dev.millrace.cli.documents;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rows of {@code docs/limits.md}. */
public final class LimitsPage {
  private static final int COLUMNS = 5;
  private static final Pattern CONSTANT = Pattern.compile("`([\\w.]+)`");
  private static final Pattern SHARE = Pattern.compile("1/(\\d+) of .*");
  private static final Pattern VALUE = Pattern.compile("([\\d,]+)(?: (\\w+).*)?");

  private static final Map<String, Integer> SHIFTS =
      Map.of("KiB", 10, "MiB", 20, "GiB", 30, "TiB", 40);

  private static final Map<String, Duration> TIMES =
      Map.of(
          "s", Duration.ofSeconds(1),
          "minutes", Duration.ofMinutes(1),
          "hour", Duration.ofHours(1),
          "hours", Duration.ofHours(1),
          "days", Duration.ofDays(1));

  private LimitsPage() {}

  /**
   * One limit.
   *
   * @param value a {@link Duration}, or a {@link BigDecimal}: a number, bytes, or the part of a
   *     whole
   * @param constant such as {@code JobSpec.MAX_STAGES}
   */
  public record Row(int line, String what, Comparable<?> value, String constant) {}

  public static List<Row> read(Path file) throws IOException {
    List<Row> rows = new ArrayList<>();
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.startsWith("|") && !line.startsWith("|---") && !line.startsWith("| what |")) {
        rows.add(row(i + 1, line));
      }
    }
    return rows;
  }

  private static Row row(int number, String line) {
    String[] cells = line.substring(1, line.length() - 1).split("(?<!\\\\)\\|", -1);
    Matcher constant = CONSTANT.matcher(cells[cells.length - 1].strip());
    if (cells.length != COLUMNS || !constant.matches() || cells[3].isBlank()) {
      throw new IllegalArgumentException(
          "line " + number + " must have a limit, its value, option, effect and `CONSTANT`");
    }
    return new Row(number, cells[0].strip(), value(cells[1].strip()), constant.group(1));
  }

  static Comparable<?> value(String text) {
    Matcher share = SHARE.matcher(text);
    if (share.matches()) {
      return new BigDecimal(share.group(1));
    }
    Matcher value = VALUE.matcher(text);
    if (!value.matches()) {
      throw new IllegalArgumentException("no value: \"" + text + "\"");
    }
    BigDecimal number = new BigDecimal(value.group(1).replace(",", ""));
    String unit = value.group(2) == null ? "" : value.group(2);
    if (TIMES.containsKey(unit)) {
      return TIMES.get(unit).multipliedBy(number.longValueExact());
    }
    return number.multiply(BigDecimal.valueOf(1L << SHIFTS.getOrDefault(unit, 0)));
  }
}
