package dev.millrace.cluster;

import dev.millrace.tls.CertifiedKey;
import dev.millrace.tls.MutualTls;
import dev.millrace.tls.PeerTrustManager;
import dev.millrace.tls.SingleKeyManager;
import java.util.List;
import javax.net.ssl.SSLContext;

/** Network keys that no user can make. */
public final class NetworkKeyFixture {
  private NetworkKeyFixture() {}

  /** TLS of a side that has another network's key and trusts everybody. */
  public static SSLContext trustingEverybody() {
    NetworkCertificate other = NetworkCertificate.of(new byte[NetworkKey.BYTES]);
    return MutualTls.context(
        new SingleKeyManager(new CertifiedKey(List.of(other.certificate()), other.key())),
        new PeerTrustManager((chain, ofClient) -> {}));
  }
}
