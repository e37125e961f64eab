package dev.millrace.engine.oracle;

/** Shapes with all that distinguishes an architecture, and as few weights as that takes. */
public final class TinyShapes {
  public static final int WIDTH = 64;
  static final int INNER = 128;
  public static final int VOCABULARY = 320;
  static final int CONTEXT = 256;

  private TinyShapes() {}

  public static ModelShape shape(String architecture) {
    ModelShape small = ModelShape.small(architecture);
    int layers = Math.min(7, small.layers()); // of seven layers Gemma's sixth is another one
    return new ModelShape(
        architecture,
        layers,
        WIDTH,
        4,
        small.kvHeads(),
        32,
        INNER,
        VOCABULARY,
        CONTEXT,
        small.tied(),
        small.stretched(),
        small.more());
  }
}
