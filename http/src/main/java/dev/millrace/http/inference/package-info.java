/**
 * What all route groups share that answer with a model at once: access to the models, several
 * choices of one request side by side, and clients that disconnect meanwhile. Start at {@link
 * dev.millrace.http.inference.ChoiceStream}.
 */
@NullMarked
package dev.millrace.http.inference;

import org.jspecify.annotations.NullMarked;
