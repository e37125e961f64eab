/** Architectures: what a file says a model is, its weights, its layers. */
@NullMarked
package dev.millrace.engine.model;

import org.jspecify.annotations.NullMarked;
