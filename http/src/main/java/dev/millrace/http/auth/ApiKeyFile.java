package dev.millrace.http.auth;

import dev.millrace.core.internal.hash.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
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
      throw new IOException("larger than " + MAX_BYTES + " bytes");
    }
    List<Line> lines = new ArrayList<>();
    int number = 0;
    for (String text : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      number++;
      if (!text.isBlank() && !text.startsWith("#")) {
        lines.add(line(text, number));
      }
    }
    return lines;
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
    List<String> lines = lines(file);
    if (lines.stream().anyMatch(line -> isOf(line, name))) {
      throw new IllegalArgumentException(
          "there is a key called \"" + name + "\" already; remove it, or choose another name");
    }
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    String key = "mr_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    lines.add(
        name
            + " "
            + String.join(",", scopes.stream().sorted().map(KeyScope::word).toList())
            + " "
            + hash(key));
    replace(file, lines);
    return key;
  }

  /** Removes the key of that name; false if there is none. */
  public static boolean remove(Path file, String name) throws IOException {
    List<String> lines = lines(file);
    boolean removed = lines.removeIf(line -> isOf(line, name));
    if (removed) {
      replace(file, lines);
    }
    return removed;
  }

  private static boolean isOf(String line, String name) {
    return line.strip().split("\\s+")[0].equals(name);
  }

  private static List<String> lines(Path file) throws IOException {
    try {
      return new ArrayList<>(Files.readAllLines(file, StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      return new ArrayList<>();
    }
  }

  /** Replaces the file atomically: a server may read it at any time. */
  private static void replace(Path file, List<String> lines) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    Path fresh =
        Files.createTempFile(
            directory,
            ".keys",
            null,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.write(fresh, lines, StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }
}
