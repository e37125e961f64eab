package dev.millrace.http;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.http.openapi.BodyCheck;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.route.Problem;
import dev.millrace.http.transport.BodyReader;
import dev.millrace.http.transport.ClientGoneException;
import dev.millrace.http.transport.IncomingRequest;
import dev.millrace.http.transport.StallTimer;
import java.nio.charset.CharacterCodingException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads, parses and checks the body of one request. Its memory is counted until it is closed. */
final class RequestBody implements AutoCloseable {
  private final IncomingRequest incoming;
  private final BodyReader bodies;
  private final StallTimer stall;
  private BodyReader.@Nullable Body body;

  /** Whether the rest of what the client sends cannot be parsed any more. */
  private boolean broken;

  RequestBody(IncomingRequest incoming, BodyReader bodies, StallTimer stall) {
    this.incoming = incoming;
    this.bodies = bodies;
    this.stall = stall;
  }

  /**
   * @param max the most bytes allowed
   * @return the parsed and checked value; null if there is no body
   */
  @Nullable Object read(int max, Optional<OpenApiDocument.Operation> operation) {
    BodyReader.Body read = incoming.hasBody() ? bytes(max) : bodies.empty();
    body = read;
    boolean present = read.size() > 0;
    Object value = present ? parse(read) : null;
    operation.ifPresent(new BodyCheck(value, present)::check);
    return value;
  }

  private BodyReader.Body bytes(int max) {
    checkMediaType();
    try {
      return bodies.read(incoming::body, incoming.contentLength(), max, stall);
    } catch (ClientGoneException e) {
      broken = true;
      throw ProtocolErrorHandler.problem(e).<RuntimeException>map(problem -> problem).orElse(e);
    }
  }

  private void checkMediaType() {
    String encoding = incoming.header("Content-Encoding").orElse("identity");
    if (!encoding.equalsIgnoreCase("identity")) {
      throw new Problem(
          Problem.Kind.UNSUPPORTED_MEDIA_TYPE,
          null,
          "bodies must not be compressed: send the body without Content-Encoding",
          null,
          Map.of("Accept-Encoding", "identity"));
    }
    String type = incoming.header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
    String[] words = type.split("\\s*;\\s*");
    boolean json =
        words[0].equals("application/json") || words[0].matches("application/[\\w.-]+\\+json");
    for (int i = 1; i < words.length && json; i++) {
      json = !words[i].startsWith("charset=") || words[i].matches("charset=\"?utf-?8\"?");
    }
    if (!json) {
      throw new Problem(
          Problem.Kind.UNSUPPORTED_MEDIA_TYPE,
          "the body must be JSON in UTF-8: send it with Content-Type: application/json");
    }
  }

  private static @Nullable Object parse(BodyReader.Body read) {
    try {
      return Json.parseInput(read.text());
    } catch (CharacterCodingException e) {
      throw new Problem(Problem.Kind.MALFORMED, "request/body must be UTF-8");
    } catch (JsonException e) {
      throw new Problem(Problem.Kind.MALFORMED, "request/body is " + e.getMessage());
    }
  }

  /** Reads on for a short time after a refusal, so that the client gets to read the response. */
  void skip() {
    if (!incoming.waitsForContinue() && !broken) {
      bodies.skip(incoming::body, stall);
    }
  }

  @Override
  public void close() {
    if (body != null) {
      body.close();
    }
  }
}
