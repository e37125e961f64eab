package dev.millrace.http;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.http.monitoring.LogThrottle;
import dev.millrace.http.route.Problem;
import java.lang.System.Logger.Level;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Maps what a handler throws to a problem, without revealing internal details. */
final class ExceptionMapper {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private static final LogThrottle READ_ERRORS = new LogThrottle(System::nanoTime);

  private ExceptionMapper() {}

  static Problem toProblem(Throwable thrown, String requestId) {
    return switch (thrown) {
      case Problem problem -> problem;
      case JsonException e -> new Problem(Problem.Kind.INVALID, text(e));
      case IllegalArgumentException e when isRule(e) -> new Problem(Problem.Kind.INVALID, text(e));
      case StoreException.Closed _ -> stopping();
      case JobException e -> {
        LOG.log(Level.WARNING, "request " + requestId + ": " + e.getMessage());
        yield new Problem(
            Problem.Kind.INTERNAL,
            "DATABASE_RELATED_ERROR",
            "what is stored of this job cannot be read, other jobs are not affected; the server's"
                + " log says why");
      }
      case StoreException e -> {
        log(e, requestId);
        yield ofStore(e);
      }
      case InterruptedException _ -> stopping();
      default -> {
        LOG.log(Level.ERROR, "request " + requestId + " failed", thrown);
        yield new Problem(
            Problem.Kind.INTERNAL, "internal error; see the server's log for this request id");
      }
    };
  }

  /**
   * A store logs when its trouble begins and ends, and a line for each request would hide that. It
   * does not log what fails while it is read.
   */
  private static void log(StoreException e, String requestId) {
    boolean known =
        e.trouble() != null && (e.trouble() != Trouble.FAILING || !READ_ERRORS.tryLog());
    LOG.log(known ? Level.DEBUG : Level.WARNING, "request " + requestId + ": " + e.getMessage(), e);
  }

  private static Problem ofStore(StoreException e) {
    boolean full = e.trouble() == Trouble.FULL;
    return new Problem(
        kind(e.trouble()),
        "DATABASE_RELATED_ERROR",
        full
            ? "the disk of the server is full; try again later"
            : "the store is not available right now; try again later",
        null,
        Map.of("Retry-After", full ? "30" : "5"));
  }

  private static Problem.Kind kind(@Nullable Trouble trouble) {
    return switch (trouble) {
      case null -> Problem.Kind.INTERNAL;
      case FULL -> Problem.Kind.INSUFFICIENT_STORAGE;
      case READ_ONLY, FAILING, BROKEN -> Problem.Kind.UNAVAILABLE;
    };
  }

  private static Problem stopping() {
    return new Problem(
        Problem.Kind.UNAVAILABLE,
        null,
        "the server is stopping; try again later",
        null,
        Map.of("Retry-After", "5"));
  }

  /** Whether one of our own rules was broken; an exception of the JDK is a bug of this server. */
  private static boolean isRule(IllegalArgumentException e) {
    return e.getClass() == IllegalArgumentException.class
        || !e.getClass().getName().startsWith("java.");
  }

  private static String text(Throwable e) {
    return e.getMessage() == null ? "the request breaks a rule" : e.getMessage();
  }
}
