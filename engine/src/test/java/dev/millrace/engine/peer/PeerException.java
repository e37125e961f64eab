package dev.millrace.engine.peer;

/** llama.cpp refused something; the message quotes its log. */
public final class PeerException extends RuntimeException {
  PeerException(String message) {
    super(message);
  }
}
