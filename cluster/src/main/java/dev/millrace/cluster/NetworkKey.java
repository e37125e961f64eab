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
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * The secret that all nodes of a network share, and that admits them. Its file is one line: {@code
 * millrace-network-key-1:} and 64 hex digits.
 */
public final class NetworkKey {
  static final int BYTES = 32;

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

  /** Reads a file that {@link #write} wrote; warns if other users may read it. */
  public static NetworkKey read(Path file) {
    String line;
    try {
      if (Files.size(file) > MAX_FILE) {
        throw malformed(file);
      }
      line = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
      warnOfReaders(file);
    } catch (NoSuchFileException e) {
      throw new ClusterException(
          ("%s: the key file does not exist; \"millrace keygen\" writes one, then copy it "
                  + "to every node")
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
        ("%s is no network key: the file has one line, \"%s\" and 64 hex digits; "
                + "\"millrace keygen\" writes one")
            .formatted(file, PREFIX));
  }

  private static void warnOfReaders(Path file) throws IOException {
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
