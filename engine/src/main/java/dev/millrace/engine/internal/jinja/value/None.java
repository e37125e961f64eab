package dev.millrace.engine.internal.jinja.value;

/** Python's {@code None}: a value of its own, so that an evaluation needs no Java null. */
public enum None {
  NONE
}
