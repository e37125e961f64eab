package dev.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NetworkKeyTest {
  @TempDir Path directory;

  @Test
  void aWrittenKeyIsReadAndOnlyItsOwnerMay() throws Exception {
    Path file = directory.resolve("network.key");
    NetworkKey key = NetworkKey.generate();
    key.write(file);
    assertThat(Files.readString(file)).matches("millrace-network-key-1:[0-9a-f]{64}\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    String line = Files.readString(file);
    Path copy = directory.resolve("copy.key");
    NetworkKey.read(file).write(copy);
    assertThat(Files.readString(copy)).isEqualTo(line);
    assertThat(key.toString()).doesNotContain(line.substring(30, 40));
  }

  /** Nodes of several releases must derive the same key. */
  @Test
  void aSharedKeyOf128BitsGivesAlwaysTheSameKey() {
    String hex = "8f1c02d97ab34e5566d0c9a1b37e42fd";
    NetworkKey key = NetworkKey.ofHex(hex);
    assertThat(key.fileLine())
        .isEqualTo(
            "millrace-network-key-1:e387bd51c13c57e12597fb68c4d174528cf1691491a259293f74da9a5358fb05");
    assertThat(NetworkKey.ofHex(hex.toUpperCase(Locale.ROOT)).fileLine()).isEqualTo(key.fileLine());
    assertThat(NetworkKey.ofHex(hex.replace("fd", "fe")).fileLine()).isNotEqualTo(key.fileLine());
    for (String bad : new String[] {"", hex.substring(1), hex + "00", hex.replace('f', 'g')}) {
      assertThatThrownBy(() -> NetworkKey.ofHex(bad))
          .isInstanceOf(ClusterException.class)
          .hasMessage("a shared key is 32 hex digits");
    }
  }

  @Test
  void aFileThatIsThereStays() throws Exception {
    Path file = directory.resolve("network.key");
    NetworkKey.generate().write(file);
    String before = Files.readString(file);
    assertThatThrownBy(() -> NetworkKey.generate().write(file))
        .isInstanceOf(ClusterException.class)
        .hasMessage(
            file
                + " is there already, and a key in use must not be lost: give another"
                + " file, or move it away");
    assertThat(Files.readString(file)).isEqualTo(before);
  }

  @Test
  void anInvalidKeyIsRefusedWithoutQuotingIt() throws Exception {
    String good = "millrace-network-key-1:" + "0123456789abcdef".repeat(4);
    for (String bad :
        new String[] {
          "",
          "0123456789abcdef".repeat(4),
          good.substring(0, good.length() - 1),
          good + "00",
          good.replace('0', 'g'),
          good.replace("key-1", "key-2"),
          "x".repeat(5000)
        }) {
      Path file = directory.resolve("bad.key");
      Files.writeString(file, bad);
      assertThatThrownBy(() -> NetworkKey.read(file))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith(file + " is no network key: the file has one line")
          .hasMessageNotContaining("0123456789")
          .hasNoCause();
    }
    Path none = directory.resolve("none.key");
    assertThatThrownBy(() -> NetworkKey.read(none))
        .hasMessageStartingWith(none + ": the key file does not exist; create a key");
  }

  @Test
  void theSameKeyMakesTheSameCertificateAndAnotherAnother() throws Exception {
    byte[] secret = new byte[NetworkKey.BYTES];
    Arrays.fill(secret, (byte) 3);
    NetworkCertificate one = NetworkCertificate.of(secret);
    NetworkCertificate two = NetworkCertificate.of(secret.clone());
    assertThat(one.certificate().getEncoded()).isEqualTo(two.certificate().getEncoded());
    one.certificate().verify(one.certificate().getPublicKey());
    one.certificate().checkValidity();
    secret[31]++;
    assertThat(NetworkCertificate.of(secret).certificate().getPublicKey())
        .isNotEqualTo(one.certificate().getPublicKey());
  }
}
