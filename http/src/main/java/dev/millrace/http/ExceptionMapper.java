package dev.millrace.http;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.http.route.Problem;
import java.lang.System.Logger.Level;
import java.util.Map;

/** Maps what a handler throws to a problem, without revealing internal details. */
final class ExceptionMapper {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

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
        LOG.log(Level.WARNING, "request " + requestId + ": " + e.getMessage(), e);
        yield new Problem(
            e instanceof StoreBrokenException ? Problem.Kind.UNAVAILABLE : Problem.Kind.INTERNAL,
            "DATABASE_RELATED_ERROR",
            "the store is not available right now; try again later",
            null,
            Map.of("Retry-After", "5"));
      }
      case InterruptedException _ -> stopping();
      default -> {
        LOG.log(Level.ERROR, "request " + requestId + " failed", thrown);
        yield new Problem(
            Problem.Kind.INTERNAL, "internal error; see the server's log for this request id");
      }
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
