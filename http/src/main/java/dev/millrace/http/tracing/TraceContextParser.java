package dev.millrace.http.tracing;

import dev.millrace.core.task.TraceContext;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses W3C Trace Context; invalid values are ignored. */
public final class TraceContextParser {
  /** Later versions may append fields. */
  private static final Pattern PARENT =
      Pattern.compile("([\\da-f]{2}-([\\da-f]{32})-([\\da-f]{16})-[\\da-f]{2})(-.*)?");

  private TraceContextParser() {}

  public static @Nullable TraceContext parse(List<String> parents, List<String> states) {
    if (parents.size() != 1) {
      return null;
    }
    var matcher = PARENT.matcher(parents.getFirst().strip());
    if (!matcher.matches() || !isUsable(matcher.group(1), matcher.group(4))) {
      return null;
    }
    if (isZero(matcher.group(2)) || isZero(matcher.group(3))) {
      return null;
    }
    return new TraceContext(matcher.group(1), state(states));
  }

  private static boolean isUsable(String parent, @Nullable String more) {
    return !parent.startsWith("ff") && (more == null || !parent.startsWith("00"));
  }

  private static boolean isZero(String hex) {
    return hex.chars().allMatch(c -> c == '0');
  }

  private static @Nullable String state(List<String> states) {
    String state = String.join(",", states).strip();
    boolean fits =
        !state.isEmpty()
            && state.length() <= TraceContext.MAX_STATE
            && state.chars().allMatch(c -> c >= 32 && c < 127);
    return fits ? state : null;
  }
}
