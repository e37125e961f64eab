package dev.millrace.cluster;

import dev.millrace.cluster.internal.text.DisplayText;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import javax.net.ssl.SSLContext;

/**
 * The secret that all nodes of a network share, and that admits them. Its file is one line: {@code
 * millrace-network-key-1:} and 64 hex digits.
 */
public final class NetworkKey {
  static final int BYTES = 32;

  private static final int SHARED_BYTES = 16;
  private static final byte[] SHARED_SALT = "millrace".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SHARED_INFO =
      "network key from 128 bits".getBytes(StandardCharsets.US_ASCII);

  /** Different bytes, and steps between them, that a random key has at least. */
  private static final int FEWEST = 6;

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final String PREFIX = "millrace-network-key-1:";
  private static final int MAX_FILE = 4096;
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));

  private final byte[] secret;

  NetworkKey(byte[] secret) {
    this.secret = secret.clone();
  }

  /** A new key of random bytes. */
  public static NetworkKey generate() {
    byte[] secret = new byte[BYTES];
    new SecureRandom().nextBytes(secret);
    return new NetworkKey(secret);
  }

  /**
   * The key that follows from a shared secret of 128 bits, such as an AES key. HKDF gives it a
   * purpose of its own, so that neither use tells anything about the other; 128 random bits are as
   * strong as the certificate that is made from them.
   *
   * @throws ClusterException if it is not 32 hex digits, or plainly not random; never quotes it
   */
  public static NetworkKey ofHex(String hex) {
    byte[] shared;
    try {
      shared = HexFormat.of().parseHex(hex);
    } catch (IllegalArgumentException e) {
      shared = new byte[0]; // its message quotes the text, which may be most of a key
    }
    if (shared.length != SHARED_BYTES) {
      throw new ClusterException("a shared key is 32 hex digits");
    }
    if (isPattern(shared)) {
      throw new ClusterException(
          "this key is a pattern that others can guess, not random; create a random one");
    }
    try {
      return new NetworkKey(
          KDF.getInstance("HKDF-SHA256")
              .deriveData(
                  HKDFParameterSpec.ofExtract()
                      .addSalt(SHARED_SALT)
                      .addIKM(shared)
                      .thenExpand(SHARED_INFO, BYTES)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java cannot do HKDF-SHA256", e);
    }
  }

  /** Whether bytes repeat, or grow by the same step: a random key never does. */
  private static boolean isPattern(byte[] key) {
    Set<Byte> values = new HashSet<>();
    Set<Integer> byteSteps = new HashSet<>();
    Set<Integer> digitSteps = new HashSet<>();
    String digits = HexFormat.of().formatHex(key);
    for (int i = 0; i < key.length; i++) {
      values.add(key[i]);
      byteSteps.add((key[i] - key[(i + 1) % key.length]) & 0xff);
    }
    for (int i = 1; i < digits.length(); i++) {
      int step = Character.digit(digits.charAt(i), 16) - Character.digit(digits.charAt(i - 1), 16);
      digitSteps.add(step & 0xf);
    }
    return Math.min(values.size(), Math.min(byteSteps.size(), digitSteps.size())) < FEWEST;
  }

  /** Reads a file that {@link #write} wrote; warns if other users may read it. */
  public static NetworkKey read(Path file) {
    String line;
    try {
      if (Files.size(file) > MAX_FILE) {
        throw malformed(file);
      }
      line = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
      warnOfOtherReaders(file);
    } catch (NoSuchFileException e) {
      throw new ClusterException(
          "%s: the key file does not exist; create a key and copy its file to every node"
              .formatted(file));
    } catch (IOException e) {
      throw new ClusterException(
          "%s: the key file cannot be read: %s".formatted(file, DisplayText.messageOf(e)));
    }
    return parse(file, line);
  }

  private static NetworkKey parse(Path file, String line) {
    if (!line.startsWith(PREFIX)) {
      throw malformed(file);
    }
    try {
      byte[] secret = HexFormat.of().parseHex(line.substring(PREFIX.length()));
      if (secret.length == BYTES) {
        return new NetworkKey(secret);
      }
    } catch (IllegalArgumentException e) {
      // Its message quotes the text, which may be most of a key.
    }
    throw malformed(file);
  }

  private static ClusterException malformed(Path file) {
    return new ClusterException(
        "%s is no network key: the file has one line, \"%s\" and 64 hex digits"
            .formatted(file, PREFIX));
  }

  /** Warns if other users of this machine may read a file that has a key. */
  public static void warnOfOtherReaders(Path file) throws IOException {
    if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return;
    }
    Set<PosixFilePermission> set = Files.getPosixFilePermissions(file);
    if (set.stream().anyMatch(OTHERS::contains)) {
      LOG.log(
          Level.WARNING,
          "{0} can be read by other users of this machine, who can then join the "
              + "network: chmod 600 {0}",
          file);
    }
  }

  /** The line in the key's file: the secret itself. */
  public String fileLine() {
    return PREFIX + HexFormat.of().formatHex(secret);
  }

  /** Writes a new file that only its owner may read; an existing file is never replaced. */
  public void write(Path file) {
    boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] mine =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(
                  EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE))
            }
            : new FileAttribute<?>[0];
    Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    byte[] line = (fileLine() + "\n").getBytes(StandardCharsets.US_ASCII);
    try (var channel = Files.newByteChannel(file, options, mine)) {
      channel.write(ByteBuffer.wrap(line));
    } catch (FileAlreadyExistsException e) {
      throw new ClusterException(
          ("%s is there already, and a key in use must not be lost: give another "
                  + "file, or move it away")
              .formatted(file));
    } catch (IOException e) {
      throw new ClusterException(
          "%s: the key cannot be written: %s".formatted(file, DisplayText.messageOf(e)));
    }
  }

  /** TLS that trusts only holders of this key. */
  public SSLContext tls() {
    return NetworkCertificate.of(secret).tls();
  }

  @Override
  public String toString() {
    return "a network key";
  }
}
