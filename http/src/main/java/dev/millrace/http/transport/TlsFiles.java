package dev.millrace.http.transport;

import java.nio.file.Path;

/**
 * The files of the server's certificate and key.
 *
 * @param certificate PEM: the server's own certificate first, then those that lead to a root
 * @param key PEM: its private key, PKCS#8, not encrypted
 */
public record TlsFiles(Path certificate, Path key) {}
