package dev.millrace.cli.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Runs the examples of the operator's page, and compares the alert rules with its scrape. */
@ResourceLock(ExampleRun.PORTS)
class OperationsIT {
  /** They appear once something has happened that the page does not show. */
  private static final Set<String> LATER =
      Set.of(
          "millrace_lease_losses_total",
          "millrace_spans_dropped_total",
          "millrace_webhooks_pending",
          "millrace_webhooks_total");

  private static final Path METERS =
      ExampleRun.ROOT.resolve("http/src/main/java/dev/millrace/http/metrics");

  @TempDir Path dir;

  @Test
  void examplesWorkAndAlertsUseMetricsThatExist() throws IOException, InterruptedException {
    ExampleRun.of(MarkdownDocument.read(ExampleRun.ROOT, Path.of("docs/operations.md")), dir);
    Set<String> scraped =
        Files.readAllLines(dir.resolve("metrics.txt")).stream()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split("[{ ]", 2)[0])
            .collect(Collectors.toSet());
    Set<String> used = PrometheusRules.metrics(ExampleRun.ROOT);
    assertThat(used).hasSizeGreaterThan(10);
    assertThat(used)
        .filteredOn(name -> !LATER.contains(name) && !name.startsWith(PrometheusRules.PIPES))
        .isSubsetOf(scraped);
    assertThat(LATER).isSubsetOf(used).allMatch(OperationsIT::isDefined);
  }

  private static boolean isDefined(String metric) {
    try (Stream<Path> meters = Files.list(METERS)) {
      for (Path meter : meters.toList()) {
        if (Files.readString(meter).contains("\"" + metric + "\"")) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
