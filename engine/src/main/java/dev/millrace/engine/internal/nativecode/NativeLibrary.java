package dev.millrace.engine.internal.nativecode;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The library of native kernels that the jar carries. It is written to a new directory that only
 * the owner can enter, compared with the hash that the jar has for it, loaded, and removed: nothing
 * is reused, so nobody can put another one in its place.
 */
final class NativeLibrary {
  private static final System.Logger LOG = System.getLogger("dev.millrace.engine");
  private static final String NAME = "kernels.so";

  private NativeLibrary() {}

  /**
   * Loads the library of this platform.
   *
   * @throws IOException if there is none, or it cannot be unpacked, or has another hash
   */
  static SymbolLookup load() throws IOException {
    String platform = platform();
    byte[] library = resource(platform, NAME);
    String hash =
        new String(resource(platform, NAME + ".sha256"), StandardCharsets.US_ASCII).strip();
    Path directory = ownerOnlyDirectory(Path.of(System.getProperty("java.io.tmpdir")));
    Path file = directory.resolve(NAME);
    try {
      Files.write(file, library);
      checkHash(file, hash);
      return open(file);
    } finally {
      remove(file);
      remove(directory);
    }
  }

  /** What cannot be removed stays: nobody reads it again. */
  private static void remove(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "cannot remove " + path, e);
    }
  }

  /** A new directory below another one. */
  static Path ownerOnlyDirectory(Path parent) throws IOException {
    var owner = PosixFilePermissions.fromString("rwx------");
    try {
      return Files.createTempDirectory(
          parent, "millrace-kernels-", PosixFilePermissions.asFileAttribute(owner));
    } catch (UnsupportedOperationException e) {
      throw new IOException("files in " + parent + " have no owners and permissions", e);
    }
  }

  @SuppressWarnings("restricted")
  private static SymbolLookup open(Path file) throws IOException {
    try {
      return SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "the system does not load libraries from " + file.getParent() + ": set java.io.tmpdir",
          e);
    }
  }

  static void checkHash(Path file, String expected) throws IOException {
    String found;
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      found = HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
    if (!found.equals(expected)) {
      throw new IOException(file + " has the SHA-256 " + found + ", not " + expected);
    }
  }

  /** As directories of resources are called: "linux-x86_64". */
  static String platform() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch", "");
    return system.replace(' ', '-') + "-" + (processor.equals("amd64") ? "x86_64" : processor);
  }

  /** Whether the jar has one for this platform. */
  static boolean isCarried() {
    return NativeLibrary.class.getResource(platform() + "/" + NAME) != null;
  }

  private static byte[] resource(String platform, String name) throws IOException {
    try (InputStream in = NativeLibrary.class.getResourceAsStream(platform + "/" + name)) {
      if (in == null) {
        throw new IOException("the jar has no " + platform + "/" + name);
      }
      return in.readAllBytes();
    }
  }
}
