package dev.millrace.tls;

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

/** Makes certificates for tests, in PEM files of one directory, signed by an Ed25519 key. */
public final class TestCertificateAuthority {
  private static final byte[] ED25519 = DerEncoder.sequence(oid("2b6570"));
  private static final Instant START = Instant.parse("2020-01-01T00:00:00Z");
  private static final int DNS_NAME = 0x82;
  private static final int IP_ADDRESS = 0x87;

  /** When certificates begin and end to be valid. */
  public record Validity(Instant from, Instant until) {
    public static Validity until(Instant until) {
      return new Validity(START, until);
    }

    public static Validity now() {
      return until(Instant.now().plusSeconds(600));
    }

    public static Validity expired() {
      return until(Instant.now().minusSeconds(60));
    }
  }

  /** The files of an issued certificate and its key. */
  public record Issued(Path certificate, Path key) {}

  /** The authority's own certificate. */
  public final Path certificate;

  private final KeyPair pair;
  private final Path directory;
  private final String name;

  public TestCertificateAuthority(Path directory, String name) throws Exception {
    this.directory = directory;
    this.name = name;
    this.pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] isAuthority =
        extension(
            "551d13", DerEncoder.sequence(DerEncoder.element(0x01, new byte[] {(byte) 0xff})));
    byte[] signed =
        signed(name, pair, Validity.until(Instant.now().plusSeconds(3600)), isAuthority);
    this.certificate = write(name + ".pem", "CERTIFICATE", signed);
  }

  /** A certificate for a node, valid now. */
  public Issued issue(String commonName, String dnsName, String algorithm) throws Exception {
    return issue(commonName, dnsName, algorithm, Validity.now());
  }

  public Issued issue(String commonName, String dnsName, String algorithm, Validity validity)
      throws Exception {
    return issue(commonName, algorithm, validity, DerEncoder.sequence(dns(dnsName)));
  }

  /** A certificate for a server on {@code localhost} and 127.0.0.1. */
  public Issued issueServer(String commonName, String algorithm, Validity validity)
      throws Exception {
    byte[] address = DerEncoder.element(IP_ADDRESS, new byte[] {127, 0, 0, 1});
    return issue(commonName, algorithm, validity, DerEncoder.sequence(dns("localhost"), address));
  }

  private Issued issue(String commonName, String algorithm, Validity validity, byte[] names)
      throws Exception {
    KeyPair issued = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
    byte[] signed = signed(commonName, issued, validity, extension("551d11", names));
    String file = commonName + "-" + algorithm;
    return new Issued(
        write(file + ".pem", "CERTIFICATE", signed),
        write(file + ".key", "PRIVATE KEY", issued.getPrivate().getEncoded()));
  }

  private byte[] signed(String subject, KeyPair of, Validity validity, byte[] extension)
      throws GeneralSecurityException {
    byte[] content =
        DerEncoder.sequence(
            DerEncoder.explicit(0, DerEncoder.integer(2)),
            DerEncoder.integer(1),
            ED25519,
            name(name),
            DerEncoder.sequence(time(validity.from()), time(validity.until())),
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

  private static byte[] dns(String name) {
    return DerEncoder.element(DNS_NAME, name.getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] extension(String oid, byte[] value) {
    return DerEncoder.sequence(oid(oid), DerEncoder.element(0x04, value));
  }

  private static byte[] oid(String hex) {
    return DerEncoder.oid(HexFormat.of().parseHex(hex));
  }

  /** Writes a PEM file with one block into the directory. */
  public Path write(String file, String label, byte[] der) throws IOException {
    return Files.writeString(directory.resolve(file), pem(label, der));
  }

  /** One block of a PEM file. */
  public static String pem(String label, byte[] der) {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, base64, label);
  }
}
