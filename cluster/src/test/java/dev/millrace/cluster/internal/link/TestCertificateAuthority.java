package dev.millrace.cluster.internal.link;

import dev.millrace.tls.DerEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;

/** Makes certificates for tests, signed by an Ed25519 key. */
public final class TestCertificateAuthority {
  private static final byte[] ED25519 = DerEncoder.sequence(oid("2b6570"));

  private final KeyPair pair;
  private final Path directory;
  private final String name;
  public final Path certificate;

  public TestCertificateAuthority(Path directory, String name) throws Exception {
    this.directory = directory;
    this.name = name;
    this.pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] isAuthority =
        extension(
            "551d13", DerEncoder.sequence(DerEncoder.element(0x01, new byte[] {(byte) 0xff})));
    byte[] signed = signed(name, pair, Instant.now().plusSeconds(3600), isAuthority);
    this.certificate = write(name + ".pem", "CERTIFICATE", signed);
  }

  /** Files of a node. */
  public record Issued(Path certificate, Path key) {}

  public Issued issue(String commonName, String dnsName, String algorithm, Instant until)
      throws Exception {
    KeyPair node = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
    byte[] dns = DerEncoder.element(0x82, dnsName.getBytes(StandardCharsets.US_ASCII));
    byte[] signed = signed(commonName, node, until, extension("551d11", DerEncoder.sequence(dns)));
    String file = commonName + "-" + algorithm;
    return new Issued(
        write(file + ".pem", "CERTIFICATE", signed),
        write(file + ".key", "PRIVATE KEY", node.getPrivate().getEncoded()));
  }

  private byte[] signed(String subject, KeyPair of, Instant until, byte[] extension)
      throws GeneralSecurityException {
    byte[] content =
        DerEncoder.sequence(
            DerEncoder.explicit(0, DerEncoder.integer(2)),
            DerEncoder.integer(1),
            ED25519,
            name(name),
            DerEncoder.sequence(DerEncoder.time("20200101000000Z"), time(until)),
            name(subject),
            of.getPublic().getEncoded(),
            DerEncoder.explicit(3, DerEncoder.sequence(extension)));
    return DerEncoder.sequence(
        content, ED25519, DerEncoder.bitString(sign(pair.getPrivate(), content)));
  }

  private static byte[] sign(PrivateKey key, byte[] content) throws GeneralSecurityException {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(key);
    signature.update(content);
    return signature.sign();
  }

  private static byte[] time(Instant at) {
    return DerEncoder.time(
        DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC).format(at));
  }

  private static byte[] name(String name) {
    return DerEncoder.sequence(
        DerEncoder.set(DerEncoder.sequence(oid("550403"), DerEncoder.utf8String(name))));
  }

  private static byte[] extension(String oid, byte[] value) {
    return DerEncoder.sequence(oid(oid), DerEncoder.element(0x04, value));
  }

  private static byte[] oid(String hex) {
    return DerEncoder.oid(HexFormat.of().parseHex(hex));
  }

  Path write(String file, String label, byte[] der) throws IOException {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        directory.resolve(file),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, base64, label));
  }
}
