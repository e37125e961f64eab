package dev.millrace.server.joblog;

import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The lines that {@link JobLog} writes. */
final class JobLogText {
  private static final int MAX_LENGTH = 500;

  private JobLogText() {}

  /**
   * @param resumed whether an earlier server began it
   */
  static String begin(JobView job, boolean resumed) {
    List<String> parts = new ArrayList<>();
    name(job, parts);
    parts.add(
        "type "
            + String.join(
                ", ", job.stages().stream().map(StageView::type).distinct().limit(5).toList()));
    int tasks = job.stages().stream().mapToInt(StageView::total).sum();
    parts.add(tasks == 1 ? "1 task" : tasks + " tasks");
    return "job " + job.header().id() + (resumed ? " resumes: " : " begins: ") + join(parts);
  }

  static String end(JobView job, JobFigures figures) {
    List<String> parts = new ArrayList<>();
    name(job, parts);
    if (!figures.models().isEmpty()) {
      parts.add("model " + quoted(String.join(", ", new TreeSet<>(figures.models()))));
    }
    String seconds = seconds(job);
    parts.add(
        figures.tokens() > 0 ? figures.tokens() + " tokens in " + seconds : "took " + seconds);
    double rate = figures.tokensPerSecond();
    if (rate > 0) {
      parts.add(String.format(Locale.ROOT, "%.1f tokens/s", rate));
    }
    String reason = reason(job);
    return "job "
        + job.header().id()
        + " "
        + outcome(job)
        + ": "
        + join(parts)
        + (reason == null ? "" : ": " + oneLine(reason));
  }

  private static String outcome(JobView job) {
    return switch (job.state()) {
      case COMPLETED -> "done";
      case FAILED -> "failed";
      case ABORTED -> "aborted";
      default -> job.state().name().toLowerCase(Locale.ROOT);
    };
  }

  private static @Nullable String reason(JobView job) {
    return switch (job.state()) {
      case FAILED -> String.valueOf(job.error());
      case ABORTED -> job.error();
      default -> null;
    };
  }

  private static void name(JobView job, List<String> parts) {
    String name = job.header().name();
    if (name != null) {
      parts.add("name " + quoted(name));
    }
  }

  private static String seconds(JobView job) {
    boolean ran = job.startedAt() != null && job.completedAt() != null;
    double seconds = ran ? Duration.between(job.startedAt(), job.completedAt()).toNanos() / 1e9 : 0;
    return String.format(Locale.ROOT, "%.1f s", Math.max(0, seconds));
  }

  private static String join(List<String> parts) {
    return String.join(", ", parts);
  }

  private static String quoted(String text) {
    return '"' + oneLine(text) + '"';
  }

  /** Names and errors come from outside: they must not begin lines or control a terminal. */
  private static String oneLine(String text) {
    String cut = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) + "…" : text;
    return cut.replaceAll("[\\p{Cc}\\p{Zl}\\p{Zp}]+", " ").strip();
  }
}
