package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate in {@code chain.pem} and {@code key.pem}.
 *
 * @param trust a context that trusts it
 */
record SelfSignedCertificate(SSLContext trust) {

  static SelfSignedCertificate in(Path directory) throws Exception {
    Path file = directory.resolve("keys.p12");
    String password = "changeit";
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "SAN=IP:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                password)
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes());
    assertThat(keytool.waitFor()).as(said).isZero();
    KeyStore keys = KeyStore.getInstance(file.toFile(), password.toCharArray());
    pem(directory.resolve("chain.pem"), "CERTIFICATE", keys.getCertificate("own").getEncoded());
    pem(
        directory.resolve("key.pem"),
        "PRIVATE KEY",
        keys.getKey("own", password.toCharArray()).getEncoded());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("own", keys.getCertificate("own"));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return new SelfSignedCertificate(context);
  }

  private static void pem(Path file, String label, byte[] bytes) throws Exception {
    Files.writeString(
        file,
        "-----BEGIN "
            + label
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
            + "\n-----END "
            + label
            + "-----\n");
  }
}
