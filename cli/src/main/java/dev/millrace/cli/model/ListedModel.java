package dev.millrace.cli.model;

import java.nio.file.Path;

/**
 * A model of this machine.
 *
 * @param name the word that {@code --model} takes for it, and its name in receipts and answers
 * @param place what led to it: a variable, a directory or another program
 * @param file its file, or the first of its parts
 * @param bytes of all its files
 */
public record ListedModel(String name, String place, Path file, long bytes) {}
