package dev.millrace.cluster.wire;

import java.security.cert.CertificateException;

/** The other side's certificate was made from another network key. */
final class StrangerException extends CertificateException {
  StrangerException() {
    super("not this network's certificate");
  }
}
