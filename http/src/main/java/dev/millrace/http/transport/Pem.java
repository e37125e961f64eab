package dev.millrace.http.transport;

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

/** Reads certificates and keys as text files have them (RFC 7468). */
public final class Pem {
  private static final int MAX_BYTES = 1_000_000;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  private Pem() {}

  private record Block(String label, String base64) {
    byte[] bytes(Path file) {
      try {
        return Base64.getMimeDecoder().decode(base64.strip());
      } catch (IllegalArgumentException e) {
        throw wrong(file, "has a broken " + label + " block: not Base64");
      }
    }
  }

  public static List<X509Certificate> certificates(Path file) {
    List<X509Certificate> chain = new ArrayList<>();
    for (Block block : blocks(file)) {
      if (block.label().equals("CERTIFICATE")) {
        chain.add(certificate(block.bytes(file), file, chain.size() + 1));
      }
    }
    if (chain.isEmpty()) {
      throw wrong(file, "has no block \"BEGIN CERTIFICATE\": a PEM file with the chain is needed");
    }
    return chain;
  }

  private static X509Certificate certificate(byte[] bytes, Path file, int number) {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(bytes));
    } catch (CertificateException e) {
      throw wrong(file, "holds a certificate, number " + number + ", that cannot be read");
    }
  }

  static PrivateKey key(Path file) {
    for (Block block : blocks(file)) {
      switch (block.label()) {
        case "PRIVATE KEY" -> {
          return key(block.bytes(file), file);
        }
        case "ENCRYPTED PRIVATE KEY" ->
            throw wrong(
                file,
                "is encrypted: make a copy without password with \"openssl pkcs8 -in KEY -out"
                    + " NEWKEY\" and protect the file instead");
        case "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY" ->
            throw wrong(
                file,
                "is not PKCS#8: convert it with \"openssl pkcs8 -topk8 -nocrypt -in KEY -out"
                    + " NEWKEY\"");
        default -> {
          // certificates or parameters beside the key
        }
      }
    }
    throw wrong(file, "has no block \"BEGIN PRIVATE KEY\": a PEM file with the key is needed");
  }

  private static PrivateKey key(byte[] bytes, Path file) {
    for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
      } catch (InvalidKeySpecException e) {
        continue; // of another kind, perhaps
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
    throw wrong(file, "holds a key that is not RSA, EC or Ed25519, or is broken");
  }

  private static List<Block> blocks(Path file) {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(text(file));
    while (matcher.find()) {
      blocks.add(new Block(matcher.group(1), matcher.group(2)));
    }
    return blocks;
  }

  private static String text(Path file) {
    try {
      if (Files.isDirectory(file)) {
        throw wrong(file, "is a directory");
      }
      if (Files.size(file) > MAX_BYTES) {
        throw wrong(file, "is larger than " + MAX_BYTES + " bytes");
      }
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw wrong(file, "does not exist");
    } catch (IOException e) {
      throw wrong(file, "cannot be read; check its permissions");
    }
  }

  static IllegalArgumentException wrong(Path file, String what) {
    return new IllegalArgumentException("TLS file " + file + " " + what);
  }
}
