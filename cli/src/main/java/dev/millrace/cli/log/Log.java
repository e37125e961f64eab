package dev.millrace.cli.log;

import dev.millrace.core.internal.secret.SecretRedactor;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes log lines: {@code [YYYY-MM-DD HH:MM:SS.mmm] [LEVEL] [ThreadName] Message}. Errors go to
 * standard error; the rest to standard output for a server, and to standard error for commands,
 * whose output is a result. Stack traces only at DEBUG and TRACE. Secrets are redacted.
 */
public final class Log {
  private static volatile Level least = Level.WARNING;
  private static volatile PrintStream out = System.err;
  private static volatile PrintStream err = System.err;
  private static volatile boolean json;

  private Log() {}

  /**
   * Configures the log of this process.
   *
   * @param output where a server's log goes
   * @param server whether the log starts at INFO
   */
  public static void configure(
      Map<String, String> environment, PrintStream output, PrintStream errors, boolean server) {
    json = false;
    out = server ? output : errors;
    err = errors;
    least = server ? Level.INFO : Level.WARNING;
    for (String variable : new String[] {"MILLRACE_LOG_LEVEL", "NRVNA_LOG_LEVEL"}) {
      String value = environment.get(variable);
      if (value != null && !value.isEmpty()) {
        Level wanted = level(value);
        if (wanted == null) {
          errors.println(
              "Warning: "
                  + variable
                  + " is \""
                  + value
                  + "\"; known are error, warn, info, debug and trace");
        } else {
          least = wanted;
        }
        return;
      }
    }
  }

  /** From now on, each line is a JSON object. */
  public static void useJson() {
    json = true;
  }

  private static @Nullable Level level(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "error" -> Level.ERROR;
      case "warn", "warning" -> Level.WARNING;
      case "info" -> Level.INFO;
      case "debug" -> Level.DEBUG;
      case "trace" -> Level.TRACE;
      default -> null;
    };
  }

  static boolean isEnabled(Level level) {
    return level != Level.OFF && level.getSeverity() >= least.getSeverity();
  }

  /** Prints the stack trace of {@code problem} if the level is DEBUG or TRACE. */
  public static void trace(Throwable problem) {
    if (isEnabled(Level.DEBUG)) {
      err.print(stack(problem));
      err.flush();
    }
  }

  static void write(Level level, String message, @Nullable Throwable problem) {
    String shown = SecretRedactor.redact(message);
    print(level, json ? JsonLines.of(level, shown, problem) : text(level, shown, problem));
  }

  private static String text(Level level, String message, @Nullable Throwable problem) {
    StringBuilder line = new StringBuilder(message.length() + 80);
    line.append('[').append(Lines.TIME.format(LocalDateTime.now())).append("] [");
    line.append(name(level)).append("] [");
    line.append(thread()).append("] ").append(message);
    if (problem != null && !isEnabled(Level.DEBUG)) {
      line.append(": ").append(reason(problem));
    }
    String text = oneLine(line) + "\n";
    if (problem != null && isEnabled(Level.DEBUG)) {
      text += stack(problem);
    }
    return text;
  }

  private static String name(Level level) {
    return level == Level.WARNING ? "WARN" : level.getName();
  }

  private static String reason(Throwable problem) {
    String reason = problem.getMessage();
    return reason == null ? problem.getClass().getSimpleName() : SecretRedactor.redact(reason);
  }

  private static void print(Level level, String text) {
    PrintStream to = level.getSeverity() >= Level.ERROR.getSeverity() ? err : out;
    synchronized (Lines.class) {
      to.print(text);
      to.flush();
    }
  }

  /** A message with line breaks must not look like several log lines. */
  private static String oneLine(StringBuilder line) {
    for (int i = 0; i < line.length(); i++) {
      if (Character.isISOControl(line.charAt(i))) {
        line.setCharAt(i, ' ');
      }
    }
    return line.toString();
  }

  private static String thread() {
    Thread thread = Thread.currentThread();
    return thread.getName().isEmpty() ? "virtual-" + thread.threadId() : thread.getName();
  }

  private static String stack(Throwable problem) {
    StringWriter text = new StringWriter();
    problem.printStackTrace(new PrintWriter(text));
    return SecretRedactor.redact(text.toString());
  }

  /** A class of its own: it is loaded only when it is asked for. */
  private static final class JsonLines {
    static String of(Level level, String message, @Nullable Throwable problem) {
      JsonObject line =
          JsonObject.create()
              .put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString())
              .put("level", name(level))
              .put("thread", thread())
              .put("message", message);
      if (problem != null) {
        line.put("error", reason(problem));
        line.putIfPresent("stack", isEnabled(Level.DEBUG) ? stack(problem) : null);
      }
      return Json.write(line) + "\n";
    }
  }

  /** A class of its own: it is loaded only when a line is written. */
  private static final class Lines {
    static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS");
  }
}
