package dev.millrace.engine.llamacpp;

/** llama.cpp refused something; the message quotes its log. */
public final class LlamaCppException extends RuntimeException {
  LlamaCppException(String message) {
    super(message);
  }
}
