package dev.millrace.cli.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.documents.LimitsPage.Row;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares {@code docs/limits.md} with the code. */
class LimitsPageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Limits that no user meets: of caches, of texts for people, of algorithms. */
  private static final Path INTERNAL =
      Path.of("src/test/resources/dev/millrace/cli/documents/internal-limits.txt");

  private static SourceConstants constants;
  private static List<Row> rows;

  @BeforeAll
  static void read() throws IOException {
    constants = new SourceConstants(ROOT);
    rows = LimitsPage.read(ROOT.resolve("docs/limits.md"));
  }

  @Test
  void everyValueIsThatOfTheCode() throws ReflectiveOperationException {
    List<String> wrong = new ArrayList<>();
    for (Row row : rows) {
      Object real = constants.value(row.constant());
      if (!isEqual(row.value(), real)) {
        wrong.add(
            "line %d: %s is %s, and %s is %s"
                .formatted(row.line(), row.what(), row.value(), row.constant(), real));
      }
    }
    assertThat(rows).hasSizeGreaterThan(100);
    assertThat(wrong).isEmpty();
  }

  /** A number of the code may be seconds on the page. */
  private static boolean isEqual(Comparable<?> shown, Object real) {
    if (real instanceof Duration) {
      return shown.equals(real);
    }
    BigDecimal number = new BigDecimal(real.toString());
    return shown instanceof Duration time
        ? number.compareTo(BigDecimal.valueOf(time.toSeconds())) == 0
        : number.compareTo((BigDecimal) shown) == 0;
  }

  @Test
  void everyLimitOfTheCodeIsOnThePage() throws Exception {
    Collection<String> missing = new TreeSet<>(constants.limits());
    rows.forEach(row -> missing.remove(topLevel(row.constant())));
    missing.removeAll(internal());
    assertThat(missing)
        .as("add a row to docs/limits.md, or a line to %s if no user meets it", INTERNAL)
        .isEmpty();
  }

  /** The name without nested classes, as {@link SourceConstants#limits} has it. */
  private static String topLevel(String constant) {
    return constants
        .fullName(constant)
        .replaceFirst("(\\.[A-Z]\\w*[a-z]\\w*)(\\.[A-Z]\\w*[a-z]\\w*)+", "$1");
  }

  @Test
  void internalLimitsExistAndAreNotOnThePage() throws Exception {
    Collection<String> internal = internal();
    assertThat(constants.limits()).containsAll(internal);
    assertThat(internal)
        .doesNotContainAnyElementsOf(rows.stream().map(row -> topLevel(row.constant())).toList());
  }

  private static Collection<String> internal() throws IOException {
    Collection<String> names = new TreeSet<>();
    for (String line : Files.readAllLines(INTERNAL)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        assertThat(names.add(constants.fullName(line.strip()))).as(line + " twice").isTrue();
      }
    }
    return names;
  }

  @Test
  void valuesHaveUnits() {
    assertThat(LimitsPage.value("1,024 bytes of it")).isEqualTo(new BigDecimal(1024));
    assertThat(LimitsPage.value("16 KiB")).isEqualTo(new BigDecimal(16384));
    assertThat(LimitsPage.value("1/8 of the heap")).isEqualTo(new BigDecimal(8));
    assertThat(LimitsPage.value("30 s for each")).isEqualTo(Duration.ofSeconds(30));
    assertThat(LimitsPage.value("30 days")).isEqualTo(Duration.ofDays(30));
    assertThatThrownBy(() -> LimitsPage.value("some")).hasMessageContaining("no value: \"some\"");
  }

  @Test
  void rowWithoutAConstantIsReported(@TempDir Path dir) throws IOException {
    Path page = Files.writeString(dir.resolve("a.md"), "# A\n| x | 1 | fixed | no |  |\n");
    assertThatThrownBy(() -> LimitsPage.read(page)).hasMessageContaining("line 2 must have");
  }
}
