package dev.millrace.http.auth;

import dev.millrace.core.internal.hash.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The file of API keys: one line {@code NAME SCOPES SHA256} for each key, scopes separated by
 * commas. Only the hash of a key is stored. Empty lines and lines that start with {@code #} are
 * ignored.
 */
public final class ApiKeyFile {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final int MAX_BYTES = 1_000_000;

  private ApiKeyFile() {}

  /**
   * The entry of a key.
   *
   * @param hash of the key: SHA-256 in hex
   */
  public record Line(String name, Set<KeyScope> scopes, String hash) {}

  /**
   * @throws IllegalArgumentException naming the line and the rule it breaks
   */
  public static List<Line> read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw tooLarge();
    }
    return parse(Files.readAllLines(file, StandardCharsets.UTF_8));
  }

  /**
   * The keys of a file's lines.
   *
   * @throws IllegalArgumentException naming the line and the rule it breaks
   */
  static List<Line> parse(List<String> text) {
    List<Line> lines = new ArrayList<>();
    Set<String> names = new HashSet<>();
    long bytes = 0;
    for (int i = 0; i < text.size(); i++) {
      String one = text.get(i);
      bytes += one.getBytes(StandardCharsets.UTF_8).length + 1;
      if (!one.isBlank() && !one.startsWith("#")) {
        Line line = line(one, i + 1);
        if (!names.add(line.name())) {
          throw new IllegalArgumentException(
              "line " + (i + 1) + ": the name \"" + line.name() + "\" is there twice");
        }
        lines.add(line);
      }
    }
    if (bytes > MAX_BYTES + 1) { // the last line need not have an end
      throw tooLarge();
    }
    return lines;
  }

  private static IllegalArgumentException tooLarge() {
    return new IllegalArgumentException("larger than " + MAX_BYTES + " bytes");
  }

  private static Line line(String text, int number) {
    String[] words = text.strip().split("\\s+");
    try {
      if (words.length != 3 || !HASH.matcher(words[2]).matches()) {
        throw new IllegalArgumentException("must be NAME SCOPES SHA256");
      }
      Set<KeyScope> scopes = EnumSet.noneOf(KeyScope.class);
      for (String word : words[1].split(",", -1)) {
        scopes.add(scope(word));
      }
      return new Line(requireName(words[0]), scopes, words[2]);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("line " + number + ": " + e.getMessage());
    }
  }

  /** The scope of that name. */
  public static KeyScope scope(String word) {
    for (KeyScope scope : KeyScope.values()) {
      if (scope != KeyScope.NONE && scope.word().equals(word)) {
        return scope;
      }
    }
    throw new IllegalArgumentException(
        "scope \"" + word + "\" must be one of read, submit, work, admin");
  }

  private static String requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a key's name has 1 to 64 letters, digits, '.', '_', '@' or '-', and starts with a letter"
              + " or digit");
    }
    return name;
  }

  /** SHA-256 of a key, as the file stores it. */
  public static String hash(String key) {
    return Sha256.hexOf(key);
  }

  /**
   * Generates a key and adds it under a new name.
   *
   * @return the key; it is not stored and cannot be read again
   */
  public static String add(Path file, String name, Set<KeyScope> scopes) throws IOException {
    requireName(name);
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    String key = "mr_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    String words = String.join(",", scopes.stream().sorted().map(KeyScope::word).toList());
    KeyFileEdit.apply(
        file,
        lines -> {
          if (lines.stream().anyMatch(line -> isOf(line, name))) {
            throw new IllegalArgumentException(
                "there is a key called \""
                    + name
                    + "\" already; remove it, or choose another name");
          }
          return lines.add(name + " " + words + " " + hash(key));
        });
    return key;
  }

  /** Removes the key of that name; false if there is none. */
  public static boolean remove(Path file, String name) throws IOException {
    return KeyFileEdit.apply(file, lines -> lines.removeIf(line -> isOf(line, name)));
  }

  private static boolean isOf(String line, String name) {
    return line.strip().split("\\s+")[0].equals(name);
  }
}
