package dev.millrace.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Checks the other side's certificates by one rule for both directions. Host names are not checked:
 * a node is known by its key and name, not by its address. It names no authorities to the other
 * side.
 */
public final class PeerTrustManager extends X509ExtendedTrustManager {
  /** Throws if a chain is not trusted. */
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
