package dev.millrace.http.route;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Splits the path of a request into segments. It splits first and decodes afterwards, so that an
 * escape cannot add a segment. Paths that other software reads in different ways ({@code .}, {@code
 * ..}, empty segments, parameters after {@code ;}) are refused. A segment with an escaped slash
 * matches nothing but the rest of a path.
 */
public final class RequestPath {
  private static final String PLAIN = "-._~!$&'()*+,=:@"; // RFC 3986 pchar, less ';'

  /** The start of a target in absolute form, as sent to proxies (RFC 9112, 3.2.2). */
  private static final Pattern ORIGIN = Pattern.compile("(?i)https?://([^/?]*)");

  private RequestPath() {}

  /** The path of a request target, as the client wrote it. */
  public static String ofTarget(String target) {
    Matcher origin = ORIGIN.matcher(target);
    String local = origin.lookingAt() ? target.substring(origin.end()) : target;
    int query = local.indexOf('?');
    String path = query < 0 ? local : local.substring(0, query);
    return path.isEmpty() ? "/" : path;
  }

  /** The host of a request target in absolute form, with its port if it has one. */
  public static Optional<String> authority(String target) {
    Matcher origin = ORIGIN.matcher(target);
    return origin.lookingAt() ? Optional.of(origin.group(1)) : Optional.empty();
  }

  /** The decoded segments, without a last slash; empty if the path is not accepted. */
  static Optional<List<String>> split(String raw) {
    if (!raw.startsWith("/") || raw.length() > 8192) {
      return Optional.empty();
    }
    List<String> segments = new ArrayList<>();
    if (raw.length() == 1) {
      return Optional.of(segments);
    }
    int end = raw.endsWith("/") ? raw.length() - 1 : raw.length();
    for (String part : raw.substring(1, end).split("/", -1)) {
      Optional<String> segment = decode(part);
      if (segment.isEmpty()
          || !Stream.of(segment.get().split("/", -1)).allMatch(RequestPath::isName)) {
        return Optional.empty();
      }
      segments.add(segment.get());
    }
    return Optional.of(segments);
  }

  private static boolean isName(String segment) {
    return !segment.isEmpty()
        && !segment.equals(".")
        && !segment.equals("..")
        && segment.chars().noneMatch(Character::isISOControl);
  }

  private static Optional<String> decode(String part) {
    byte[] bytes = new byte[part.length()];
    int size = 0;
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (c == '%') {
        int value = PercentEncoding.hex(part, i + 1);
        if (value < 0) {
          return Optional.empty();
        }
        bytes[size++] = (byte) value;
        i += 2;
      } else if (isPlain(c)) {
        bytes[size++] = (byte) c;
      } else {
        return Optional.empty();
      }
    }
    return text(bytes, size);
  }

  private static boolean isPlain(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || PLAIN.indexOf(c) >= 0;
  }

  private static Optional<String> text(byte[] bytes, int size) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, size)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }
}
