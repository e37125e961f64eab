package dev.millrace.cli.batch;

import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a batch says at its end: counts, tokens, speed, and which lines failed and why.
 *
 * @param jobs that answered, the latest first
 * @param failures the first of them
 * @param speed of this run; work of earlier runs is no part of it
 * @param output null for standard output
 */
record BatchSummary(
    List<JobId> jobs,
    String workspace,
    BatchOutput.Totals totals,
    List<FailedLine> failures,
    RunSpeed speed,
    @Nullable Path output) {

  /** How many failed lines are listed. */
  static final int FAILURES_SHOWN = 20;

  /**
   * A line that failed.
   *
   * @param number of the line in the file
   */
  record FailedLine(int number, String customId, String reason) {
    private String text() {
      return "\n  line " + number + " (" + SanitizedText.line(customId, 80) + "): " + reason;
    }

    private JsonObject json() {
      return JsonObject.create()
          .put("line", number)
          .put("custom_id", customId)
          .put("reason", reason);
    }
  }

  /**
   * What was generated while this run waited.
   *
   * @param busy the time in which tokens were generated
   */
  record RunSpeed(long tokens, Duration busy) {
    private double perSecond() {
      return busy.isPositive() ? tokens / (busy.toNanos() / 1e9) : 0;
    }
  }

  private int leftOut() {
    return totals.failed() - failures.size();
  }

  JsonObject json() {
    JsonObject out =
        JsonObject.create()
            .put("job", jobs.getFirst().value())
            .put("jobs", jobs.stream().map(JobId::value).toList())
            .put("workspace", workspace)
            .put("requests", totals.done() + totals.failed())
            .put("completed", totals.done())
            .put("failed", totals.failed())
            .put("prompt_tokens", totals.promptTokens())
            .put("completion_tokens", totals.completionTokens())
            .put("generated_tokens", speed.tokens())
            .put("seconds", rounded(speed.busy().toMillis() / 1_000.0, 2));
    if (speed.perSecond() > 0) {
      out.put("tokens_per_second", rounded(speed.perSecond(), 1));
    }
    return out.put("output", String.valueOf(output))
        .put("failed_lines", failures.stream().map(FailedLine::json).toList())
        .putIfPresent("failed_lines_left_out", leftOut() == 0 ? null : leftOut());
  }

  private static BigDecimal rounded(double value, int digits) {
    return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_UP);
  }

  String text() {
    StringBuilder out = new StringBuilder();
    out.append(NumberText.of(totals.done() + totals.failed(), "request"));
    out.append(": ").append(totals.done()).append(" done, ");
    out.append(totals.failed()).append(" failed");
    if (totals.completionTokens() > 0) {
      out.append(", ").append(NumberText.of(totals.completionTokens(), "token"));
    }
    if (speed.perSecond() > 0) {
      out.append(", ").append(ProgressBar.rate(speed.perSecond(), " tokens"));
      if (speed.tokens() < totals.completionTokens()) {
        out.append(" in this run");
      }
    }
    if (output != null) {
      out.append("; output: ").append(output);
    }
    failures.forEach(line -> out.append(line.text()));
    if (leftOut() > 0) {
      out.append("\n  and ").append(leftOut()).append(" more");
    }
    if (totals.failed() > 0) {
      out.append("\nthe same command with --retry-failed runs only the failed requests again");
    }
    return out.toString();
  }
}
