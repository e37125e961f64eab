package dev.millrace.engine.internal.jinja.value;

/** Python's {@code None}: a value of its own, so that no Java null runs through an evaluation. */
public enum None {
  NONE
}
