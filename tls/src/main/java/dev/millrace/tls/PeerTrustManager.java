package dev.millrace.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Judges the other side's certificates by one rule for both directions. Host names play no part:
 * nodes are known by key and name, wherever they are. No authorities are named to strangers.
 */
public final class PeerTrustManager extends X509ExtendedTrustManager {
  /** The rule. */
  @FunctionalInterface
  public interface Rule {
    void check(X509Certificate[] chain, boolean ofClient) throws CertificateException;
  }

  private final Rule rule;

  public PeerTrustManager(Rule rule) {
    this.rule = rule;
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    rule.check(chain, true);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    rule.check(chain, true);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    rule.check(chain, true);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    rule.check(chain, false);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    rule.check(chain, false);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    rule.check(chain, false);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
