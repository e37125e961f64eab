package dev.millrace.cli.demo;

/** Shows the progress of the demo. */
@FunctionalInterface
interface DemoScreen {
  /** Shows nothing. */
  DemoScreen NONE = frame -> {};

  /** Shows the current progress of a stage. */
  void show(DemoProgress frame);

  /** The stage has ended, or is no longer shown; the last progress remains visible. */
  default void end() {}
}
