package dev.millrace.engine.chat.jinja;

/** Python's {@code None}: a value of its own, so that no Java null runs through an evaluation. */
enum None {
  NONE
}
