package dev.millrace.engine.api;

/**
 * What a file says about its model.
 *
 * @param name the model's name in the file, or the name of the file
 * @param architecture as the file writes it, such as {@code llama}
 * @param width of a hidden state
 * @param vocabulary the number of tokens
 * @param contextLength the positions that the model was trained on
 */
public record ModelInfo(
    String name, String architecture, int layers, int width, int vocabulary, int contextLength) {}
