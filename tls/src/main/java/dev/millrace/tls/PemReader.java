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
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and private keys from PEM files (RFC 7468). */
public final class PemReader {
  private static final int MAX_BYTES = 1_000_000;

  /** The content may have dashes: old encrypted keys name their cipher in a header. */
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

  private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "EdDSA");

  private PemReader() {}

  private record Block(Path file, String label, String base64) {
    byte[] bytes() {
      try {
        return Base64.getMimeDecoder().decode(base64);
      } catch (IllegalArgumentException e) {
        throw new TlsFileException(file, "has a broken " + label + " block: not Base64");
      }
    }
  }

  /** All certificates of a file, at least one. */
  public static List<X509Certificate> certificates(Path file) {
    List<X509Certificate> chain = new ArrayList<>();
    for (Block block : blocks(file)) {
      if (block.label().equals("CERTIFICATE")) {
        chain.add(certificate(block, chain.size() + 1));
      }
    }
    if (chain.isEmpty()) {
      throw new TlsFileException(
          file, "has no block \"BEGIN CERTIFICATE\": a PEM file with the chain is needed");
    }
    return chain;
  }

  private static X509Certificate certificate(Block block, int number) {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(block.bytes()));
    } catch (CertificateException e) {
      throw new TlsFileException(
          block.file(), "holds a certificate, number " + number + ", that cannot be read", e);
    }
  }

  /** The first private key of a file. No message of an exception quotes its bytes. */
  public static PrivateKey key(Path file) {
    for (Block block : blocks(file)) {
      switch (block.label()) {
        case "PRIVATE KEY" -> {
          return key(block);
        }
        case "ENCRYPTED PRIVATE KEY" ->
            throw new TlsFileException(
                file,
                "is encrypted: make a copy without password with \"openssl pkcs8 -in KEY -out"
                    + " NEWKEY\" and protect the file instead");
        case "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY" ->
            throw new TlsFileException(
                file,
                "is not PKCS#8: convert it with \"openssl pkcs8 -topk8 -nocrypt -in KEY -out"
                    + " NEWKEY\"");
        default -> {
          // certificates or parameters beside the key
        }
      }
    }
    throw new TlsFileException(
        file, "has no block \"BEGIN PRIVATE KEY\": a PEM file with the key is needed");
  }

  private static PrivateKey key(Block block) {
    byte[] pkcs8 = block.bytes();
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (InvalidKeySpecException e) {
        continue; // perhaps a key of another algorithm
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
    throw new TlsFileException(
        block.file(), "holds a key that is not RSA, EC or Ed25519, or is broken");
  }

  private static List<Block> blocks(Path file) {
    List<Block> blocks = new ArrayList<>();
    for (Matcher matcher = BLOCK.matcher(text(file)); matcher.find(); ) {
      blocks.add(new Block(file, matcher.group(1), matcher.group(2)));
    }
    return blocks;
  }

  private static String text(Path file) {
    try {
      if (Files.isDirectory(file)) {
        throw new TlsFileException(file, "is a directory");
      }
      if (Files.size(file) > MAX_BYTES) {
        throw new TlsFileException(file, "is larger than " + MAX_BYTES + " bytes");
      }
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new TlsFileException(file, "does not exist");
    } catch (IOException e) {
      throw new TlsFileException(file, "cannot be read; check its permissions", e);
    }
  }
}
