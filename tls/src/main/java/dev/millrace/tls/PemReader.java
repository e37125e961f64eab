package dev.millrace.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and keys in PEM files (RFC 7468). */
final class PemReader {
  private static final int MAX_FILE = 1 << 20;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);
  private static final String[] KEYS = {"RSA", "EC", "Ed25519"};

  /** A part of a file, by its label. */
  private record Block(Path file, String label, String base64) {
    byte[] der() {
      try {
        return Base64.getMimeDecoder().decode(base64);
      } catch (IllegalArgumentException e) {
        throw new TlsFileException("%s: what stands in \"%s\" is no base64".formatted(file, label));
      }
    }
  }

  private PemReader() {}

  /** All certificates of a file: at least one. */
  static List<X509Certificate> certificates(Path file) {
    List<X509Certificate> certificates = new ArrayList<>();
    for (Block block : blocks(file)) {
      if (block.label().equals("CERTIFICATE")) {
        certificates.add(certificate(file, block));
      }
    }
    if (certificates.isEmpty()) {
      throw new TlsFileException(
          "%s has no certificate: a PEM file with \"-----BEGIN CERTIFICATE-----\" is needed"
              .formatted(file));
    }
    return certificates;
  }

  private static X509Certificate certificate(Path file, Block block) {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(block.der()));
    } catch (CertificateException e) {
      throw new TlsFileException("%s has a certificate that cannot be read".formatted(file), e);
    }
  }

  /** The one private key of a file; its bytes are in no message. */
  static PrivateKey key(Path file) {
    for (Block block : blocks(file)) {
      switch (block.label()) {
        case "PRIVATE KEY" -> {
          return key(file, block.der());
        }
        case "ENCRYPTED PRIVATE KEY" ->
            throw new TlsFileException(
                ("%s has a password: give a key without one (openssl pkcs8 -in KEY -out PLAIN, "
                        + "then chmod 600 PLAIN)")
                    .formatted(file));
        case "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY" ->
            throw new TlsFileException(
                ("%s is a \"%s\", and PKCS #8 is needed: openssl pkcs8 -topk8 -nocrypt -in KEY "
                        + "-out PLAIN")
                    .formatted(file, block.label()));
        default -> {}
      }
    }
    throw new TlsFileException(
        "%s has no private key: a PEM file with \"-----BEGIN PRIVATE KEY-----\" is needed"
            .formatted(file));
  }

  private static PrivateKey key(Path file, byte[] der) {
    for (String algorithm : KEYS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (GeneralSecurityException e) {
        // Of another kind.
      }
    }
    throw new TlsFileException(
        "%s: the private key is none of RSA, EC and Ed25519".formatted(file));
  }

  private static List<Block> blocks(Path file) {
    String text;
    try {
      if (Files.size(file) > MAX_FILE) {
        throw new TlsFileException("%s is too large for a PEM file".formatted(file));
      }
      text = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new TlsFileException("%s: there is no such file".formatted(file));
    } catch (IOException e) {
      throw new TlsFileException("%s cannot be read: %s".formatted(file, e.getMessage()));
    }
    List<Block> blocks = new ArrayList<>();
    for (Matcher m = BLOCK.matcher(text); m.find(); ) {
      blocks.add(new Block(file, m.group(1), m.group(2)));
    }
    return blocks;
  }
}
