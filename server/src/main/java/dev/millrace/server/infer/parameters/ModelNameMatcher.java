package dev.millrace.server.infer.parameters;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the models that a user means by a text. The first of these rules that any name meets
 * decides:
 *
 * <ol>
 *   <li>it is the name;
 *   <li>upper or lower case aside, it is the name, or one of Ollama's without {@code :latest};
 *   <li>the same of the last part of a name with folders ({@code a} of {@code
 *       publisher/repository/a});
 *   <li>upper or lower case aside, it is in the name.
 * </ol>
 */
public final class ModelNameMatcher {
  /** The name of the default model, unless one is called so. */
  public static final String DEFAULT = "default";

  private static final String SUFFIX = ".gguf";
  private static final Pattern PART = Pattern.compile("(.+)-\\d{5}-of-\\d{5}");

  private ModelNameMatcher() {}

  /** The names that {@code text} can mean, in their order; several if it is ambiguous. */
  public static List<String> matches(Collection<String> names, String text) {
    List<String> whole = wholeMatches(names, text);
    String wanted = stem(text).toLowerCase(Locale.ROOT);
    return whole.isEmpty() && !wanted.isEmpty()
        ? filter(names, name -> name.contains(wanted))
        : whole;
  }

  /** The same without names of which {@code text} is merely a part. */
  public static List<String> wholeMatches(Collection<String> names, String text) {
    if (names.contains(text)) {
      return List.of(text);
    }
    String wanted = stem(text).toLowerCase(Locale.ROOT);
    List<String> whole = filter(names, name -> isOrLatest(name, wanted));
    return whole.isEmpty()
        ? filter(names, name -> isOrLatest(name.substring(name.lastIndexOf('/') + 1), wanted))
        : whole;
  }

  private static List<String> filter(Collection<String> names, Predicate<String> lowerCase) {
    return names.stream()
        .filter(name -> lowerCase.test(name.toLowerCase(Locale.ROOT)))
        .distinct()
        .toList();
  }

  private static boolean isOrLatest(String name, String wanted) {
    return name.equals(wanted) || name.equals(wanted + ":latest");
  }

  /** A file's name without its suffix and, of a split model, without the number of its part. */
  public static String stem(String fileName) {
    boolean model = fileName.toLowerCase(Locale.ROOT).endsWith(SUFFIX);
    String stem = model ? fileName.substring(0, fileName.length() - SUFFIX.length()) : fileName;
    Matcher part = PART.matcher(stem);
    return part.matches() ? part.group(1) : stem;
  }
}
