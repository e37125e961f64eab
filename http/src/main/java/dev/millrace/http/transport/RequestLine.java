package dev.millrace.http.transport;

import io.helidon.http.DirectHandler;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectTransportRequest;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The first line of an HTTP/1 request, checked before Helidon reads it: Helidon misreads some lines
 * and refuses others without a reason.
 */
final class RequestLine {
  private static final Status VERSION = Status.create(505, "HTTP Version Not Supported");

  /** RFC 9110, 9.1: methods are case-sensitive, and all standard ones are in capitals. */
  private static final Pattern METHOD = Pattern.compile("[A-Z0-9!#$%&'*+.^_`|~-]+");

  /** Characters that RFC 3986 does not allow, and the fragment, which is never sent. */
  private static final Pattern NOT_IN_TARGET = Pattern.compile("[^!-~]|[\"<>\\\\^`{|}#]");

  static final String WRONG_TARGET =
      "the path or query has a character that must be written as %XX";

  private final String method;
  private final String target;
  private final String version;

  private RequestLine(String method, String target, String version) {
    this.method = method;
    this.target = target;
    this.version = version;
  }

  /**
   * @throws RequestException if the line is malformed
   */
  static RequestLine of(String line) {
    int first = line.indexOf(' ');
    int last = line.lastIndexOf(' ');
    if (first < 1 || last == first) {
      throw refuse("its first line must be METHOD TARGET HTTP/1.1");
    }
    RequestLine request =
        new RequestLine(
            line.substring(0, first), line.substring(first + 1, last), line.substring(last + 1));
    request.check();
    return request;
  }

  private void check() {
    if (!version.equals("HTTP/1.1")) {
      throw unsupportedVersion();
    }
    if (!METHOD.matcher(method).matches()) {
      throw refuse(
          Status.BAD_REQUEST_400, "its method must be a word in capital letters, such as GET");
    }
    if (!isTarget(target)) {
      throw refuse(Status.BAD_REQUEST_400, WRONG_TARGET);
    }
  }

  private RequestException unsupportedVersion() {
    if (!version.matches("HTTP/\\d(\\.\\d)?")) {
      return refuse(Status.BAD_REQUEST_400, "its first line must end with HTTP/1.1");
    }
    return refuse(
        VERSION,
        version + " is not supported: use HTTP/1.1 (in nginx: proxy_http_version 1.1) or HTTP/2");
  }

  static boolean isTarget(String target) {
    return !target.isEmpty() && !NOT_IN_TARGET.matcher(target).find();
  }

  private RequestException refuse(Status status, String why) {
    return refusal(status, why).request(request()).build();
  }

  private DirectHandler.TransportRequest request() {
    return DirectTransportRequest.create(version, method, target);
  }

  /** For input that is not a request line. */
  static RequestException refuse(String why) {
    return refusal(Status.BAD_REQUEST_400, why).build();
  }

  /**
   * For a head that did not arrive in time.
   *
   * @param line null if not even the line arrived
   */
  static RequestException tooSlow(@Nullable RequestLine line) {
    RequestException.Builder refusal = refusal(Status.REQUEST_TIMEOUT_408, "");
    return (line == null ? refusal : refusal.request(line.request())).build();
  }

  /** For a body with a chunk that is too large. */
  static RequestException tooLarge() {
    return refusal(Status.REQUEST_ENTITY_TOO_LARGE_413, "").build();
  }

  private static RequestException.Builder refusal(Status status, String why) {
    return RequestException.builder()
        .type(DirectHandler.EventType.BAD_REQUEST)
        .status(status)
        .setKeepAlive(false)
        .message(why)
        .safeMessage(true);
  }
}
