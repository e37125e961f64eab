package dev.millrace.cluster;

import java.security.cert.CertificateException;

/** The other side's certificate was made from another network key. */
public final class OtherNetworkKeyException extends CertificateException {
  OtherNetworkKeyException() {
    super("not this network's certificate");
  }
}
